/**
 * A tape that is still being written, read as far as it has come and then on from there: the reader of whole tapes, resumed. A file
 * that was written anew is read from its beginning again.
 */
import { statSync } from 'node:fs';
import { type Chapter, Teller } from './stories.ts';
import { readLines } from './tape-file.ts';
import { Reading } from './tape-reader.ts';

export class TapeFollower {
  private readonly path: string;
  private offset = 0;
  private reading: Reading | null = null;
  private teller = new Teller();

  constructor(path: string) {
    this.path = path;
  }

  /** What was written since the last look, as far as it is decided. Throws TAPE_INVALID, and then begins anew the next time. */
  *more(): Generator<Chapter> {
    if ((statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) < this.offset) this.restart();
    try {
      for (const line of readLines(this.path, undefined, this.offset)) {
        if (!line.whole) return;
        this.offset += line.bytes.length + 1;
        if (this.reading === null) this.reading = new Reading(this.path, line, () => {});
        else yield* this.teller.hear(this.reading.entry(line));
      }
    } catch (thrown) {
      this.restart();
      throw thrown;
    }
  }

  private restart(): void {
    this.offset = 0;
    this.reading = null;
    this.teller = new Teller();
  }
}
