/**
 * Narrow rows about decisions, read from the lines of a tape. A line holds every decision whole, or only its number where a
 * `dispatch` line before it has the event; what is still pending at the end of a batch waits in the tape's row.
 */
import { BoundedMap, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { Fact } from './database.ts';
import { type Plan, planOf, projectJson } from './json-projection.ts';

/** The type of a record is its last key, and only the number of the entry follows. */
const DECISION = Buffer.from('"type":"decision"},"seq":');
const DISPATCH = Buffer.from('"type":"dispatch"},"seq":');

const FIRED = { dispatch: true, event: true, payload: { name: true } } as const;
const DECISION_PLAN = planOf({ at: true, record: { in: FIRED, out: { action: true, hook: true } } });
const DISPATCH_PLAN = planOf({ record: FIRED });
/** Only a decision that names its hook has a layer; `hooks` is the longest part of most lines. */
const HOOKS_PLAN = planOf({ record: { out: { hooks: [{ hook: true, layer: true }] } } });

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
    if (endsWith(line, DISPATCH, seq)) {
      const { record } = readMembers(line, DISPATCH_PLAN);
      this.steps.push({ kind: 'dispatch', ...firedOf(record) });
      return;
    }
    if (!endsWith(line, DECISION, seq)) return;
    this.decisions++;
    const { record, at } = readMembers(line, DECISION_PLAN);
    const out = isJsonObject(record?.out) ? record.out : {};
    const { key, event, tool } = firedOf(record?.in);
    const fact: Fact = {
      seq,
      at: typeof at === 'number' && Number.isSafeInteger(Math.round(at)) ? Math.round(at) : null,
      event,
      action: textOf(out.action) ?? 'unknown',
      hook: textOf(out.hook),
      layer: typeof out.hook === 'string' ? layerOf(line, out.hook) : null,
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

function endsWith(line: Buffer, mark: Buffer, seq: number): boolean {
  const at = line.length - 1 - String(seq).length - mark.length;
  for (let i = 0; i < mark.length; i++) if (line[at + i] !== mark[i]) return false;
  return true;
}

interface Members {
  readonly record: JsonObject | null;
  readonly at: Json | undefined;
}

/** What is no JSON is still a line of the chain: its fact may be empty. */
function readMembers(line: Buffer, plan: Plan): Members {
  const entry = projectJson(line, plan);
  if (!isJsonObject(entry)) return { record: null, at: undefined };
  return { record: isJsonObject(entry.record) ? entry.record : null, at: entry.at };
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

function layerOf(line: Buffer, name: string): string | null {
  const { record } = readMembers(line, HOOKS_PLAN);
  const parts = isJsonObject(record?.out) && Array.isArray(record.out.hooks) ? record.out.hooks : [];
  const part = parts.find((each) => isJsonObject(each) && each.hook === name);
  return isJsonObject(part) ? textOf(part.layer) : null;
}

/** As a text column takes it: no NUL, no half of a surrogate pair, bounded. */
function textOf(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null;
  if (value.length <= LONGEST_TEXT && PLAIN.test(value)) return value;
  return Buffer.from(value.slice(0, LONGEST_TEXT)).toString('utf8').replaceAll('\0', '\ufffd');
}
