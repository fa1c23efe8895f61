/**
 * A tape that is still being written, read as far as it has come and then on from there: the reader of whole tapes, resumed. A file
 * that was written anew is read from its beginning again. A long one can be read from the middle.
 */
import { statSync } from 'node:fs';
import type { Entry, Header } from './entry.ts';
import { type Chapter, StoryBuilder } from './stories.ts';
import { readLines } from './tape-file.ts';
import { Reading } from './tape-reader.ts';

/** A place in a tape that reading can begin at. */
export interface Start {
  readonly at: number;
  /** Entries before it that say what hooks there are. */
  readonly before: readonly Entry[];
  /** It is somewhere in a line: that one is left out. */
  readonly torn?: boolean;
}

const BEGINNING: Start = { at: 0, before: [] };

export class TapeFollower {
  private readonly path: string;
  private readonly start: Start;
  private readonly onEntry: (entry: Entry) => void;
  private reading: Reading | null = null;
  private teller = new StoryBuilder();
  /** So many bytes are read. */
  offset = 0;

  constructor(path: string, onEntry: (entry: Entry) => void = () => {}, start = BEGINNING) {
    this.path = path;
    this.onEntry = onEntry;
    this.start = start;
  }

  get header(): Header | null {
    return this.reading?.header ?? null;
  }

  /** What has begun and is not decided, and what came after it. */
  get unfinished(): readonly Chapter[] {
    return this.teller.end();
  }

  /** What was written since the last look, as far as it is decided. Throws TAPE_INVALID, and then begins anew the next time. */
  *more(): Generator<Chapter> {
    if ((statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) < this.offset) this.restart();
    try {
      if (this.reading === null) this.begin();
      for (const line of readLines(this.path, undefined, this.offset)) {
        if (!line.whole || this.reading === null) return;
        this.offset += line.bytes.length + 1;
        const entry = this.reading.entry(line);
        this.onEntry(entry);
        yield* this.teller.hear(entry);
      }
    } catch (thrown) {
      this.restart();
      throw thrown;
    }
  }

  /** The same to the end of what is there, with what is not decided. */
  *all(): Generator<Chapter> {
    yield* this.more();
    yield* this.unfinished;
  }

  private begin(): void {
    const [header] = readLines(this.path);
    if (header?.whole !== true) return;
    this.reading = new Reading(this.path, header, () => {});
    const { at, before, torn = false } = this.start;
    for (const entry of before) this.reading.hear(entry);
    this.offset = Math.max(at, header.bytes.length + 1);
    if (!torn || at === 0) return;
    for (const { bytes } of readLines(this.path, undefined, at)) {
      this.offset = at + bytes.length + 1;
      break;
    }
  }

  private restart(): void {
    this.offset = 0;
    this.reading = null;
    this.teller = new StoryBuilder();
  }
}
