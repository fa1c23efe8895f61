/** Payloads of Qwen Code: the names of fields of Claude Code, with the tools of Gemini CLI. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow } from '../adapter.ts';
import { eventReaderOf, SNAKE_CASE, subAgentStop, texts, withSession } from '../read-event.ts';
import type { NativeReader } from '../read-native.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import type { ToolSet } from '../tool-forms.ts';

export function toolIn(native: JsonObject, fields: NativeReader): NativeTool {
  return {
    // Its own id, the same before and after; the model's stands in `tool_call_id`.
    id: fields.optionalText('tool_use_id'),
    name: fields.text('tool_name'),
    input: native.tool_input ?? null,
  };
}

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    ...SNAKE_CASE,
    rows,
    readers: {
      SessionStart: withSession({ model: 'model', source: 'source' }),
      SessionEnd: withSession({ reason: 'reason' }),
      UserPromptSubmit: (_native, fields) => {
        const prompt = fields.text('prompt');
        return { payloads: prompt === '' ? [] : [prompt] };
      },
      PreToolUse: (native, fields, session) => beforeTool(set, toolIn(native, fields), session),
      PostToolUse: (native, fields, session) =>
        afterTool(
          set,
          toolIn(native, fields),
          { output: shownToModel(native.tool_response ?? null), isError: false },
          session,
        ),
      PostToolUseFailure: (native, fields, session) =>
        afterTool(set, toolIn(native, fields), { output: native.error ?? '', isError: true }, session),
      SubagentStop: subAgentStop,
      PreCompact: withSession({ trigger: 'trigger' }),
      PostCompact: withSession({ trigger: 'trigger' }),
      Stop: (native) => ({
        payloads: [{ response: '', ...texts(native, { last_assistant_message: 'response' }) }],
      }),
    },
  });
}

function shownToModel(response: Json): Json {
  return isJsonObject(response) ? (response.llmContent ?? response) : response;
}
