/** Payloads of the OpenCode plugin: the two objects that its hooks are given, or an event of its bus, and the folder. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow, ToolRow } from '../adapter.ts';
import { patchForm } from '../apply-patch.ts';
import { eventReaderOf, optionalText } from '../read-event.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import type { ToolSet } from '../tool-forms.ts';

export function toolSet(tools: readonly ToolRow[]): ToolSet {
  return { tools, forms: { apply_patch: patchForm('patchText'), patch: patchForm('patchText') } };
}

/** Before the call the arguments stand in the object that may be changed, afterwards in the other. */
export function toolIn(native: JsonObject): NativeTool | null {
  const [input, output] = [part(native, 'input'), part(native, 'output')];
  const name = optionalText(input, 'tool');
  if (name === null) return null;
  return { id: optionalText(input, 'callID'), name, input: output.args ?? input.args ?? null };
}

const NO_CALL = { problem: 'want a tool call with a name, got none' };

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    rows,
    named: () => null,
    source: (native, fields) => {
      const event = part(native, 'event');
      const session =
        optionalText(part(native, 'input'), 'sessionID') ??
        optionalText(part(event, 'properties'), 'sessionID');
      return {
        session: session ?? fields.text('sessionID'),
        cwd: optionalText(native, 'directory'),
        transcript: null,
      };
    },
    readers: {
      'session.created': (_native, _fields, session) => ({ payloads: [{ session_id: session }] }),
      'session.compacted': (_native, _fields, session) => ({ payloads: [{ session_id: session }] }),
      'experimental.session.compacting': (_native, _fields, session) => ({
        payloads: [{ session_id: session }],
      }),
      'session.idle': () => ({ payloads: [{ response: '' }] }),
      'session.error': (native, _fields, session) => {
        const error = part(part(part(native, 'event'), 'properties'), 'error');
        const message = optionalText(part(error, 'data'), 'message') ?? optionalText(error, 'name');
        return { payloads: [{ message: message ?? 'the run failed', session_id: session }] };
      },
      'chat.message': (native) => {
        const { parts } = part(native, 'output');
        if (!Array.isArray(parts)) return { problem: 'want the parts of a message, got none' };
        return { payloads: [parts.flatMap(promptIn).join('\n')] };
      },
      'tool.execute.before': (native, _fields, session) => {
        const tool = toolIn(native);
        return tool === null ? NO_CALL : beforeTool(set, tool, session);
      },
      'tool.execute.after': (native, _fields, session) => {
        const tool = toolIn(native);
        if (tool === null) return NO_CALL;
        const output = part(native, 'output');
        return afterTool(set, tool, { output: output.output ?? '', isError: failed(output) }, session);
      },
    },
  });
}

/** What the user wrote; OpenCode adds parts of its own, for files that are named. */
function promptIn(value: Json): readonly string[] {
  if (!isJsonObject(value) || value.type !== 'text' || value.synthetic === true) return [];
  return typeof value.text === 'string' ? [value.text] : [];
}

function failed({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && typeof metadata.exit === 'number' && metadata.exit !== 0;
}

function part(value: JsonObject, key: string): JsonObject {
  const inner = value[key];
  return isJsonObject(inner) ? inner : {};
}
