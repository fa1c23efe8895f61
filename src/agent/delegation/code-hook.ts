/**
 * Hooks that the agent itself is made with. They are hooks like any other: sorted, traced and recorded.
 */
import {
  type Body,
  describeThrown,
  type FrontEnd,
  failure,
  type Hook,
  type Reply,
} from '../../engine/index.ts';

const frontEnd: FrontEnd = {
  name: 'agent',
  powers: { modify: false },
  view: (_event, payload) => payload,
  interpret: (returned) => returned as Reply,
  explain: (thrown) => failure('error', describeThrown(thrown)),
};

export interface CodeHook {
  readonly name: string;
  readonly event: string;
  readonly priority: number;
  readonly description: string;
  readonly body: Body;
}

export function codeHook(given: CodeHook): Hook {
  return {
    ...given,
    source: '<agent>',
    position: 0,
    frontEnd,
    origin: 'project',
    mode: 'enforce',
    onError: 'block',
    onWhenError: 'skip',
    timeoutMs: 1000,
    condition: null,
  };
}

export const ALLOW: Reply = { decision: { action: 'allow' } };

export function blocking(reason: string): Reply {
  return { decision: { action: 'block', reason } };
}
