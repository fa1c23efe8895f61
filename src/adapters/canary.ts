/**
 * The canary: a payload for any event of any agent, and the block that must be the answer to it. `doctor` sends it through
 * what is registered; the launcher knows it by a variable of the environment, which can only make it stricter. No hook of the
 * policy runs and nothing is kept.
 */
import type { JsonObject } from '../base/json.ts';
import type { Adapter, Answer, EventRow, NativeCall } from './adapter.ts';
import { degrade } from './degrade.ts';
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

/** What Cline's payloads call the event whose file it runs. */
const CLINE_NAMES: Readonly<Record<string, string>> = {
  TaskStart: 'agent_start',
  PreToolUse: 'tool_call',
  PostToolUse: 'tool_result',
  TaskComplete: 'agent_end',
  TaskError: 'agent_error',
  SessionShutdown: 'session_shutdown',
};

/** One payload with the fields of every dialect: an adapter reads those it knows. */
export function canaryPayload({ agent }: Adapter, { native }: EventRow, cwd: string): JsonObject {
  const command = 'true';
  const session = 'harness-canary';
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
    hookName: CLINE_NAMES[native] ?? native,
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
    tool_name: SHELL[agent] ?? 'Bash',
    tool_input: { command },
    tool_use_id: id,
    tool_response:
      agent === 'codex' ? session : { llmContent: session, returnDisplay: session, stdout: session },
    tool_output: JSON.stringify({ output: session }),
    toolName: 'bash',
    toolArgs: { command },
    toolResult: { resultType: 'success', textResultForLlm: session },
    llm_request: { model: 'canary', messages: [{ role: 'user', content: session }] },
    tool_call: { id, name: 'run_commands', input: { commands: [command] } },
    tool_result: { id, name: 'run_commands', input: { commands: [command] }, output: session },
    input: { sessionID: session, callID: id, messageID: id, tool: 'bash', args: { command } },
    output: {
      args: { command },
      title: '',
      output: session,
      metadata: {},
      message: { id },
      parts: [{ id, type: 'text', text: session }],
    },
    event:
      agent === 'goose'
        ? native
        : {
            type: native,
            properties: { sessionID: session, info: { id: session } },
            text: session,
            toolName: 'bash',
            toolCallId: id,
            input: { command },
            content: [{ type: 'text', text: session }],
            isError: false,
            toolResults: [],
            message: { role: 'assistant', content: [{ type: 'text', text: session }] },
          },
  };
}

const SHELL: Readonly<Record<string, string>> = {
  'gemini-cli': 'run_shell_command',
  'qwen-code': 'run_shell_command',
  cursor: 'Shell',
  goose: 'shell',
};
