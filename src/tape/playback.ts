/**
 * The readings of one call, given back in the order they were taken. A hook that asks for something else than it asked then
 * is no longer the hook that was recorded: it gets an error, and the replay a difference.
 */
import { canonicalJson, isJsonObject, type Json, sameJson } from '../base/index.ts';
import type { Reading } from './entry.ts';
import type { Readings } from './readings.ts';

/** The call that reads. */
export interface ReadingCall {
  /** Replay has left the tape: it has no more answers. */
  readonly hasDeparted: boolean;
  /** It reads something else than it read then. */
  departWith(what: string): void;
}

export class Playback implements Readings {
  readonly taken: Reading[] = [];
  private readonly recorded: readonly Reading[];
  private readonly call: ReadingCall;

  constructor(recorded: readonly Reading[], call: ReadingCall) {
    this.recorded = recorded;
    this.call = call;
  }

  value(kind: string, key: Json | undefined): Json | undefined {
    const { error, value } = this.take(kind, key);
    if (error !== undefined) throw new Error(error);
    return isHiddenText(kind, value) ? HIDDEN : value;
  }

  found(kind: string, _read: unknown, concerned: () => boolean, key?: Json): Json | undefined {
    if (!concerned()) return undefined;
    if (this.call.hasDeparted) throw new Error('the replay has left the tape');
    const next = this.recorded[this.taken.length];
    if (next?.kind !== kind || !sameJson(next.key, key)) return undefined;
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
    if (this.call.hasDeparted) throw new Error('the replay has left the tape');
    const next = this.recorded[this.taken.length];
    if (next === undefined || next.kind !== kind || !sameJson(next.key, key)) {
      const asked = `${describe(kind, key)}; recorded: ${next === undefined ? 'nothing' : describe(next.kind, next.key)}`;
      this.call.departWith(`asks for ${asked}`);
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

function describe(kind: string, key: Json | undefined): string {
  return key === undefined
    ? kind
    : `${kind} ${typeof key === 'string' ? JSON.stringify(key) : canonicalJson(key)}`;
}
