/**
 * What the chain said, as data: one model of an outcome, made now or read from a tape, from which `decide`, its explanation, the
 * timeline, the tape commands and the page all render. It chooses what there is to say; how that is worded is theirs.
 */

import { type Json, jsonDifferences } from '../base/index.ts';
import type { Action, DecidingHook, DecisionSite, Effect, Failure, Outcome, TraceEntry } from './decision.ts';
import { requireEvent } from './describe.ts';
import { BUILT_IN } from './layer.ts';

/** As much of an outcome as there is to tell of. A tape has no more. */
export type DescribedOutcome = Pick<Outcome, 'event' | 'action' | 'reason' | 'hook' | 'trace'> &
  Partial<Pick<Outcome, 'effects' | 'failure'>> & {
    readonly decidedBy?: Pick<DecidingHook, 'source' | 'line' | 'site'>;
  };

export interface Description {
  readonly event: string;
  readonly action: Action;
  /** What became of the operation, in the words of the event. */
  readonly word: string;
  readonly reason: string | null;
  /** Who decided; null if nobody did. */
  readonly hook: string | null;
  /** Its file, with the line where that is known. */
  readonly place: string | null;
  /** Authored hooks that were asked, in order. The built-in ones stand at the end of every chain: that they were asked says nothing. */
  readonly asked: readonly string[];
  /** Authored hooks that did not run because one before them blocked. */
  readonly unreached: readonly string[];
  readonly remarks: readonly Remark[];
  readonly chain: readonly TraceEntry[];
  /** Nobody decided, failed, was ignored or left anything for the model. */
  readonly plain: boolean;
}

/** What is to be said of one hook beyond its word. */
export type Remark = { readonly hook: string; readonly entry: TraceEntry } & (
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'condition' }
  /** What it wanted did not count, and why. */
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'warned'; readonly warning: string }
);

const ACTION_WORDS: Readonly<Record<Action, string>> = {
  allow: 'allowed',
  permit: 'permitted',
  modify: 'rewritten',
  ask: 'held back for approval',
  delegate: 'handed over',
  block: 'blocked',
};

/** Where another word than "blocked" says better what a block does. */
const BLOCK_WORDS: Readonly<Record<string, string>> = {
  'agent.stop': 'sent back',
  'tool.post': 'result hidden',
  'completion.post': 'answer thrown away',
};

export function describeOutcome(outcome: DescribedOutcome): Description {
  const { event, action, reason, hook, trace, decidedBy } = outcome;
  const authored = trace.filter((entry) => entry.layer !== BUILT_IN.name);
  const named = (state: TraceEntry['state']) =>
    authored.filter((entry) => entry.state === state).map((entry) => entry.hook);
  return {
    event,
    action,
    word: action === 'block' ? (BLOCK_WORDS[event] ?? ACTION_WORDS.block) : ACTION_WORDS[action],
    reason,
    hook,
    place: hook === null ? null : placeOf(decidedBy ?? trace.find((entry) => entry.hook === hook)),
    asked: named('ran'),
    unreached: named('unreached'),
    remarks: trace.flatMap(remarksOn),
    chain: trace,
    plain: isPlainAllow(outcome),
  };
}

type Placed = { readonly source: string; readonly line?: number; readonly site?: DecisionSite };

function placeOf(hook: Placed | undefined): string | null {
  if (hook === undefined) return null;
  if (hook.site !== undefined) return `${hook.site.file}:${hook.site.line}`;
  return hook.line === undefined ? hook.source : `${hook.source}:${hook.line}`;
}

export function remarksOn(entry: TraceEntry): Remark[] {
  const { hook, failure, state, vetoIgnored, warnings } = entry;
  return [
    ...(failure === null ? [] : [{ kind: 'failed' as const, hook, entry, failure }]),
    ...(state === 'condition_failed' ? [{ kind: 'condition' as const, hook, entry }] : []),
    ...(vetoIgnored === undefined ? [] : [{ kind: 'ignored' as const, hook, entry, why: vetoIgnored }]),
    ...warnings.map((warning) => ({ kind: 'warned' as const, hook, entry, warning })),
  ];
}

const FOR_THE_MODEL: ReadonlySet<Effect['kind']> = new Set(['reminder', 'context', 'output']);

export function isPlainAllow({ action, failure, trace, effects = [] }: DescribedOutcome): boolean {
  return (
    action === 'allow' &&
    failure === undefined &&
    trace.every(
      (entry) => (entry.decision === null || entry.decision === 'allow') && remarksOn(entry).length === 0,
    ) &&
    !effects.some((effect) => FOR_THE_MODEL.has(effect.kind))
  );
}

/** One place where a payload is not what it was. What is absent was not there. */
export interface Change {
  /** The keys down to it, joined by dots; empty for the whole. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** What hooks changed of a payload. Keys the engine itself fills in (`arguments` beside `args`) are no change of anybody's. */
export function rewritten(event: string, before: Json, after: Json): Change[] {
  const { pair } = requireEvent(event);
  const filledIn = pair === undefined ? [] : [pair.text, pair.data, 'is_error', 'sandbox'];
  return changes(before, after).filter(
    (change) => change.before !== undefined || !filledIn.includes(change.path),
  );
}

/** What differs, by path; a list as a whole. */
export function changes(before: Json, after: Json): Change[] {
  return jsonDifferences(before, after).map(({ path, left, right }) => ({
    path,
    ...(left !== undefined && { before: left }),
    ...(right !== undefined && { after: right }),
  }));
}

/** In words, after the name of its hook. */
export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case 'reminder':
      return effect.reminder.body;
    case 'context':
    case 'output':
      return effect.text;
    case 'log':
      return `${effect.level === 'info' ? '' : `${effect.level}: `}${effect.message}`;
    case 'metric':
      return `${effect.name} ${effect.op === 'incr' ? '+' : '= '}${effect.value}`;
    case 'annotate':
      return JSON.stringify(effect.facts);
  }
}

/** The rule that a pack noted beside its word; null of any other effect. */
export function notedRule(effect: Effect): string | null {
  const rule = effect.kind === 'annotate' && effect.hook.startsWith('pack:') ? effect.facts.rule : null;
  return typeof rule === 'string' ? rule : null;
}

/** What a hook said that did not count, and why it did not. */
export function ignoredText({ decision, reason }: TraceEntry, why: string): string {
  return `${decision}${reason === null ? '' : ` (${reason})`} does not count: ${why}`;
}
