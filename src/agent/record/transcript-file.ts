/**
 * Writes the transcript of a session to a file as it happens. Each line is with the operating system before the session
 * goes on, so that a process that is killed loses nothing it has said.
 */
import { closeSync, constants, ftruncateSync, mkdirSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { HarnessError } from '../../base/index.ts';
import { openOwn } from '../../machine/index.ts';
import { FileUnchangedCheck } from '../../tape/index.ts';
import type { SessionEvent } from '../session-event.ts';
import { type Hide, type TranscriptHeader, transcriptLines } from './transcript.ts';

const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = constants;

export interface TranscriptFile {
  /** For the `onEvent` of a session. Throws where the line cannot be written, and from then on does nothing. */
  readonly onEvent: (event: SessionEvent) => void;
  /** The error that ended it, or null. */
  readonly failed: () => Error | null;
  readonly close: () => void;
}

/** Makes the file and its folder. One that is there is written over, or gone on with where the header counts its entries. */
export function openTranscript(path: string, header: TranscriptHeader, hide?: Hide): TranscriptFile {
  mkdirSync(dirname(path), { recursive: true });
  const lines = transcriptLines(header, hide);
  const goesOn = header.entries !== undefined;
  const file = openOwn(path, goesOn ? O_WRONLY | O_APPEND : O_WRONLY | O_CREAT | O_TRUNC);
  let open = true;
  let size = goesOn ? cutToLines(file, path) : 0;
  const there = new FileUnchangedCheck(file, path);
  let error: Error | null = null;
  const close = () => {
    if (open) closeSync(file);
    open = false;
  };
  const write = (line: string) => {
    if (!open || line === '') return;
    try {
      const changed = there.changed(size);
      if (changed !== null)
        throw new HarnessError('RECORD_CHANGED', `${path} is no record any more: ${changed}`);
      const bytes = Buffer.from(line);
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      size += bytes.length;
    } catch (thrown) {
      error = thrown as Error;
      close();
      throw thrown;
    }
  };
  if (!goesOn) write(lines.header);
  return { onEvent: (event) => write(lines.line(event)), failed: () => error, close };
}

/** A process that was killed leaves half a line. Gives the size of what is whole. */
function cutToLines(file: number, path: string): number {
  const bytes = readFileSync(path);
  const size = bytes.lastIndexOf(0x0a) + 1;
  if (size < bytes.length) ftruncateSync(file, size);
  return size;
}
