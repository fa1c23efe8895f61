/**
 * The transcript of a session: one JSON object a line, appended as things happen.
 */
import type { JsonObject } from '../base/json.ts';
import type { SessionEvent } from './session-event.ts';

export interface TranscriptEntry extends JsonObject {
  readonly type: string;
}

/** A function from each event to its line (with the line end), the first of which follows a header line. */
export declare function transcriptLines(header: { readonly sessionId: string; readonly startedAt: number }): {
  readonly header: string;
  readonly line: (event: SessionEvent) => string;
};

/** The entries of a transcript; a last line that was cut off is left out. */
export declare function parseTranscript(text: string): TranscriptEntry[];
