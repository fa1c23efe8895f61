/** Payloads of Goose, which say the event under `event`. */
import type { JsonObject } from '../../base/index.ts';
import type { EventRow } from '../adapter.ts';
import { eventReaderOf, optionalText } from '../read-event.ts';
import type { NativeReader } from '../read-native.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import type { ToolSet } from '../tool-forms.ts';

function toolIn(native: JsonObject, fields: NativeReader): NativeTool {
  return {
    id: fields.optionalText('tool_call_id'),
    name: fields.text('tool_name'),
    input: native.tool_input ?? null,
  };
}

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    rows,
    named: (native) => optionalText(native, 'event'),
    source: (native, fields) => ({
      session: fields.text('session_id'),
      cwd: optionalText(native, 'working_dir'),
      transcript: null,
    }),
    readers: {
      SessionStart: (_native, _fields, session) => ({ payloads: [{ session_id: session }] }),
      SessionEnd: (_native, _fields, session) => ({ payloads: [{ session_id: session }] }),
      UserPromptSubmit: (_native, fields) => ({ payloads: [fields.text('message')] }),
      PreToolUse: (native, fields, session) => beforeTool(set, toolIn(native, fields), session),
      PostToolUse: (native, fields, session) =>
        afterTool(set, toolIn(native, fields), { output: '', isError: false }, session),
      PostToolUseFailure: (native, fields, session) =>
        afterTool(set, toolIn(native, fields), { output: '', isError: true }, session),
    },
  });
}
