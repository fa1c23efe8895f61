/** Payloads of Cursor, as it documents them. */
import type { Json, JsonObject } from '../../base/index.ts';
import type { EventRow } from '../adapter.ts';
import { eventReaderOf, foldersIn, optionalText, texts, withSession } from '../read-event.ts';
import type { NativeReader } from '../read-native.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import type { ToolSet } from '../tool-forms.ts';

export function toolIn(native: JsonObject, fields: NativeReader): NativeTool {
  return {
    id: fields.optionalText('tool_use_id'),
    name: fields.text('tool_name'),
    input: native.tool_input ?? null,
  };
}

export function reader(rows: readonly EventRow[], set: ToolSet) {
  const result = (
    native: JsonObject,
    fields: NativeReader,
    session: string,
    output: Json,
    isError: boolean,
  ) => afterTool(set, toolIn(native, fields), { output, isError }, session);
  return eventReaderOf({
    rows,
    named: (native) => optionalText(native, 'hook_event_name'),
    source: (native, fields) => {
      const roots = foldersIn(native.workspace_roots);
      return {
        session: optionalText(native, 'session_id') ?? fields.text('conversation_id'),
        cwd: optionalText(native, 'cwd') ?? roots[0] ?? null,
        roots,
        transcript: optionalText(native, 'transcript_path'),
      };
    },
    readers: {
      sessionStart: withSession({ model: 'model' }),
      sessionEnd: withSession({ reason: 'reason' }),
      preCompact: withSession({ trigger: 'trigger' }),
      beforeSubmitPrompt: (_native, fields) => ({ payloads: [fields.text('prompt')] }),
      preToolUse: (native, fields, session) => beforeTool(set, toolIn(native, fields), session),
      postToolUse: (native, fields, session) =>
        result(native, fields, session, native.tool_output ?? '', false),
      postToolUseFailure: (native, fields, session) =>
        result(native, fields, session, native.error_message ?? '', true),
      stop: (native) => ({ payloads: [{ response: '', ...texts(native, { status: 'finish_reason' }) }] }),
    },
  });
}
