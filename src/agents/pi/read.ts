/** Payloads of the pi extension: the event as pi gives it, the session and the folder. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow, ToolRow } from '../adapter.ts';
import { type EventReader, eventReaderOf, optionalText, texts } from '../read-event.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import { isNotACall, listOf, renaming, type ToolForm, type ToolSet } from '../tool-forms.ts';

export function toolSet(tools: readonly ToolRow[]): ToolSet {
  return { tools, forms: { edit: editForm(tools) } };
}

/** One edit, or a list of them for the same file. */
function editForm(tools: readonly ToolRow[]): ToolForm {
  const one = renaming(tools, 'edit');
  const item = {
    split: (value: Json) => {
      const calls = one.split(value);
      return isNotACall(calls) ? calls : calls[0]!;
    },
    join: (value: Json, after: JsonObject) => one.join(value, [after]),
  };
  const many = listOf(['edits'], item, { rest: true });
  const formOf = (input: Json) => (isJsonObject(input) && Array.isArray(input.edits) ? many : one);
  return {
    split: (input) => formOf(input).split(input),
    join: (input, after) => formOf(input).join(input, after),
  };
}

export function toolIn(native: JsonObject): NativeTool | null {
  const { event } = native;
  if (!isJsonObject(event) || typeof event.toolName !== 'string') return null;
  return { id: optionalText(event, 'toolCallId'), name: event.toolName, input: event.input ?? null };
}

const NO_CALL = { problem: 'want a tool call with a name, got none' };

const compaction: EventReader = (_native, _fields, session) => ({ payloads: [{ session_id: session }] });

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    rows,
    named: ({ event }) => (isJsonObject(event) ? optionalText(event, 'type') : null),
    source: (native, fields) => ({
      session: fields.text('session'),
      cwd: optionalText(native, 'cwd'),
      transcript: optionalText(native, 'transcript'),
    }),
    readers: {
      session_start: ({ event }, _fields, session) => ({
        payloads: [{ session_id: session, ...texts(asObject(event), { reason: 'source' }) }],
      }),
      session_shutdown: ({ event }, _fields, session) => ({
        payloads: [{ session_id: session, ...texts(asObject(event), { reason: 'reason' }) }],
      }),
      session_before_compact: compaction,
      session_compact: compaction,
      input: ({ event }) => {
        const text = optionalText(asObject(event), 'text');
        return text === null ? { problem: 'want the text of a prompt, got none' } : { payloads: [text] };
      },
      tool_call: (native, _fields, session) => {
        const tool = toolIn(native);
        return tool === null ? NO_CALL : beforeTool(set, tool, session);
      },
      tool_result: (native, _fields, session) => {
        const tool = toolIn(native);
        if (tool === null) return NO_CALL;
        const { content = null, isError } = asObject(native.event);
        return afterTool(set, tool, { output: textIn(content), isError: isError === true }, session);
      },
      turn_end: ({ event }) => {
        const message = asObject(asObject(event).message);
        return {
          payloads: [
            { response: textIn(message.content ?? null), ...texts(message, { stopReason: 'finish_reason' }) },
          ],
        };
      },
    },
  });
}

/** The texts of a list of parts; what is no list stays what it is. */
function textIn(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === null ? '' : JSON.stringify(content);
  return content
    .flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}

function asObject(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
