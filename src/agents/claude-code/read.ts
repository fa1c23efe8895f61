/** What Claude Code sends, as events of the catalog. */
import type { Json, JsonObject } from '../../base/index.ts';
import type { EventRow, NativeCall, Unreadable } from '../adapter.ts';
import { type EventReader, eventReaderOf, SNAKE_CASE, subAgentStop, texts } from '../read-event.ts';
import { isUnreadable, type NativeReader } from '../read-native.ts';
import { afterTool, beforeTool, type EventParts } from '../tool-events.ts';
import { isNotACall } from '../tool-forms.ts';
import { type CanonicalCall, toCanonical } from '../tools.ts';
import { EVENTS } from './events.ts';
import { asClaudeCode, honoured, isOther, OTHER_TOOLS } from './other-agents.ts';
import { resultText } from './result.ts';
import { TOOLS } from './tools.ts';

export function read(given: JsonObject, event: string | null): NativeCall | Unreadable {
  const native = asClaudeCode(given, event, EVENTS);
  const call = readEvent(native, event);
  return isUnreadable(call) ? call : { ...call, row: honoured(call.row as EventRow, native) };
}

interface ClaudeCall extends CanonicalCall {
  readonly id: string | null;
  readonly native: { readonly name: string; readonly input: JsonObject };
}

function callIn(fields: NativeReader): ClaudeCall {
  const name = fields.text('tool_name');
  const input = fields.object('tool_input');
  return {
    id: fields.optionalText('tool_use_id'),
    ...toCanonical(TOOLS, name, input),
    native: { name, input },
  };
}

const readCall: EventReader = (native, fields, session) => {
  const { id, name, args, native: own } = callIn(fields);
  if (isOther(native)) return beforeTool(OTHER_TOOLS, { id, ...own }, session);
  const payload = { id: id ?? '', name, args, session_id: session };
  return about(id, name, [{ ...payload, native: own }], {
    event: 'delegation.pre',
    payload: delegationOf(payload, args),
  });
};

const readResult: EventReader = (native, fields, session) => {
  const { id, name, args, native: own } = callIn(fields);
  const failed = native.tool_response === undefined;
  const response: Json = failed ? fields.text('error') : (native.tool_response ?? null);
  const content = resultText(response);
  if (isOther(native))
    return afterTool(OTHER_TOOLS, { id, ...own }, { output: content, isError: failed }, session);
  const payload = { call_id: id ?? '', name, args, content, is_error: failed, session_id: session };
  return about(id, name, [{ ...payload, native: own }], {
    event: 'delegation.post',
    payload: { ...delegationOf({ id: id ?? '', session_id: session }, args), result: content },
  });
};

function about(
  callId: string | null,
  name: string,
  payloads: readonly JsonObject[],
  delegation: NonNullable<EventParts['also']>[number],
): EventParts {
  return { callId, payloads, ...(name === 'delegate' && { also: [delegation] }) };
}

function delegationOf({ id, session_id: session }: JsonObject, args: JsonObject): JsonObject {
  return {
    id: id!,
    agent: String(args.agent ?? 'general-purpose'),
    prompt: String(args.prompt ?? ''),
    depth: 1,
    session_id: session!,
  };
}

/** An event that is told with its session, and these texts over what is assumed without them. */
const told =
  (assumed: Readonly<Record<string, string>>, names: Readonly<Record<string, string>>): EventReader =>
  (native, _fields, session) => ({
    payloads: [{ session_id: session, ...assumed, ...texts(native, names) }],
  });

const compaction = told({ trigger: 'auto' }, { trigger: 'trigger' });

const readEvent = eventReaderOf({
  ...SNAKE_CASE,
  rows: EVENTS,
  readers: {
    SessionStart: told({ source: 'startup' }, { source: 'source' }),
    SessionEnd: told({ reason: 'other' }, { reason: 'reason' }),
    UserPromptSubmit: (_native, fields) => ({ payloads: [fields.text('prompt')] }),
    PreToolUse: readCall,
    PermissionRequest: (native, fields, session, row) => {
      const parts = readCall(native, fields, session, row);
      return isNotACall(parts) ? parts : { payloads: parts.payloads };
    },
    PostToolUse: readResult,
    PostToolUseFailure: readResult,
    // Each result was an event of its own.
    PostToolBatch: () => ({ payloads: [] }),
    Stop: (native) => ({
      payloads: [{ response: '', ...texts(native, { last_assistant_message: 'response' }) }],
    }),
    SubagentStop: subAgentStop,
    PreCompact: compaction,
    PostCompact: compaction,
    StopFailure: (native, _fields, session) => ({
      payloads: [
        {
          ...{ session_id: session, code: 'UNKNOWN', message: '' },
          ...texts(native, { error: 'message' }),
          ...texts(native, { error: 'code', error_details: 'message' }),
        },
      ],
    }),
  },
});
