/**
 * A tape in its file, as lines, in constant memory whatever its size.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { HarnessError } from '../base/index.ts';
import { isLocked } from '../machine/index.ts';
import { MAX_LINE_BYTES } from './chain.ts';
import { readSignedHead } from './sign.ts';
import type { Line, StoredTape } from './store.ts';

const CHUNK = 1024 * 1024;

export type OnBytes = (done: number, all: number) => void;

/** Throws TAPE_INVALID for a file that cannot be read. */
export function storedFile(name: string, from = 0, onBytes?: OnBytes): StoredTape {
  // Lock and signature lie beside the file itself, not beside a link to it.
  const path = existsSync(name) ? realpathSync(name) : name;
  // Asked before the file is read: a writer that finishes meanwhile leaves more than was expected, not less.
  const open = isLocked(path);
  const signature = readSignedHead(path);
  return {
    name,
    open,
    signature,
    lines: from === 0 ? readLines(path, onBytes) : linesFrom(readLines(path, onBytes), from),
  };
}

function* linesFrom(lines: Iterable<Line>, from: number): Generator<Line> {
  let number = 0;
  for (const line of lines) if (number++ >= from) yield line;
}

/** The lines of a file, `at` so many bytes on. A line too long to be one comes cut, as the last and not whole. */
export function* readLines(path: string, onBytes?: OnBytes, at = 0): Generator<Line> {
  const file = openTapeFile(path);
  try {
    const all = fstatSync(file).size;
    let buffer = Buffer.allocUnsafe(Math.min(CHUNK, all + 1));
    let start = at;
    let position = at;
    let held = 0;
    for (;;) {
      const read = readSync(file, buffer, held, buffer.length - held, position);
      if (read === 0) break;
      position += read;
      const end = held + read;
      let from = 0;
      let to = buffer.indexOf(10, held);
      while (to !== -1 && to < end) {
        yield { bytes: buffer.subarray(from, to), whole: true };
        from = to + 1;
        to = buffer.indexOf(10, from);
      }
      held = end - from;
      start += from;
      if (held > MAX_LINE_BYTES) break;
      // What is left begins the next line; a line that fills the buffer gets a larger one.
      const next = held * 2 > buffer.length ? Buffer.allocUnsafe(buffer.length * 2 + 1) : buffer;
      buffer.copy(next, 0, from, end);
      buffer = next;
      onBytes?.(start, all);
    }
    if (held > 0) yield { bytes: buffer.subarray(0, held), whole: false };
  } finally {
    closeSync(file);
  }
}

/** A file that can be read from its beginning to its end: no folder, no device, no pipe. */
function openTapeFile(path: string): number {
  let file: number;
  try {
    // Without blocking, for a named pipe nobody writes to.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    throw new HarnessError('TAPE_INVALID', `${path} cannot be read: ${(thrown as Error).message}`);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new HarnessError('TAPE_INVALID', `${path} is not a regular file`);
}
