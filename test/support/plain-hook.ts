/**
 * Hooks made of plain functions for tests of the pipeline: a front end that shows the payload as it is and takes a decision
 * object as the answer, nothing as allow, and anything else as an invalid return.
 */

import type { Decision, Outcome } from '../../src/engine/decision.ts';
import { Engine, type EngineOptions } from '../../src/engine/engine.ts';
import type { FrontEnd, Hook, HookCall, IndexableTest, MaybePromise, Reply } from '../../src/engine/hook.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';

const ACTIONS = new Set(['allow', 'block', 'modify', 'ask', 'delegate', 'permit']);
const ALLOW: Reply = { decision: { action: 'allow' } };

export const plainFrontEnd: FrontEnd = {
  name: 'plain',
  powers: { modify: true },
  view: (_event, payload) => payload,
  interpret: (returned) => {
    if (returned === undefined || returned === null) return ALLOW;
    const decision = returned as Decision;
    if (ACTIONS.has(decision.action)) return { decision };
    return { failure: { kind: 'invalid_return', code: 'HOOK_INVALID_RETURN', message: 'not a decision' } };
  },
  explain: (thrown) => ({ kind: 'error', code: 'HOOK_THREW', message: (thrown as Error).message }),
};

export const decisions = {
  allow: (): Decision => ({ action: 'allow' }),
  block: (reason: string): Decision => ({ action: 'block', reason }),
  modify: (payload: Extract<Decision, { action: 'modify' }>['payload']): Decision => ({
    action: 'modify',
    payload,
  }),
  ask: (reason: string): Decision => ({ action: 'ask', reason }),
};

/** Test bodies read what they like from the payload. */
export type Seen = Readonly<Record<string, never>> & Readonly<Record<string, unknown>>;

export interface HookSketch extends Partial<Omit<Hook, 'condition' | 'body'>> {
  readonly body?: ((seen: Seen, call: HookCall) => unknown) | null;
  readonly when?: (seen: Seen, call: HookCall) => unknown;
  readonly indexable?: IndexableTest;
}

export function hook(sketch: HookSketch = {}): Hook {
  const { body = null, when, indexable, ...rest } = sketch;
  return {
    name: 'sample',
    event: 'tool.pre',
    priority: 0,
    source: '<code>',
    position: 0,
    frontEnd: plainFrontEnd,
    origin: 'project',
    mode: 'enforce',
    onError: 'block',
    onWhenError: 'skip',
    timeoutMs: 5000,
    ...rest,
    body: body as Hook['body'],
    condition:
      when === undefined ? null : { text: 'test', test: when as never, ...(indexable && { indexable }) },
  };
}

/** A clock that stands still: durations are the only thing that differs between two runs. */
export const stillHost: Host = { ...machineHost, now: () => 0, elapsed: () => 0, uuid: () => '0' };

export function engineOf(hooks: Iterable<Hook>, options: Partial<EngineOptions> = {}): Engine {
  return new Engine({ hooks, host: stillHost, run: new RunState(), ...options });
}

/** For chains without asynchronous hooks. */
export function now(outcome: MaybePromise<Outcome>): Outcome {
  if (outcome instanceof Promise) throw new Error('the dispatch became asynchronous');
  return outcome;
}
