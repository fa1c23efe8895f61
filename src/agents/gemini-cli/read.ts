/** Payloads of Gemini CLI. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow, ToolRow } from '../adapter.ts';
import { eventReaderOf, optionalText, SNAKE_CASE, texts, withSession } from '../read-event.ts';
import type { NativeReader } from '../read-native.ts';
import { afterTool, beforeTool, type NativeTool, textOf } from '../tool-events.ts';
import { listOf, renaming, type ToolForm, type ToolSet, textItem } from '../tool-forms.ts';

export function toolSet(tools: readonly ToolRow[]): ToolSet {
  return {
    tools,
    forms: {
      read_many_files: listOf(['include'], textItem('read_file', 'path', ['include']), { rest: true }),
      web_fetch: fetchForm(tools),
    },
  };
}

/** The addresses stand in the words of a prompt. Each is a call; only the prompt as a whole can be rewritten. */
function fetchForm(tools: readonly ToolRow[]): ToolForm {
  const plain = renaming(tools, 'web_fetch');
  return {
    split(input) {
      const prompt = isJsonObject(input) ? input.prompt : undefined;
      if (typeof prompt !== 'string' || (isJsonObject(input) && Object.hasOwn(input, 'url'))) {
        return plain.split(input);
      }
      const urls = prompt.split(/\s+/).filter((word) => word.includes('://'));
      if (urls.length === 0) return plain.split(input);
      return urls.map((url) => ({ name: 'fetch_url', args: { ...(input as JsonObject), url } }));
    },
    join: (input, after) =>
      isJsonObject(input) && Object.hasOwn(input, 'url') ? plain.join(input, after) : null,
  };
}

/** Tools of MCP servers are told apart by what stands beside their name, which only runs the two parts together. */
export function toolIn(native: JsonObject, fields: NativeReader): NativeTool {
  const name = fields.text('tool_name');
  const { mcp_context: mcp } = native;
  const server = isJsonObject(mcp) ? optionalText(mcp, 'server_name') : null;
  const tool = isJsonObject(mcp) ? optionalText(mcp, 'tool_name') : null;
  return {
    id: null,
    name: server === null || tool === null ? name : `mcp__${server}__${tool}`,
    spelled: name,
    input: native.tool_input ?? null,
  };
}

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    ...SNAKE_CASE,
    rows,
    readers: {
      SessionStart: withSession({ source: 'source' }),
      SessionEnd: withSession({ reason: 'reason' }),
      BeforeAgent: (_native, fields) => ({ payloads: [fields.text('prompt')] }),
      BeforeModel: (_native, fields, session) => {
        const request = fields.object('llm_request');
        const messages = Array.isArray(request.messages) ? request.messages.filter(isJsonObject) : [];
        return { payloads: [{ model: textOf(request.model), messages, session_id: session }] };
      },
      BeforeTool: (native, fields, session) => beforeTool(set, toolIn(native, fields), session),
      AfterTool: (native, fields, session) =>
        afterTool(set, toolIn(native, fields), resultIn(native.tool_response ?? null), session),
      AfterAgent: (native) => ({
        payloads: [{ response: '', ...texts(native, { prompt_response: 'response' }) }],
      }),
    },
  });
}

/** A command that failed is told in the text alone. */
function resultIn(response: Json) {
  if (!isJsonObject(response)) return { output: response, isError: null };
  const output = response.llmContent ?? '';
  const exit = /^Exit Code: (?!0$)\d+$/m.test(typeof output === 'string' ? output : '');
  const failed = response.error !== undefined && response.error !== null;
  return { output, isError: failed || exit };
}
