/**
 * A decision as a tape has it: the one place that says which fields it has, in which order and how each is written. What the
 * engine told becomes canonical JSON at once, without a record of it in between; replay makes the same text and compares that.
 */
import { type Canonical, CanonicalWriter, type Json } from '../base/index.ts';
import type { Decision, Effect, Failure, Outcome, TraceEntry } from '../engine/index.ts';
import type { Fired, Reading } from './entry.ts';
import type { HookOrigin } from './hook-names.ts';
import type { PayloadShortener } from './payload-dedup.ts';
import { recordable } from './recordable.ts';

/** How the turn of one hook ended. */
export interface CallEnded {
  readonly entry: TraceEntry;
  readonly decision: Decision | null;
  readonly effects: readonly Effect[];
  readonly readings: readonly Reading[];
  /** Undefined if the tape knows it by the name of the hook. */
  readonly origin: HookOrigin | undefined;
  /** What it was called with, if that is not what the hook before it was called with. */
  readonly payload: Json | undefined;
  /** It judged the call a second time. */
  readonly recheck: boolean;
}

/** A decision as the engine told it. */
export interface DecisionEvent {
  /** Only the number, if a `dispatch` entry has the rest. */
  readonly fired: Fired | Pick<Fired, 'dispatch'>;
  readonly ended: readonly CallEnded[];
  readonly outcome: Outcome;
  /** A hook changed the payload. */
  readonly rewritten: boolean;
}

export function decisionText({ fired, ...told }: DecisionEvent, shortener: PayloadShortener): Canonical {
  const writer = new DecisionWriter();
  writer.objects = 1;
  const given = 'event' in fired ? writer.fired(fired, shortener) : writer.number(fired.dispatch);
  const text = `{"in":${given},"out":${writer.said(told)},"type":"decision"}`;
  return { text, order: writer.order };
}

/** What came of it alone. */
export function outcomeText(told: Omit<DecisionEvent, 'fired'>): string {
  return new DecisionWriter().said(told);
}

/** Every brace it opens is counted, since the order of keys is told by the number of their object. */
export class DecisionWriter extends CanonicalWriter {
  number(dispatch: number): string {
    this.objects++;
    return `{"dispatch":${dispatch}}`;
  }

  fired(given: Fired, shortener: PayloadShortener): string {
    this.objects++;
    const isFirst = shortener.isFirst(given);
    const fired = isFirst ? given : shortener.shorten(given);
    const { after, behind, callId, parent, same, turn } = fired;
    const before =
      (after === undefined ? '' : `"after":${after},`) +
      (behind === undefined ? '' : `"behind":${this.data(behind)},`) +
      (callId === undefined ? '' : `"callId":${this.write(callId, 0)},`);
    const event = `"dispatch":${fired.dispatch},"event":${this.write(fired.event, 0)}`;
    const emitted = parent === undefined ? '' : `,"parent":${parent}`;
    const { objects } = this;
    const lists = this.order.length;
    const payload = this.data(fired.payload);
    if (isFirst) shortener.hold(fired, payload, this.order.slice(lists), objects);
    return (
      `{${before}${event}${emitted},"payload":${payload}${fired.recheck === true ? ',"recheck":true' : ''},"run":${fired.run}` +
      `${same === undefined ? '' : `,"same":${this.data(same)}`}${turn === undefined ? '' : `,"turn":${turn}`}}`
    );
  }

  said({ ended, outcome, rewritten }: Omit<DecisionEvent, 'fired'>): string {
    this.objects++;
    const { action, failure, hook, reason, request } = outcome;
    let text = `{"action":"${action}"`;
    if (failure !== undefined) text += `,"failure":${this.failure(failure, failure.hook)}`;
    if (hook !== null) text += `,"hook":${this.write(hook, 0)}`;
    if (ended.length > 0) {
      let parts = this.part(ended[0]!);
      for (let at = 1; at < ended.length; at++) parts += `,${this.part(ended[at]!)}`;
      text += `,"hooks":[${parts}]`;
    }
    if (rewritten) text += `,"payload":${this.data(outcome.payload)}`;
    if (reason !== null) text += `,"reason":${this.data(reason)}`;
    if (request !== undefined) text += `,"request":${this.data(request)}`;
    return `${text}}`;
  }

  part({ entry, decision, effects, readings, origin, payload, recheck }: CallEnded): string {
    this.objects++;
    const { failure, hook, reason, state, steps, vetoIgnored, warnings } = entry;
    const failed = failure !== null || state !== 'ran';
    const result = entry.decision ?? (failed ? null : 'allow');
    const raw = rawOf(decision);
    if (effects.length === 0 && readings.length === 0 && result === 'allow' && reason === null && !failed) {
      const more = recheck || vetoIgnored !== undefined || warnings.length > 0;
      // Most hooks allow and leave nothing else.
      if (!more && payload === undefined && raw === undefined && origin === undefined)
        return steps > 0 ? `${hookPart(hook)},"steps":${steps}}` : `${hookPart(hook)}}`;
    }
    let text = '{';
    if (effects.length > 0) text += `"effects":[${this.effects(effects, hook)}],`;
    if (failure !== null) text += `"failure":${this.failure(failure)},`;
    text += `"hook":${this.write(hook, 0)}`;
    if (origin?.layer !== undefined) text += `,"layer":${this.write(origin.layer, 0)}`;
    if (payload !== undefined) text += `,"payload":${this.data(payload)}`;
    if (failed) text += `,"policy":"${entry.onFailure ?? 'skipped'}"`;
    if (raw !== undefined) text += `,"raw":${this.data(raw)}`;
    if (readings.length > 0) text += `,"readings":[${this.readings(readings)}]`;
    if (reason !== null) text += `,"reason":${this.data(reason)}`;
    if (recheck) text += ',"recheck":true';
    if (result !== null && (failed || result !== 'allow')) text += `,"result":"${result}"`;
    if (origin !== undefined) text += `,"source":${this.write(origin.source, 0)}`;
    if (state === 'condition_failed' || state === 'unreached') text += `,"state":"${state}"`;
    if (steps > 0) text += `,"steps":${steps}`;
    if (vetoIgnored !== undefined) text += `,"vetoIgnored":${this.write(vetoIgnored, 0)}`;
    if (warnings.length > 0) text += `,"warnings":${this.data(warnings)}`;
    return `${text}}`;
  }

  private effects(effects: readonly Effect[], hook: string): string {
    let text = this.effect(effects[0]!, hook);
    for (let at = 1; at < effects.length; at++) text += `,${this.effect(effects[at]!, hook)}`;
    return text;
  }

  /** Without the name of the hook where it is the one that left it. */
  private effect(effect: Effect, own: string): string {
    if (effect.hook === own) {
      if (effect.kind === 'metric' && Number.isFinite(effect.value)) {
        this.objects++;
        const { name, op, value } = effect;
        return `{"kind":"metric","name":${this.write(name, 0)},"op":"${op}","value":${value}}`;
      }
      if (effect.kind === 'log') {
        this.objects++;
        const { level, message } = effect;
        return `{"kind":"log","level":"${level}","message":${this.data(message)}}`;
      }
    }
    const { hook, ...rest } = effect;
    return this.data(inOrder(hook === own ? rest : { hook, ...rest }));
  }

  private readings(readings: readonly Reading[]): string {
    let text = this.reading(readings[0]!);
    for (let at = 1; at < readings.length; at++) text += `,${this.reading(readings[at]!)}`;
    return text;
  }

  private reading({ error, key, kind, pending, value }: Reading): string {
    this.objects++;
    let text = '{';
    if (error !== undefined) text += `"error":${this.data(error)},`;
    if (key !== undefined) text += `"key":${this.data(key)},`;
    text += `"kind":${this.write(kind, 0)}`;
    if (pending === true) text += ',"pending":true';
    if (value !== undefined) text += `,"value":${this.data(value)}`;
    return `${text}}`;
  }

  private failure({ code, kind, message, position, traceback }: Failure, hook?: string): string {
    return this.data(inOrder({ code, hook, kind, message, position, traceback }));
  }

  /** What comes from outside. Whatever a hook managed to return has a text: what JSON cannot hold becomes a placeholder. */
  private data(value: unknown): string {
    const { objects } = this;
    const lists = this.order.length;
    try {
      return this.write(value, 0);
    } catch (thrown) {
      if (!(thrown instanceof TypeError)) throw thrown;
      this.objects = objects;
      this.order = this.order.slice(0, lists);
      return this.write(recordable(value), 0);
    }
  }
}

/** The part of a hook as it begins if its name comes first; the same few come up in every decision. */
const beginnings = new Map<string, string>();
const MOST_NAMES = 1024;

function hookPart(hook: string): string {
  const known = beginnings.get(hook);
  if (known !== undefined) return known;
  const text = JSON.stringify({ hook }).slice(0, -1);
  if (beginnings.size < MOST_NAMES) beginnings.set(hook, text);
  return text;
}

/** What `result` and `reason` do not say. */
export function rawOf(decision: Decision | null): Json | undefined {
  if (decision?.action === 'modify') return decision.payload;
  return decision?.action === 'delegate' ? decision.request : undefined;
}

/** The keys of a record have no order of their own; those of the data in it do. */
function inOrder(record: object): object {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
