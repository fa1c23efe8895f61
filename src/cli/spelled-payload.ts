/**
 * A payload as one of the systems prints it on its own pages, read as ours: `tool_name` and `tool_input`, `toolName` and `toolInput`,
 * a `tool` with name and args, a `prompt`. Only where ours is not there: a payload that says both is left alone, and refused as such.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';

export function spelledPayload(event: string, payload: Json): Json {
  if (!isJsonObject(payload)) return payload;
  if (event === 'turn.start') return promptOf(payload);
  if (!OF_A_CALL.includes(event) || Object.hasOwn(payload, 'name')) return payload;
  const found = FORMS.map((form) => form(payload)).filter((read) => read !== null);
  return found.length === 1 ? found[0]! : payload;
}

const OF_A_CALL: readonly string[] = ['tool.pre', 'tool.post', 'permission.asked', 'permission.replied'];

function promptOf(payload: JsonObject): Json {
  return typeof payload.prompt === 'string' ? payload.prompt : payload;
}

const FORMS: readonly ((payload: JsonObject) => JsonObject | null)[] = [
  ({ tool_name, tool_input, tool_response, tool_use_id, ...rest }) =>
    call(rest, { name: tool_name, args: tool_input, content: tool_response, id: tool_use_id }),
  ({ toolName, toolInput, result, isError, ...rest }) =>
    call(rest, { name: toolName, args: toolInput, content: result, is_error: isError }),
  ({ tool, tool_call_id, result, ...rest }) => {
    if (!isJsonObject(tool)) return null;
    const content = isJsonObject(result) ? result.text : undefined;
    return call(rest, { name: tool.name, args: tool.args, content, id: tool_call_id ?? tool.tool_call_id });
  },
];

function call(rest: JsonObject, read: Readonly<Record<string, Json | undefined>>): JsonObject | null {
  if (typeof read.name !== 'string') return null;
  const given = Object.entries(read).filter((pair): pair is [string, Json] => pair[1] !== undefined);
  return { ...rest, ...Object.fromEntries(given) };
}
