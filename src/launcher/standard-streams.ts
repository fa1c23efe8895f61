/** The launcher's input and output, without the streams of the process: those take longer to load than all this takes to run. */
import { read, writeSync } from 'node:fs';
import { type Answer, MARK } from '../agents/index.ts';
import { visible } from '../base/index.ts';

/** Nothing an agent sends is larger; a payload is held in memory several times over. */
const MAX_INPUT_BYTES = 100 * 1024 * 1024;

export function readInput(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const next = () => {
      const buffer = Buffer.allocUnsafe(64 * 1024);
      read(0, buffer, 0, buffer.length, null, (error, bytes) => {
        if (error?.code === 'EAGAIN') return setTimeout(next, 1);
        if (error !== null && error.code !== 'EOF')
          return reject(new Error(`cannot read stdin: ${error.message}`));
        if (error !== null || bytes === 0) return resolve(Buffer.concat(pieces));
        size += bytes;
        if (size > MAX_INPUT_BYTES)
          return reject(new Error(`the payload is larger than ${MAX_INPUT_BYTES} bytes`));
        pieces.push(buffer.subarray(0, bytes));
        next();
      });
    };
    next();
  });
}

/** What the process ends with. `mark` comes last: a guard line that waits for it believes nothing without it. */
export function printAnswer({ stdout, stderr, exitCode }: Answer, mark: boolean): number {
  // An agent may show it to a person as it is.
  if (stderr !== '') tryWrite(2, visible(stderr));
  return tryWrite(1, mark ? stdout + MARK : stdout) ? exitCode : 1;
}

/** Of a millisecond each. */
const MOST_PAUSES = 2000;

/** Whether all of it was taken. A reader that is gone has no use for the rest. */
function tryWrite(fd: number, text: string): boolean {
  const bytes = Buffer.from(text);
  let sent = 0;
  for (let pauses = 0; sent < bytes.length && pauses < MOST_PAUSES; ) {
    try {
      sent += writeSync(fd, bytes, sent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false;
      // A pipe that is full for the moment.
      pauses++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return sent === bytes.length;
}
