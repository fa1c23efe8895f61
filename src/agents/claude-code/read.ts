/** What Claude Code sends, as events of the catalog. */
import type { Json, JsonObject } from '../../base/index.ts';
import type { EventRow, NativeCall, Unreadable } from '../adapter.ts';
import { isNative, nativeEvent } from '../read-event.ts';
import { eventRow, isUnreadable, NativeReader } from '../read-native.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import { isNotACall, type NotACall } from '../tool-forms.ts';
import { toCanonical } from '../tools.ts';
import { EVENTS } from './events.ts';
import { asClaudeCode, honoured, isOther, OTHER_TOOLS } from './other-agents.ts';
import { resultText } from './result.ts';
import { TOOLS } from './tools.ts';

export function read(given: JsonObject, event: string | null): NativeCall | Unreadable {
  const native = asClaudeCode(given, event, EVENTS);
  const from = new NativeReader(native);
  const row = eventRow(EVENTS, event, from.optionalText('hook_event_name'));
  if (isUnreadable(row)) return row;
  const session = from.text('session_id');
  const base = { session_id: session };
  const parts = isNative(row)
    ? nativeEvent(native, from, session, row)
    : (READERS[row.native]?.(from, base, native) ?? { payloads: [base] });
  if (from.problems.length > 0) return { problem: from.problems.join('; '), row };
  if (isNotACall(parts)) return { ...parts, row };
  return {
    row: honoured(row as EventRow, native),
    callId: from.optionalText('tool_use_id'),
    session,
    cwd: from.optionalText('cwd'),
    transcript: from.optionalText('transcript_path'),
    subAgent: subAgentOf(from),
    native,
    ...parts,
  };
}

type Parts = Pick<NativeCall, 'payloads' | 'also'>;
type Base = { readonly session_id: string };
type Reader = (from: NativeReader, base: Base, native: JsonObject) => Parts | NotACall;

const readCall: Reader = (from, base, native) => {
  const tool = from.text('tool_name');
  const input = from.object('tool_input');
  if (isOther(native)) return beforeTool(OTHER_TOOLS, theirs(from, tool, input), base.session_id);
  const { name, args } = toCanonical(TOOLS, tool, input);
  const call = { id: from.optionalText('tool_use_id') ?? '', name, args, ...base };
  const payloads = [{ ...call, native: { name: tool, input } }];
  if (name !== 'delegate') return { payloads };
  return { payloads, also: [{ event: 'delegation.pre', payload: delegationOf(call, args) }] };
};

const readResult: Reader = (from, base, native) => {
  const tool = from.text('tool_name');
  const input = from.object('tool_input');
  const { name, args } = toCanonical(TOOLS, tool, input);
  const failed = native.tool_response === undefined;
  const response: Json = failed ? from.text('error') : (native.tool_response ?? null);
  const callId = from.optionalText('tool_use_id') ?? '';
  const content = resultText(response);
  if (isOther(native)) {
    const result = { output: content, isError: failed };
    return afterTool(OTHER_TOOLS, theirs(from, tool, input), result, base.session_id);
  }
  const result = { call_id: callId, name, args, content, is_error: failed, ...base };
  const payloads = [{ ...result, native: { name: tool, input } }];
  if (name !== 'delegate') return { payloads };
  const answered = { ...delegationOf({ id: callId, ...base }, args), result: content };
  return { payloads, also: [{ event: 'delegation.post', payload: answered }] };
};

const READERS: Readonly<Record<string, Reader>> = {
  SessionStart: (from, base) => ({
    payloads: [{ ...base, source: from.optionalText('source') ?? 'startup' }],
  }),
  SessionEnd: (from, base) => ({ payloads: [{ ...base, reason: from.optionalText('reason') ?? 'other' }] }),
  UserPromptSubmit: (from) => ({ payloads: [from.text('prompt')] }),
  PreToolUse: readCall,
  PermissionRequest: (from, base, native) => {
    const parts = readCall(from, base, native);
    return isNotACall(parts) ? parts : { payloads: parts.payloads };
  },
  PostToolUse: readResult,
  PostToolUseFailure: readResult,
  // Each result was an event of its own.
  PostToolBatch: () => ({ payloads: [] }),
  Stop: (from) => ({ payloads: [{ response: from.optionalText('last_assistant_message') ?? '' }] }),
  SubagentStop: (from, base) => ({
    payloads: [
      {
        id: from.optionalText('agent_id') ?? '',
        agent: from.optionalText('agent_type') ?? 'agent',
        result: from.optionalText('last_assistant_message') ?? '',
        ...base,
      },
    ],
  }),
  PreCompact: (from, base) => ({ payloads: [{ ...base, trigger: from.optionalText('trigger') ?? 'auto' }] }),
  PostCompact: (from, base) => ({ payloads: [{ ...base, trigger: from.optionalText('trigger') ?? 'auto' }] }),
  StopFailure: (from, base) => ({
    payloads: [
      {
        code: from.optionalText('error') ?? 'UNKNOWN',
        message: from.optionalText('error_details') ?? from.optionalText('error') ?? '',
        ...base,
      },
    ],
  }),
};

function theirs(from: NativeReader, name: string, input: JsonObject): NativeTool {
  return { id: from.optionalText('tool_use_id'), name, input };
}

function delegationOf(call: JsonObject, args: JsonObject): JsonObject {
  const { id = '', session_id: session = '' } = call;
  return {
    id,
    agent: String(args.agent ?? 'general-purpose'),
    prompt: String(args.prompt ?? ''),
    depth: 1,
    session_id: session,
  };
}

function subAgentOf(from: NativeReader): NativeCall['subAgent'] {
  const id = from.optionalText('agent_id');
  return id === null ? null : { id, name: from.optionalText('agent_type') ?? 'agent' };
}
