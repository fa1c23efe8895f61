/**
 * The canary: a payload for any event of any agent, and the block that must be the answer to it. `doctor` sends it through
 * what is registered; the launcher knows it by a variable of the environment, which can only make it stricter. No hook of the
 * policy runs and nothing is kept.
 */
import type { JsonObject } from '../base/index.ts';
import type { Adapter, Answer, EventRow, NativeCall } from './adapter.ts';
import { AGENTS } from './all-agents.ts';
import { degrade } from './degrade.ts';
import { CANARY_TEXT, type NativeToolCall } from './ordinary-calls.ts';
import { blockOf } from './verdict.ts';

/** Its value is the token that the answer has to hold. */
export const CANARY_VARIABLE = 'HARNESS_CANARY';

const TOKEN = /^[a-z0-9-]{1,64}$/;

/** The token in the environment, or null. */
export function canaryToken(env: (name: string) => string | undefined): string | null {
  const token = env(CANARY_VARIABLE);
  return token !== undefined && TOKEN.test(token) ? token : null;
}

export function canaryAnswer(adapter: Adapter, call: NativeCall, token: string): Answer {
  const { verdict } = degrade(blockOf(`Blocked by the canary ${token}`), call.row, call);
  return adapter.answer(call.row, call, verdict);
}

/** One payload with the fields of every dialect: an adapter reads those it knows. By default it is about a harmless command. */
export function canaryPayload(
  { agent }: Adapter,
  row: EventRow,
  cwd: string,
  call?: NativeToolCall,
): JsonObject {
  const { ordinary, canary } = AGENTS.get(agent)!;
  const { name, input } = call ?? ordinary.run('true');
  const { native } = row;
  const session = CANARY_TEXT;
  const id = 'canary-1';
  return {
    session_id: session,
    sessionId: session,
    conversation_id: session,
    taskId: session,
    session,
    generation_id: id,
    turn_id: id,
    transcript_path: null,
    transcript: null,
    cwd,
    directory: cwd,
    working_dir: cwd,
    workspace_roots: [cwd],
    workspaceRoots: [cwd],
    hook_event_name: native,
    hookName: native,
    timestamp: 0,
    source: 'startup',
    reason: 'other',
    trigger: 'manual',
    model: 'canary',
    permission_mode: 'default',
    prompt: session,
    error: session,
    message: session,
    status: 'completed',
    custom_instructions: '',
    compact_summary: '',
    stop_hook_active: false,
    prompt_response: session,
    last_assistant_message: session,
    tool_name: name,
    tool_input: input,
    tool_use_id: id,
    tool_response: { llmContent: session, returnDisplay: session, stdout: session },
    tool_output: JSON.stringify({ output: session }),
    toolName: name,
    toolArgs: input,
    toolInput: input,
    toolResult: { resultType: 'success', textResultForLlm: session },
    llm_request: { model: 'canary', messages: [{ role: 'user', content: session }] },
    tool_call: { id, name, input },
    tool_result: { id, name, input, output: session },
    input: { sessionID: session, callID: id, messageID: id, tool: name, args: input },
    output: {
      args: input,
      title: '',
      output: session,
      metadata: {},
      message: { id },
      parts: [{ id, type: 'text', text: session }],
    },
    event: {
      type: native,
      properties: { sessionID: session, info: { id: session } },
      text: session,
      toolName: name,
      toolCallId: id,
      input,
      content: [{ type: 'text', text: session }],
      isError: false,
      toolResults: [],
      message: { role: 'assistant', content: [{ type: 'text', text: session }] },
    },
    ...canary?.(row),
  };
}
