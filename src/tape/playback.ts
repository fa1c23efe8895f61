/**
 * The readings of one call, given back in the order they were taken. A hook that asks for something else than it asked then
 * is no longer the hook that was recorded: it gets an error, and the replay a difference.
 */
import { canonicalJson } from '../base/canonical-json.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { Reading } from './entry.ts';
import type { Readings } from './readings.ts';

export class Playback implements Readings {
  readonly taken: Reading[] = [];
  private readonly load: () => readonly Reading[];
  private readonly isOver: () => boolean;
  private readonly onOther: (asked: string) => void;
  private recorded: readonly Reading[] | null = null;

  /** `load` is asked for the readings when the first one is needed: most calls read nothing. */
  constructor(load: () => readonly Reading[], isOver: () => boolean, onOther: (asked: string) => void) {
    this.load = load;
    this.isOver = isOver;
    this.onOther = onOther;
  }

  value(kind: string, key: Json | undefined): Json | undefined {
    const { error, value } = this.take(kind, key);
    if (error !== undefined) throw new Error(error);
    return isHiddenText(kind, value) ? HIDDEN : value;
  }

  found(kind: string, _read: unknown, concerned: () => boolean): Json | undefined {
    if (!concerned()) return undefined;
    if (this.isOver()) throw new Error('the replay has left the tape');
    this.recorded ??= this.load();
    const next = this.recorded[this.taken.length];
    if (next?.kind !== kind) return undefined;
    this.taken.push(next);
    return next.value;
  }

  async later(kind: string, key: Json): Promise<Json | undefined> {
    const reading = this.take(kind, key);
    // Its call was over before the answer came, and is over before it comes now.
    if (reading.pending === true) return new Promise(() => {});
    if (reading.error !== undefined) throw new Error(reading.error);
    return reading.value;
  }

  private take(kind: string, key: Json | undefined): Reading {
    if (this.isOver()) throw new Error('the replay has left the tape');
    this.recorded ??= this.load();
    const next = this.recorded[this.taken.length];
    if (next === undefined || next.kind !== kind || !sameKey(next.key, key)) {
      const asked = `${describe(kind, key)}; recorded: ${next === undefined ? 'nothing' : describe(next.kind, next.key)}`;
      this.onOther(asked);
      throw new Error(`not on the tape: ${asked}`);
    }
    this.taken.push(next);
    return next;
  }
}

/** Variables are read to be kept out of records: any text that is nowhere else does as well as the secret. */
const HIDDEN = '\u0000hidden\u0000';

function isHiddenText(kind: string, value: Json | undefined): boolean {
  return kind === 'env' && isJsonObject(value) && typeof value.$redacted === 'string';
}

function sameKey(recorded: Json | undefined, asked: Json | undefined): boolean {
  if (recorded === asked) return true;
  if (typeof recorded !== 'object' || typeof asked !== 'object') return false;
  return canonicalJson(recorded) === canonicalJson(asked);
}

function describe(kind: string, key: Json | undefined): string {
  return key === undefined
    ? kind
    : `${kind} ${typeof key === 'string' ? JSON.stringify(key) : canonicalJson(key)}`;
}
