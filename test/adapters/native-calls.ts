/** Calls of each agent that write a file, in the shape and with the form of path that the agent was seen to send. */

import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import type { Answer } from '../../src/agents/adapter.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { eventOf, fixturesOf } from '../support/adapters.ts';
import { launch } from './launched.ts';

export interface Tool {
  readonly name: string;
  readonly input: JsonObject;
}

/** A call about one file; the path is in the form that the agent sends. */
export type Write = (path: string) => Tool;

export interface Agent {
  /** The payload of the tests that a call is put into. */
  readonly fixture: string;
  readonly payload: (session: string, place: Place, tool: Tool) => JsonObject;
  /** Names its files from the root of the machine; else from its folder. */
  readonly absolute: boolean;
  /** The variable in which it tells its hooks the project folder. */
  readonly variable?: string;
  /** Its payload lists its folders. */
  readonly lists?: true;
  readonly writes: Readonly<Record<string, Write>>;
}

export interface Place {
  /** The folder of the policy. */
  readonly policy: string;
  readonly cwd: string;
  /** As the agent tells it, where it does. */
  readonly project: string;
  readonly further?: readonly string[];
}

let calls = 0;
const callId = () => `call_${calls++}`;

const tool = (name: string, input: JsonObject): Tool => ({ name, input });

const snake = (session: string, { cwd }: Place, { name, input }: Tool) => ({
  session_id: session,
  cwd,
  tool_name: name,
  tool_input: input,
  tool_use_id: callId(),
});

const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const added = (path: string) => patch(`*** Add File: ${path}`, '+one');
const changed = (path: string) => patch(`*** Update File: ${path}`, '@@', '-one', '+two');
const moved = (path: string) =>
  patch(`*** Update File: ${path}`, `*** Move to: ${path}.moved`, '@@', '-one', '+two');
const deleted = (path: string) => patch(`*** Delete File: ${path}`);

export const AGENTS: Readonly<Record<string, Agent>> = {
  'claude-code': {
    fixture: 'PreToolUse',
    payload: snake,
    absolute: true,
    variable: 'CLAUDE_PROJECT_DIR',
    writes: {
      Write: (file_path) =>
        tool('Write', { file_path, content: 'see ../harness.md and https://a.example\n' }),
      Edit: (file_path) =>
        tool('Edit', { file_path, old_string: 'harness.md', new_string: '/etc/hosts', replace_all: false }),
      MultiEdit: (file_path) =>
        tool('MultiEdit', { file_path, edits: [{ old_string: 'a/../b', new_string: '~/c' }] }),
      NotebookEdit: (notebook_path) =>
        tool('NotebookEdit', { notebook_path, new_source: 'open("/etc/hosts")', cell_type: 'code' }),
    },
  },
  codex: {
    fixture: 'PreToolUse',
    payload: snake,
    absolute: false,
    writes: {
      'a patch that adds a file': (path) => tool('apply_patch', { command: added(path) }),
      'a patch that changes a file': (path) => tool('apply_patch', { command: changed(path) }),
      'a patch that moves a file': (path) => tool('apply_patch', { command: moved(path) }),
      'a patch that deletes a file': (path) => tool('apply_patch', { command: deleted(path) }),
      'a patch in a command': (path) => tool('Bash', { command: `apply_patch <<'EOF'\n${added(path)}EOF\n` }),
    },
  },
  'gemini-cli': {
    fixture: 'BeforeTool',
    payload: (session, { cwd }, { name, input }) => ({
      session_id: session,
      cwd,
      tool_name: name,
      tool_input: input,
    }),
    absolute: true,
    variable: 'GEMINI_PROJECT_DIR',
    writes: {
      write_file: (file_path) => tool('write_file', { file_path, content: 'one\n' }),
      replace: (file_path) =>
        tool('replace', { file_path, old_string: 'one', new_string: 'two', instruction: 'say two' }),
    },
  },
  'qwen-code': {
    fixture: 'PreToolUse',
    payload: snake,
    absolute: true,
    variable: 'QWEN_PROJECT_DIR',
    writes: {
      write_file: (file_path) => tool('write_file', { file_path, content: 'one\n' }),
      edit: (file_path) => tool('edit', { file_path, old_string: 'one', new_string: 'two' }),
      notebook_edit: (notebook_path) =>
        tool('notebook_edit', { notebook_path, new_source: 'open("/etc/hosts")' }),
    },
  },
  copilot: {
    fixture: 'preToolUse',
    payload: (session, { cwd }, { name, input }) => ({
      sessionId: session,
      cwd,
      toolName: name,
      toolArgs: input,
    }),
    absolute: true,
    variable: 'COPILOT_PROJECT_DIR',
    writes: {
      create: (path) => tool('create', { path, file_text: 'one\n' }),
      edit: (path) => tool('edit', { path, old_str: 'one', new_str: 'two' }),
      apply_patch: (path) => tool('apply_patch', { input: changed(path) }),
    },
  },
  cline: {
    fixture: 'PreToolUse',
    payload: (session, { project, further = [] }, { name, input }) => ({
      taskId: session,
      sessionContext: { rootSessionId: session },
      workspaceRoots: [project, ...further],
      workspaceInfo: { rootPath: project, hint: 'work' },
      tool_call: { id: callId(), name, input },
    }),
    absolute: true,
    lists: true,
    writes: {
      'editor, a new file': (path) => tool('editor', { path, new_text: 'one\n' }),
      'editor, a change': (path) => tool('editor', { path, old_text: 'one', new_text: 'two' }),
      apply_patch: (path) => tool('apply_patch', { input: changed(path) }),
    },
  },
  cursor: {
    fixture: 'preToolUse',
    payload: (session, { cwd, project, further = [] }, { name, input }) => ({
      conversation_id: session,
      workspace_roots: [project, ...further],
      cwd,
      tool_name: name,
      tool_input: input,
      tool_use_id: callId(),
    }),
    absolute: true,
    lists: true,
    writes: {
      Write: (file_path) => tool('Write', { file_path, contents: 'one\n' }),
      Delete: (file_path) => tool('Delete', { file_path }),
    },
  },
  opencode: {
    fixture: 'tool.execute.before',
    payload: (session, { cwd }, { name, input }) => ({
      directory: cwd,
      input: { tool: name, sessionID: session, callID: callId() },
      output: { args: input },
    }),
    absolute: true,
    writes: {
      write: (filePath) => tool('write', { filePath, content: 'one\n' }),
      edit: (filePath) => tool('edit', { filePath, oldString: 'one', newString: 'two' }),
      apply_patch: (path) => tool('apply_patch', { patchText: changed(path) }),
    },
  },
  pi: {
    fixture: 'tool_call',
    payload: (session, { cwd }, { name, input }) => ({
      session,
      cwd,
      event: { type: 'tool_call', toolName: name, toolCallId: callId(), input },
    }),
    absolute: false,
    writes: {
      write: (path) => tool('write', { path, content: 'one\n' }),
      edit: (path) => tool('edit', { path, edits: [{ oldText: 'one', newText: 'two' }] }),
    },
  },
  goose: {
    fixture: 'PreToolUse',
    payload: (session, { cwd }, { name, input }) => ({
      session_id: session,
      working_dir: cwd,
      tool_name: name,
      tool_input: input,
    }),
    absolute: true,
    writes: {
      write: (path) => tool('write', { path, content: 'one\n' }),
      edit: (path) => tool('edit', { path, before: 'one', after: 'two' }),
    },
  },
};

/** The launcher about one call of an agent, started in another folder than the agent works in. */
export function launchCall(
  name: string,
  place: Place,
  tool: Tool,
  { session, home, startedIn }: { session: string; home: string; startedIn: string },
): Promise<Answer> {
  const { fixture, payload, variable } = AGENTS[name]!;
  const native = { ...fixturesOf(name)[fixture], ...payload(session, place, tool) };
  return launch([name, eventOf(fixture), '--dir', place.policy], JSON.stringify(native), home, HOOK_FILE, {
    cwd: startedIn,
    ...(variable !== undefined && { env: { [variable]: place.project } }),
  });
}
