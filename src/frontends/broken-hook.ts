/**
 * What stands in for a hook that could not be loaded: a hook that fails whenever it is called, so that no guard is silently
 * off.
 */
import { formatPosition } from '../base/index.ts';
import { CATALOG, type FrontEnd, type Hook, isGate, NATIVE_GATES } from '../engine/index.ts';
import type { BrokenHook } from './project-reader.ts';

const GATES: readonly string[] = [...Object.keys(CATALOG).filter(isGate), ...NATIVE_GATES];

/** The hooks that stand in for one that could not be loaded: on its event, or on every gate where that is unknown. */
export function brokenHook(broken: BrokenHook): Hook[] {
  const events = broken.event === null ? GATES : [broken.event];
  const frontEnd = standInFrontEnd(broken);
  return events.map((event) => ({
    name: broken.name,
    event,
    priority: broken.priority,
    source: broken.source,
    position: broken.position,
    line: broken.problem.position?.line ?? 1,
    description: `Could not be loaded: ${broken.problem.message}`,
    standIn: true,
    frontEnd,
    origin: 'project',
    mode: broken.mode,
    onError: 'block',
    onWhenError: 'block',
    timeoutMs: 1000,
    condition: null,
    body: () => {
      throw broken.problem;
    },
  }));
}

/** It has one thing to say, and says it as a failure. */
function standInFrontEnd({ frontEnd, source, problem }: BrokenHook): FrontEnd {
  const where = problem.position === null ? source : formatPosition(problem.position);
  const failure = {
    kind: 'error',
    code: 'HOOK_NOT_LOADED',
    message: `not loaded: ${where}: ${problem.message}`,
    ...(problem.position !== null && { position: problem.position }),
  } as const;
  return {
    name: frontEnd,
    powers: { modify: false },
    view: (_event, payload) => payload,
    interpret: () => ({ failure }),
    explain: () => failure,
  };
}
