/**
 * `meta`: what a tool may do to the agent it works for. Each call is an event first, and raises what the hooks, or the rules
 * for what an agent may do to itself, have against it.
 */
import type { Json, JsonObject } from '../../../base/index.ts';
import { CALL_TOOL } from '../../../script/index.ts';
import { builtin, fail, Module, type Thread, toJson, type Value } from '../../../starlark/index.ts';
import { toolCallOf } from '../script-call.ts';

const FLAGS = { pure: false, async: true };

export const META = new Module(
  'meta',
  new Map<string, Value>([
    ['call_tool', CALL_TOOL],
    [
      'register_tool',
      builtin(
        'meta.register_tool',
        'name, description, script, parameters=None, timeout_ms=0, replace=False',
        (thread, name, description, script, parameters, timeout_ms, replace) =>
          register(thread, 'tool', { name, description, script, parameters, timeout_ms, replace }),
        FLAGS,
      ),
    ],
    [
      'register_hook',
      builtin(
        'meta.register_hook',
        'name, event, script, when=None, priority=100',
        (thread, name, event, script, when, priority) =>
          register(thread, 'hook', { name, event, script, when, priority }),
        FLAGS,
      ),
    ],
    [
      'register_agent',
      builtin(
        'meta.register_agent',
        'name, system_prompt, description="", model=None, tools=None',
        (thread, name, system_prompt, description, model, tools) =>
          register(thread, 'agent', { name, system_prompt, description, model, tools }),
        FLAGS,
      ),
    ],
  ]),
);

async function register(
  thread: Thread,
  kind: 'tool' | 'hook' | 'agent',
  given: Readonly<Record<string, Value>>,
): Promise<Value> {
  const { agent } = toolCallOf(thread).context;
  if (agent === undefined) return fail(`meta.register_${kind}: there is no agent here`);
  const spec: Record<string, Json> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value !== null) spec[key] = toJson(value, thread) as Json;
  }
  try {
    await agent.register(kind, spec as JsonObject);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    // A veto names its event already.
    return fail(message.startsWith('meta.') ? message : `meta.register_${kind}: ${message}`);
  }
  return null;
}
