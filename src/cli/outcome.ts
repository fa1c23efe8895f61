/**
 * An outcome as others read it: the JSON object of `decide --json`, and the few lines a person wants first.
 */
import type { Json } from '../base/json.ts';
import type { Action, Effect, Outcome, TraceEntry } from '../events/decision.ts';
import { requireEvent } from '../events/describe.ts';
import type { Hook } from '../hooks/hook.ts';
import { BUILT_IN } from '../hooks/layer.ts';
import type { Output, Style } from './output.ts';
import { countOf, indented, onOneLine } from './problems.ts';

/** Where what is said of an outcome begins. */
const MARGIN = ' '.repeat(10);

const STYLES: Record<Action, Style> = {
  allow: 'green',
  permit: 'green',
  modify: 'yellow',
  ask: 'yellow',
  delegate: 'cyan',
  block: 'red',
};

/** The documented keys in their documented order. */
export function outcomeData(outcome: Outcome): Record<string, unknown> {
  const { event, action, reason, hook, payload, effects, trace, request, failure } = outcome;
  return {
    event,
    action,
    reason,
    hook,
    payload,
    effects,
    trace,
    ...(request !== undefined && { request }),
    ...(failure !== undefined && { failure }),
  };
}

/** Whether the host must not go on: what `--exit-code` tells with a 2. */
export function mustStop(outcome: Outcome): boolean {
  return outcome.action === 'block' || outcome.action === 'ask' || outcome.failure !== undefined;
}

export function printOutcome(outcome: Outcome, before: Json, hooks: readonly Hook[], output: Output): void {
  const verdict = output.paint(STYLES[outcome.action], outcome.action);
  const reason = indented(outcome.reason ?? quietReason(outcome), '         ');
  output.line(`${output.paint('bold', verdict)}  ${reason}`);
  if (outcome.hook !== null)
    output.line(
      `  by      ${output.paint('cyan', onOneLine(deciderName(outcome)))}${onOneLine(place(outcome, hooks))}`,
    );
  if (outcome.failure !== undefined) {
    output.line(`  failed  ${indented(`${outcome.failure.hook}: ${outcome.failure.message}`, MARGIN)}`);
  }
  for (const change of outcome.action === 'block' ? [] : rewritten(outcome, before)) {
    if (change.before !== undefined)
      output.line(output.paint('red', `  - ${onOneLine(change.path)}: ${change.before}`));
    if (change.after !== undefined)
      output.line(output.paint('green', `  + ${onOneLine(change.path)}: ${change.after}`));
  }
  for (const effect of outcome.effects) {
    output.line(`  ${effect.kind.padEnd(6)}  ${indented(describeEffect(effect), MARGIN)}`);
  }
  for (const entry of outcome.trace) {
    const remarks = [
      entry.failure === null ? null : `failed (${entry.failure.kind}): ${entry.failure.message}`,
      ignoredVeto(entry),
      ...entry.warnings,
    ];
    // A failure that decided is the reason above already.
    const told = entry.onFailure === 'blocked' || entry.onFailure === 'threw';
    for (const remark of remarks.slice(told ? 1 : 0)) {
      if (remark !== null) {
        output.line(output.paint('yellow', `  note    ${indented(`${entry.hook}: ${remark}`, MARGIN)}`));
      }
    }
  }
}

/** Guards that failed while the operation goes on: said on stderr, whatever is printed and however. */
export function noteFailOpen({ event, trace }: Pick<Outcome, 'event' | 'trace'>, output: Output): void {
  if (requireEvent(event).honours.block !== true) return;
  for (const { hook, failure, onFailure } of trace) {
    if (failure === null || onFailure !== 'allowed') continue;
    const label = output.paintNote('yellow', `warning[${failure.code ?? failure.kind}]`);
    const what = `hook ${JSON.stringify(hook)} has not judged this, and it goes on: ${failure.message}`;
    output.note(`${label}: ${indented(what, '  ')}`);
  }
}

/** What a hook said that did not count, and why it did not. */
export function ignoredVeto(entry: TraceEntry): string | null {
  if (entry.vetoIgnored === undefined) return null;
  return `${entry.decision}${entry.reason === null ? '' : ` (${entry.reason})`} does not count: ${entry.vetoIgnored}`;
}

function quietReason(outcome: Outcome): string {
  const ran = outcome.trace.filter((entry) => entry.state === 'ran').length;
  return `${ran} of ${countOf(outcome.trace.length, 'hook')} ran`;
}

/** With its layer, if that is not simply the project's. */
function deciderName({ hook, decidedBy }: Outcome): string {
  const layer = decidedBy?.layer ?? 'project';
  return ['project', 'code', BUILT_IN.name].includes(layer) ? (hook ?? '') : `${layer}/${hook}`;
}

function place({ hook: name, decidedBy }: Outcome, hooks: readonly Hook[]): string {
  const hook = decidedBy ?? hooks.find((candidate) => candidate.name === name);
  return hook === undefined ? '' : `  (${hook.source}${hook.line === undefined ? '' : `:${hook.line}`})`;
}

export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case 'reminder':
      return `${effect.hook}: ${effect.reminder.body}`;
    case 'context':
    case 'output':
      return `${effect.hook}: ${effect.text}`;
    case 'log':
      return `${effect.hook}: ${effect.level === 'info' ? '' : `${effect.level}: `}${effect.message}`;
    case 'metric':
      return `${effect.hook}: ${effect.name} ${effect.op === 'incr' ? '+' : '= '}${effect.value}`;
    case 'annotate':
      return `${effect.hook}: ${JSON.stringify(effect.facts)}`;
  }
}

interface Change {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** What hooks changed. Keys the engine itself fills in (`arguments` beside `args`) are no change of anybody's. */
function rewritten(outcome: Outcome, before: Json): Change[] {
  const { pair } = requireEvent(outcome.event);
  const filledIn =
    pair === undefined ? [] : [pair.text, pair.data, 'is_error'].map((key) => `payload.${key}`);
  return changes(before, outcome.payload).filter(
    (change) => change.before !== undefined || !filledIn.includes(change.path),
  );
}

/** What differs, by path. Payloads are nested 512 levels at most, so recursion is safe here. */
function changes(before: Json, after: Json, path = 'payload'): Change[] {
  if (isDict(before) && isDict(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
      const inner = `${path}.${key}`;
      if (!Object.hasOwn(before, key)) return [{ path: inner, after: show(after[key]!) }];
      if (!Object.hasOwn(after, key)) return [{ path: inner, before: show(before[key]!) }];
      return changes(before[key]!, after[key]!, inner);
    });
  }
  const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
  return from === to ? [] : [{ path, before: show(before), after: show(after) }];
}

const SHOWN = 200;

function show(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;
}

function isDict(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
