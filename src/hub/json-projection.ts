/**
 * A few members of a canonical JSON text, without building the rest: for narrow rows about long lines. Keys stand in order in canonical
 * JSON, so reading ends where nothing wanted can follow. Other text gives what stands in the wanted places, or nothing; no text makes
 * it throw or recurse.
 */
import type { Json } from '../base/index.ts';

/** `true`: the whole value. A list: the same projection of each element. Keys are small letters: they stand after every escape. */
export type Projection = true | { readonly [key: string]: Projection } | readonly [Projection];

/** A projection with its keys as bytes, in the order in which they stand. */
export type Plan =
  | { readonly kind: 'whole' }
  | { readonly kind: 'elements'; readonly each: Plan }
  | { readonly kind: 'members'; readonly members: readonly Member[] };

interface Member {
  readonly key: string;
  readonly bytes: Buffer;
  readonly plan: Plan;
}

export function planOf(wanted: Projection): Plan {
  if (wanted === true) return { kind: 'whole' };
  if (Array.isArray(wanted)) return { kind: 'elements', each: planOf(wanted[0] as Projection) };
  const members = Object.entries(wanted).map(([key, part]) => ({
    ...{ key, bytes: Buffer.from(`"${key}":`), plan: planOf(part as Projection) },
  }));
  return { kind: 'members', members: members.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

/** Undefined if there is no value of the wanted kind. */
export function projectJson(bytes: Buffer, plan: Plan): Json | undefined {
  return new Walk(bytes).read(plan, true);
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];
const NOT_ASCII = 0x80;
const LONGEST_NUMBER = 15;

class Walk {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** `last`: nothing after this value is wanted. */
  read(plan: Plan, last: boolean): Json | undefined {
    const unit = this.bytes[this.at];
    if (plan.kind === 'whole') return this.whole();
    if (plan.kind === 'members' && unit === OPEN) return this.members(plan.members, last);
    if (plan.kind === 'elements' && unit === OPEN_LIST) return this.elements(plan.each);
    this.skipValue();
    return undefined;
  }

  private members(wanted: readonly Member[], last: boolean): Json {
    const { bytes } = this;
    const found: Record<string, Json> = {};
    let next = 0;
    this.at++;
    while (bytes[this.at] === QUOTE) {
      while (next < wanted.length && this.compareKey(wanted[next]!.bytes) > 0) next++;
      if (next === wanted.length && last) return found;
      const member = wanted[next];
      if (member !== undefined && this.compareKey(member.bytes) === 0) {
        next++;
        this.at += member.bytes.length;
        const value = this.read(member.plan, last && next === wanted.length);
        if (value !== undefined) found[member.key] = value;
      } else {
        this.skipString();
        this.at++;
        this.skipValue();
      }
      if (bytes[this.at] === COMMA) this.at++;
    }
    this.at++;
    return found;
  }

  private elements(each: Plan): Json {
    const { bytes } = this;
    const found: Json[] = [];
    this.at++;
    while (this.at < bytes.length && bytes[this.at] !== CLOSE_LIST) {
      const before = this.at;
      found.push(this.read(each, false) ?? null);
      if (bytes[this.at] === COMMA) this.at++;
      if (this.at === before) break;
    }
    this.at++;
    return found;
  }

  private whole(): Json | undefined {
    const { bytes, at: begin } = this;
    if (bytes[begin] === QUOTE && this.skipString()) return bytes.toString('latin1', begin + 1, this.at - 1);
    this.at = begin;
    this.skipValue();
    const number = digitsIn(bytes, begin, this.at);
    if (number !== -1) return number;
    try {
      return JSON.parse(bytes.toString('utf8', begin, this.at)) as Json;
    } catch {
      return undefined;
    }
  }

  /** Of the key here to a wanted one: above 0 if the wanted one would stand before it. */
  private compareKey(wanted: Buffer): number {
    const { bytes, at } = this;
    for (let i = 1; i < wanted.length; i++) {
      const difference = bytes[at + i]! - wanted[i]!;
      if (difference === 0) continue;
      // Of two keys that begin alike the shorter one stands first.
      if (bytes[at + i] === QUOTE) return -1;
      return wanted[i] === QUOTE ? 1 : difference;
    }
    return 0;
  }

  /** Whether the string is its own text: ASCII with nothing escaped. */
  private skipString(): boolean {
    const { bytes } = this;
    const { length } = bytes;
    let seen = 0;
    let at = this.at + 1;
    for (; at < length; at++) {
      const unit = bytes[at]!;
      if (unit === QUOTE) break;
      seen |= unit;
      if (unit === BACKSLASH) {
        seen = NOT_ASCII;
        at++;
      }
    }
    this.at = at + 1;
    return seen < NOT_ASCII;
  }

  /** To the comma or bracket after the value. */
  private skipValue(): void {
    const { bytes } = this;
    const { length } = bytes;
    for (let depth = 0; this.at < length; ) {
      const unit = bytes[this.at]!;
      if (unit === QUOTE) {
        this.skipString();
        continue;
      }
      if (depth === 0 && (unit === COMMA || unit === CLOSE || unit === CLOSE_LIST)) return;
      if (unit === OPEN || unit === OPEN_LIST) depth++;
      else if (unit === CLOSE || unit === CLOSE_LIST) depth--;
      this.at++;
    }
  }
}

/** A whole number that JavaScript holds exactly; -1 if it is something else. */
function digitsIn(bytes: Buffer, begin: number, end: number): number {
  if (begin === end || end - begin > LONGEST_NUMBER) return -1;
  let value = 0;
  for (let at = begin; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
