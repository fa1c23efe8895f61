/**
 * What a registry hook returns: `{continue?, reason?, output?, additionalContext?}`. An empty object allows and says
 * nothing. Anything that is no such object is an invalid return, which for these hooks is a block.
 */
import { didYouMean, type JsonObject, kindOf } from '../../../base/index.ts';
import { type FrontEnd, failure, type Hook, type Reply } from '../../../engine/index.ts';
import { CommandAnswer } from '../../command/body.ts';
import { structured } from '../../command/contract.ts';
import { explain } from '../code-hook.ts';
import { canStop, contextOf, LOOM_OWN_SESSION_ONLY } from './context.ts';

export interface HookResult {
  /** False: the action is blocked. */
  readonly continue?: boolean;
  /** Why, for the model. */
  readonly reason?: string;
  /** Shown to the model as what the hook printed. */
  readonly output?: string;
  /** Told to the model as context. */
  readonly additionalContext?: string;
}

const KEYS: readonly (keyof HookResult)[] = ['continue', 'reason', 'output', 'additionalContext'];

/** They observe, steer and gate. Rewriting is for interceptors, which no file can reach. */
export const loomFrontEnd: FrontEnd = {
  name: 'code',
  runsInProgram: true,
  ownSessionOnly: LOOM_OWN_SESSION_ONLY,
  powers: { modify: false, block: canStop },
  view: contextOf,
  interpret: (returned, hook, event) =>
    returned instanceof CommandAnswer ? returned.reply(hook, event) : interpret(returned, hook),
  explain,
};

function interpret(returned: unknown, hook: Hook): Reply {
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) {
    return invalid(`want an object such as {continue: true}, got ${kindOf(returned)}`);
  }
  const keys = Object.keys(returned);
  const strange = keys.filter((key) => !KEYS.includes(key as keyof HookResult));
  const remarks = strange.map((key) => `unknown key ${JSON.stringify(key)}${didYouMean(key, KEYS)}`);
  // A misspelt veto must not pass as "said nothing".
  if (strange.length > 0 && strange.length === keys.length) return invalid(remarks.join(', '));
  return structured(returned as JsonObject, hook, remarks);
}

function invalid(message: string): Reply {
  return { failure: failure('invalid_return', `the hook returned no result: ${message}`) };
}
