/**
 * Narrow rows about decisions, read from the lines of a tape. A line holds every decision whole, or only its number where a
 * `dispatch` line before it has the event; what is still pending at the end of a batch waits in the tape's row.
 */
import { BoundedMap, isJsonObject, type Json } from '../base/index.ts';
import type { Fact } from './database.ts';

const DECISION = Buffer.from('"type":"decision"},"seq":');
const DISPATCH = Buffer.from('"type":"dispatch"},"seq":');
/** The type of a record and the number of an entry are the last keys of a line. */
const TAIL = 64;

/** Dispatches that no decision followed; those of killed processes stay, so the oldest are forgotten. */
const MOST_PENDING = 200;
const LONGEST_TEXT = 300;
const PLAIN = /^[\x20-\x7e]*$/;

/** Event and tool of a dispatch. */
export type Pending = Readonly<Record<string, readonly [event: string | null, tool: string | null]>>;

type Step =
  | {
      readonly kind: 'dispatch';
      readonly key: string;
      readonly event: string | null;
      readonly tool: string | null;
    }
  | { readonly kind: 'decision'; readonly key: string; readonly whole: boolean; readonly fact: Fact };

export class FactReader {
  private readonly steps: Step[] = [];

  /** How many decisions were read: one fact each. */
  decisions = 0;

  add(line: Buffer, seq: number): void {
    const tail = line.subarray(-TAIL);
    const decision = tail.includes(DECISION);
    if (!decision && !tail.includes(DISPATCH)) return;
    if (decision) this.decisions++;
    const { record, at } = parsed(line);
    const time = typeof at === 'number' && Number.isSafeInteger(Math.round(at)) ? Math.round(at) : null;
    if (!decision) {
      this.steps.push({ kind: 'dispatch', ...firedOf(record) });
      return;
    }
    const out = isJsonObject(record?.out) ? record.out : {};
    const { key, event, tool } = firedOf(record?.in);
    const hook = textOf(out.hook);
    const fact: Fact = {
      seq,
      at: time,
      event,
      action: textOf(out.action) ?? 'unknown',
      hook,
      layer: layerOf(out.hooks, out.hook),
      tool,
    };
    const whole = isJsonObject(record?.in) && record.in.event !== undefined;
    this.steps.push({ kind: 'decision', key, whole, fact });
  }

  /** The rows, and what is pending after them. */
  finish(before: Pending): { readonly facts: readonly Fact[]; readonly pending: Pending } {
    const pending = new BoundedMap<string, Pending[string]>(MOST_PENDING);
    for (const [key, call] of Object.entries(before)) pending.set(key, call);
    const facts: Fact[] = [];
    for (const step of this.steps) {
      if (step.kind === 'dispatch') {
        pending.set(step.key, [step.event, step.tool]);
        continue;
      }
      const [event, tool] = pending.get(step.key) ?? [null, null];
      facts.push(step.whole ? step.fact : { ...step.fact, event, tool });
      pending.delete(step.key);
    }
    return { facts, pending: Object.fromEntries(pending) };
  }
}

interface Parsed {
  readonly record: { readonly [key: string]: Json } | null;
  readonly at: Json;
}

/** What is no JSON is still a line of the chain: its fact is empty. */
function parsed(line: Buffer): Parsed {
  try {
    const entry = JSON.parse(line.toString('utf8')) as Json;
    if (isJsonObject(entry))
      return { record: isJsonObject(entry.record) ? entry.record : null, at: entry.at ?? null };
  } catch {
    // Falls through.
  }
  return { record: null, at: null };
}

function firedOf(fired: Json | undefined | null): {
  readonly key: string;
  readonly event: string | null;
  readonly tool: string | null;
} {
  if (!isJsonObject(fired)) return { key: '', event: null, tool: null };
  const payload = isJsonObject(fired.payload) ? fired.payload : {};
  return { key: String(fired.dispatch), event: textOf(fired.event), tool: textOf(payload.name) };
}

function layerOf(hooks: Json | undefined, name: Json | undefined): string | null {
  const parts = Array.isArray(hooks) ? hooks : [];
  const part = parts.find((each) => isJsonObject(each) && each.hook === name);
  return isJsonObject(part) ? textOf(part.layer) : null;
}

/** As a text column takes it: no NUL, no half of a surrogate pair, bounded. */
function textOf(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null;
  if (value.length <= LONGEST_TEXT && PLAIN.test(value)) return value;
  return Buffer.from(value.slice(0, LONGEST_TEXT)).toString('utf8').replaceAll('\0', '\ufffd');
}
