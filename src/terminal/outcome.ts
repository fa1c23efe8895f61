/**
 * An outcome as others read it: the JSON object of `decide --json`, and the few lines a person wants first.
 */
import type { Json } from '../base/index.ts';
import {
  type Action,
  BUILT_IN,
  describeOutcome,
  effectText,
  ignoredText,
  notedRule,
  type Outcome,
  type Remark,
  requireEvent,
  rewritten,
} from '../engine/index.ts';
import type { Output, Style } from './output.ts';
import { countOf, indented, onOneLine } from './problems.ts';

/** Where what is said of an outcome begins. */
const MARGIN = ' '.repeat(10);

/** Of what a chain or a hook said, wherever it is printed. */
export const ACTION_STYLES: Readonly<Record<Action, Style>> = {
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

export function printOutcome(outcome: Outcome, before: Json, output: Output): void {
  const { action, reason, hook, place, remarks } = describeOutcome(outcome);
  const verdict = output.paint(ACTION_STYLES[action], action);
  output.line(`${output.paint('bold', verdict)}  ${indented(reason ?? quietReason(outcome), '         ')}`);
  if (hook !== null) {
    const where = place === null ? '' : `  (${place})`;
    output.line(`  by      ${output.paint('cyan', onOneLine(deciderName(outcome)))}${onOneLine(where)}`);
  }
  if (outcome.failure !== undefined) {
    output.line(`  failed  ${indented(`${outcome.failure.hook}: ${outcome.failure.message}`, MARGIN)}`);
  }
  for (const change of action === 'block' ? [] : rewritten(outcome.event, before, outcome.payload)) {
    const path = onOneLine(['payload', change.path].filter((part) => part !== '').join('.'));
    if (change.before !== undefined) output.line(output.paint('red', `  - ${path}: ${show(change.before)}`));
    if (change.after !== undefined) output.line(output.paint('green', `  + ${path}: ${show(change.after)}`));
  }
  for (const effect of outcome.effects) {
    // The reason names it.
    if (notedRule(effect) !== null) continue;
    output.line(`  ${effect.kind.padEnd(6)}  ${indented(`${effect.hook}: ${effectText(effect)}`, MARGIN)}`);
  }
  for (const remark of remarks) {
    const text = remarkText(remark);
    if (text !== null)
      output.line(output.paint('yellow', `  note    ${indented(`${remark.hook}: ${text}`, MARGIN)}`));
  }
}

function remarkText(remark: Remark): string | null {
  switch (remark.kind) {
    case 'failed': {
      // A failure that decided is the reason above already.
      const { onFailure } = remark.entry;
      if (onFailure === 'blocked' || onFailure === 'threw') return null;
      return `failed (${remark.failure.kind}): ${remark.failure.message}`;
    }
    case 'ignored':
      return ignoredText(remark.entry, remark.why);
    case 'warned':
      return remark.warning;
    case 'condition':
      return null;
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

function quietReason(outcome: Outcome): string {
  const ran = outcome.trace.filter((entry) => entry.state === 'ran').length;
  return `${ran} of ${countOf(outcome.trace.length, 'hook')} ran`;
}

/** With its layer, if that is not simply the project's. */
function deciderName({ hook, decidedBy }: Outcome): string {
  const layer = decidedBy?.layer ?? 'project';
  return ['project', 'code', BUILT_IN.name].includes(layer) ? (hook ?? '') : `${layer}/${hook}`;
}

const MOST_SHOWN = 200;

function show(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}… (${text.length} characters)` : text;
}
