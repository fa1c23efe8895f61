/**
 * What one call of a hook read from outside, in the order it asked. While a run is recorded each reading is taken and kept;
 * while it is replayed the same questions are answered from what was kept.
 */
import type { Json } from '../base/index.ts';
import type { Reading } from './entry.ts';

export interface Readings {
  /** In the order they were asked for. */
  readonly taken: readonly Reading[];
  /** A value that is there at once; undefined where there is none. */
  value(kind: string, key: Json | undefined, read: () => Json | undefined): Json | undefined;
  /** One that is kept only if there is one: what was not found then is not found now. */
  found(kind: string, read: () => Json | undefined, concerned: () => boolean, key?: Json): Json | undefined;
  /** One that comes later, or not at all. */
  later(kind: string, key: Json, read: () => Promise<Json | undefined>): Promise<Json | undefined>;
}

export class ReadingLog implements Readings {
  readonly taken: Reading[] = [];

  value(kind: string, key: Json | undefined, read: () => Json | undefined): Json | undefined {
    const value = read();
    this.taken.push(readingEntry(kind, key, value));
    return value;
  }

  found(
    kind: string,
    read: () => Json | undefined,
    _concerned?: () => boolean,
    key?: Json,
  ): Json | undefined {
    const value = read();
    if (value !== undefined) this.taken.push(readingEntry(kind, key, value));
    return value;
  }

  async later(kind: string, key: Json, read: () => Promise<Json | undefined>): Promise<Json | undefined> {
    // Its place is that of the question: answers may overtake one another.
    const place = this.taken.push({ key, kind, pending: true }) - 1;
    try {
      const value = await read();
      this.taken[place] = readingEntry(kind, key, value);
      return value;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
      this.taken[place] = { error, key, kind };
      throw thrown;
    }
  }
}

/** Kinds of readings that the state of a run answers. */
const OF_THE_RUN = /^(?:metric|cache|turn)\./;

/** Answers from the state of the run alone. Everything else only the tape knows: then the call fails. */
export class RunReadings implements Readings {
  readonly taken: Reading[] = [];

  value(kind: string, key: Json | undefined, read: () => Json | undefined): Json | undefined {
    if (!OF_THE_RUN.test(kind)) throw new Error(ON_THE_TAPE);
    const value = read();
    this.taken.push(readingEntry(kind, key, value));
    return value;
  }

  found(): undefined {
    return undefined;
  }

  later(): Promise<never> {
    return Promise.reject(new Error(ON_THE_TAPE));
  }
}

const ON_THE_TAPE = 'only the tape knows the answer';

/** Keys in sorted order, here and in every record: then a line need not say how they stood. */
function readingEntry(kind: string, key: Json | undefined, value: Json | undefined): Reading {
  if (key === undefined) return value === undefined ? { kind } : { kind, value };
  return value === undefined ? { key, kind } : { key, kind, value };
}
