/**
 * Strict: on every event that can be blocked, whatever is not a clean answer blocks. It replaces defaults, not words: an
 * explicit `on_error: allow` holds, unless a higher layer is strict. Without it, this says which guards may be off and why.
 */
import type { Problem } from '../base/index.ts';
import { type Hook, layerOf, requireEvent } from '../engine/index.ts';

export interface Strictness {
  readonly hooks: readonly Hook[];
  readonly problems: readonly Problem[];
}

/** `rank` is that of the highest strict layer; null: none is. */
export function applyStrict(hooks: readonly Hook[], rank: number | null): Strictness {
  if (rank === null) return { hooks, problems: hooks.flatMap(warnIfOff) };
  const problems: Problem[] = [];
  const strict = hooks.map((hook) => {
    if (requireEvent(hook.event).honours.block !== true || hook.watches === true) return hook;
    const below = layerOf(hook).rank > rank;
    const allows =
      hook.explicit?.onError === true && (hook.onError === 'allow' || hook.failureMode !== undefined);
    const skips = hook.explicit?.onWhenError === true && hook.onWhenError === 'skip';
    const { failureMode, ...rest } = hook;
    const held: Hook = {
      ...rest,
      ...(failureMode !== undefined && !below && { failureMode }),
      strict: true,
      onError: hook.onError === 'allow' && (!allows || below) ? 'block' : hook.onError,
      onWhenError: skips && !below ? 'skip' : 'block',
    };
    const word = failureMode === undefined ? 'allow' : failureMode.text;
    const refused = [...(allows ? [`on_error: ${word}`] : []), ...(skips ? ['on_when_error: skip'] : [])];
    problems.push(
      ...(below ? refused.map((word) => problemOf(hook, 'GUARD_LOOSENED', loosened(word))) : warnIfOff(held)),
    );
    return held;
  });
  return { hooks: strict, problems };
}

/** A hook that allows everything guards nothing, whatever its name says; one that answers no decision would block everything. */
export function errorIfStrict(problem: Problem): Problem {
  const held = problem.code === 'HOOK_WITHOUT_SCRIPT' || problem.code === 'RETURN_TYPE';
  return held ? { ...problem, severity: 'error' } : problem;
}

function loosened(word: string): string {
  return `${word} is not followed: a higher layer is strict`;
}

/** Why the operation may go on although the hook has not judged it, or null. Advisory hooks guard nothing. */
export function mayBeOff(hook: Hook): string | null {
  const { honours, authority } = requireEvent(hook.event);
  if (honours.block !== true || authority === 'advisory' || hook.standIn === true) return null;
  if (hook.mode !== 'enforce' || hook.body === null || hook.watches === true) return null;
  if (authority === 'gate' && hook.failureMode !== undefined)
    return `if it fails or times out, the operation may go on: on_error is ${hook.failureMode.text}`;
  if (authority === 'gate' && hook.onError === 'allow')
    return 'if it fails or times out, the operation goes on';
  if (hook.onWhenError === 'skip' && hook.condition !== null && canRaise(hook))
    return 'if its condition raises, it does not look';
  return null;
}

function canRaise({ condition, event }: Hook): boolean {
  return condition?.mayRaise?.(requireEvent(event)) !== false;
}

function warnIfOff(hook: Hook): Problem[] {
  const why = mayBeOff(hook);
  if (why === null) return [];
  return [problemOf(hook, 'GUARD_MAY_BE_OFF', `the guard may be off: ${why}`)];
}

function problemOf(hook: Hook, code: Problem['code'], what: string): Problem {
  return {
    severity: 'warning',
    code,
    message: `hook ${JSON.stringify(hook.name)}: ${what}`,
    position: hook.line === undefined ? null : { file: hook.source, line: hook.line, col: 1 },
    layer: layerOf(hook).name,
  };
}
