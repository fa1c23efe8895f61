/**
 * Holds an outcome against what a case expects. Each thing that differs is one mismatch, with what was wanted and what came
 * out, so that a report can show them side by side.
 */

import { compileRegex, isJsonObject, type Json, jsonDifferences, sameJson } from '../../base/index.ts';
import { BUILT_IN, type Outcome } from '../../engine/index.ts';
import type { Expectation } from './test-case.ts';

export interface Mismatch {
  /** `action`, `reason`, `payload.args.command`, … */
  readonly what: string;
  readonly wanted: Json;
  readonly got: Json;
}

export function mismatchesOf(expect: Expectation, outcome: Outcome): Mismatch[] {
  const { action, reason, reason_matches: pattern, hook, payload, payload_is: whole, effects } = expect;
  const came = actionOf(outcome);
  const found: Mismatch[] = [];
  const differs = (what: string, wanted: Json, got: Json) => found.push({ what, wanted, got });
  if (action !== undefined && !sameAction(action, came, outcome)) differs('action', action, came);
  if (reason !== undefined && outcome.reason?.includes(reason) !== true)
    differs('reason', reason, outcome.reason);
  const compiled = pattern === undefined ? null : compileRegex(pattern);
  if (compiled?.ok === true && !compiled.test(outcome.reason ?? ''))
    differs('reason', `/${pattern}/`, outcome.reason);
  if (hook !== undefined && hook !== outcome.hook) differs('hook', hook, outcome.hook);
  if (payload !== undefined) found.push(...missing('payload', payload, outcome.payload as Json));
  if (whole !== undefined)
    found.push(...unequal('payload', whole, comparablePayload(outcome.payload as Json, whole)));
  for (const effect of effects ?? []) {
    const held = outcome.effects.some((each) => missing('', effect, each as unknown as Json).length === 0);
    if (!held) differs('effects', effect, outcome.effects as unknown as Json);
  }
  const failures = outcome.trace.flatMap(({ hook: name, failure }) =>
    failure === null ? [] : [`${name}: ${failure.message}`],
  );
  if (expect.fails !== true && failures.length > 0) differs('failure', null, failures.join('; '));
  if (expect.fails === true && failures.length === 0) differs('failure', 'a hook that fails', null);
  return found;
}

/** `unmatched` if no hook that somebody wrote was concerned. */
function actionOf(outcome: Outcome): string {
  const authored = outcome.trace.filter(({ layer }) => layer !== BUILT_IN.name);
  const concerned = authored.some(({ state }) => state === 'ran' || state === 'condition_failed');
  return outcome.action === 'allow' && !concerned ? 'unmatched' : outcome.action;
}

/** That nobody was concerned is an allow too; the other way round it is not. */
function sameAction(wanted: string, got: string, outcome: Outcome): boolean {
  return wanted === got || wanted === outcome.action;
}

/** What of `wanted` is not in `got`: objects may have more keys, everything else must be equal. */
function missing(path: string, wanted: Json, got: Json | undefined): Mismatch[] {
  if (!isJsonObject(wanted) || !isJsonObject(got)) {
    if (sameJson(wanted, got)) return [];
    return [{ what: path, wanted, got: got ?? null }];
  }
  return Object.entries(wanted).flatMap(([key, value]) =>
    missing(path === '' ? key : `${path}.${key}`, value, Object.hasOwn(got, key) ? got[key] : undefined),
  );
}

/** The payload without the text of its arguments, if a case does not write that: the engine makes it of `args`. */
function comparablePayload(payload: Json, whole: Json): Json {
  if (!isJsonObject(payload) || !isJsonObject(whole)) return payload;
  if (!('args' in payload && 'args' in whole) || 'arguments' in whole) return payload;
  const { arguments: _arguments, ...rest } = payload;
  return rest;
}

/** Where two values differ, as deep as both are objects; arguments are told once, not as text too. */
export function unequal(name: string, wanted: Json | undefined, got: Json | undefined): Mismatch[] {
  const found = jsonDifferences(wanted, got);
  const told = found.some(({ path }) => path.startsWith('args'));
  return found
    .filter(({ path }) => !(told && path === 'arguments'))
    .map(({ path, left = null, right = null }) => ({
      what: [name, path].filter((part) => part !== '').join('.'),
      wanted: left,
      got: right,
    }));
}
