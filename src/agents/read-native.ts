/**
 * Reading fields of a payload that somebody else wrote: a wrong type is a sentence, not an exception.
 */
import { isJsonObject, type JsonObject, kindOf } from '../base/index.ts';
import type { EventRow, Unreadable } from './adapter.ts';

export class NativeReader {
  readonly problems: string[] = [];
  private readonly native: JsonObject;

  constructor(native: JsonObject) {
    this.native = native;
  }

  text(key: string): string {
    const value = this.native[key];
    if (typeof value === 'string') return value;
    this.problems.push(`want ${key} to be a text, got ${kindOf(value)}`);
    return '';
  }

  object(key: string): JsonObject {
    const value = this.native[key];
    if (isJsonObject(value)) return value;
    this.problems.push(`want ${key} to be an object, got ${kindOf(value)}`);
    return {};
  }

  /** Null if it is not there, or is something else. */
  optionalText(key: string): string | null {
    const value = this.native[key];
    return typeof value === 'string' ? value : null;
  }

  flag(key: string): boolean {
    return this.native[key] === true;
  }
}

/** The row of a native event; the name registered and the name in the payload must not contradict each other. */
export function eventRow(
  rows: readonly EventRow[],
  registered: string | null,
  named: string | null,
): EventRow | Unreadable {
  const find = (name: string) => rows.find(({ native }) => native === name) ?? null;
  const row = registered === null ? null : find(registered);
  if (registered !== null && named !== null && registered !== named) {
    return { problem: `registered for ${registered}, got an event ${named}`, row: row ?? find(named) };
  }
  const name = registered ?? named;
  if (name === null) return { problem: 'the payload does not say which event it is', row: null };
  return find(name) ?? { problem: `unknown event ${name.slice(0, 100)}`, row: null };
}

export function isUnreadable(value: object): value is Unreadable {
  return 'problem' in value;
}
