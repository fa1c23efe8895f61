/**
 * JSON parts of which are made when somebody reads them: a text that waits to be written, an object with keys that are made from
 * its others. A chain passes such data between hooks; `settle` (hooks/payload.ts) is the way back to plain JSON.
 */
import type { Json } from './json.ts';

/** JSON in which a text may wait to be written. All JSON is such data. */
export type LazyJson = Json | LazyText | readonly LazyJson[] | LazyObject;
export interface LazyObject {
  readonly [key: string]: LazyJson;
}

/** A string that is computed when it is first read, by a script or by `JSON.stringify`. */
export class LazyText {
  private compute: (() => string) | null;
  private known = '';

  constructor(compute: () => string) {
    this.compute = compute;
  }

  get text(): string {
    if (this.compute !== null) {
      this.known = this.compute();
      this.compute = null;
    }
    return this.known;
  }

  toJSON(): string {
    return this.text;
  }
}

/**
 * The object with the keys that `base` does not have, and those of `base` as they are. What it needs beside the base is `from`:
 * a function for all such objects costs less than a closure for each.
 */
type Completion<F = unknown> = (base: LazyObject, from: F) => LazyObject;

/**
 * An object and more keys, which are made from it. Nothing is copied until somebody wants one of those, or all keys: most
 * scripts read two others.
 */
export class ExtendedObject {
  readonly base: LazyObject;
  private readonly complete: Completion;
  private readonly from: unknown;
  private known: LazyObject | null = null;

  constructor(base: LazyObject, complete: Completion<never>, from: unknown = null) {
    this.base = base;
    this.complete = complete as Completion;
    this.from = from;
  }

  get whole(): LazyObject {
    return (this.known ??= this.complete(this.base, this.from));
  }

  toJSON(): LazyObject {
    return this.whole;
  }
}

/**
 * A copy that is about to gain a key, for which V8 takes five times as long after a spread; the spread stays for the one key
 * that a loop cannot copy safely.
 */
export function copied(object: LazyObject): Record<string, LazyJson> {
  const copy: Record<string, LazyJson> = {};
  const keys = Object.keys(object);
  for (let at = 0; at < keys.length; at++) {
    const name = keys[at]!;
    if (name === '__proto__') return { ...object };
    copy[name] = object[name]!;
  }
  return copy;
}

/** A copy with one key set. */
export function extended(object: LazyObject, key: string, value: LazyJson): LazyObject {
  const copy = copied(object);
  copy[key] = value;
  return copy;
}
