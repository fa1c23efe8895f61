/**
 * `meta.call_tool`: a script has one of the agent's tools do something, through the whole chain. What comes back is the
 * text a model would read; where something stood in the way it begins with `error: `.
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { builtin, fail, Module, type Thread, toJson, type Value, wantString } from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';

const FLAGS = { pure: false, async: true };

export const CALL_TOOL = builtin(
  'meta.call_tool',
  'name, args=None',
  (thread, name, args): Promise<Value> => {
    const tool = wantString('meta.call_tool', 'name', name);
    const given = argumentsOf(thread, args);
    const call = scriptCallOf(thread);
    const { callTool, depth = 0, signal } = call;
    if (callTool !== undefined) return callTool(tool, given);
    const { agent } = call.run.services;
    if (agent === undefined)
      return fail('meta.call_tool: there is no agent here whose tools could be called');
    return agent.callTool(tool, given, { depth, signal });
  },
  FLAGS,
);

function argumentsOf(thread: Thread, args: Value): JsonObject {
  if (args === null) return {};
  const given = toJson(args, thread);
  return isJsonObject(given) ? given : fail('meta.call_tool: for parameter args: want a dict of arguments');
}

/** Hooks call tools; to change the agent is for tools alone. */
export const META = new Module('meta', new Map<string, Value>([['call_tool', CALL_TOOL]]));
