/**
 * The transcript of a run that has none, as `harness decide` is: an empty file, made the first time a hook is told its path
 * and gone with the process. A script that reads its transcript must not fail because nothing has been said yet.
 */
import { scratchFile } from '../../base/scratch-file.ts';

let made: string | null = null;

export function emptyTranscript(): string {
  made ??= scratchFile('transcript.jsonl');
  return made;
}
