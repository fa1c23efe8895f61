/**
 * `meta.call_tool`: a script calls a tool of the agent by its name. The call goes the whole way that a model's call goes,
 * behind `meta.call_tool` itself; what comes of it, or what stood in the way, is one text.
 */
import type { JsonObject } from '../../../base/index.ts';
import { describeThrown } from '../../../engine/index.ts';
import { fire, vetoOf } from '../../loop/fire.ts';
import type { Scope } from '../../loop/state.ts';
import { runToolCall } from '../../loop/tool-call.ts';

/** Scripts that call tools whose scripts call tools. */
export const CALL_DEPTH = 5;

/** How the ids of such calls begin, which tells them from a model's. */
export const SCRIPT_CALL = 'meta_';

/** Never rejects. */
export async function callTool(scope: Scope, name: string, args: JsonObject): Promise<string> {
  try {
    return await call(scope, name, args);
  } catch (thrown) {
    return `error: ${describeThrown(thrown)}`;
  }
}

async function call(from: Scope, name: string, args: JsonObject): Promise<string> {
  const depth = (from.depth ?? 0) + 1;
  if (depth > CALL_DEPTH) return `error: tools call each other more than ${CALL_DEPTH} deep`;
  const scope = { ...from, depth };
  const { state } = scope;
  const outcome = await fire(scope, 'meta.call_tool', { name, arguments: JSON.stringify(args) });
  if (outcome.failure !== undefined) {
    return `error: hook "${outcome.failure.hook}" failed: ${outcome.failure.message}`;
  }
  const veto = vetoOf(outcome);
  if (veto !== null) return `error: ${veto}`;
  const id = `${SCRIPT_CALL}${state.host.uuid()}`;
  const { content, isError } = await runToolCall(scope, { id, name, args }, new Set(state.tools.keys()));
  return isError ? `error: ${content}` : content;
}
