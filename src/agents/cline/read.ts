/** Payloads of Cline. They name the event in other words than the file that is called. */
import { isJsonObject, type Json, type JsonObject, kindOf } from '../../base/index.ts';
import type { EventRow, ToolRow } from '../adapter.ts';
import { patchForm } from '../apply-patch.ts';
import { eventReaderOf, foldersIn, optionalText, subAgentIn, texts } from '../read-event.ts';
import { commandText } from '../shell-words.ts';
import { afterTool, beforeTool, type NativeResult, type NativeTool } from '../tool-events.ts';
import { type ItemForm, listOf, renaming, type ToolForm, type ToolSet, textItem } from '../tool-forms.ts';

/** What a payload calls the event, by the name of the file that is called for it. */
const FILES: Readonly<Record<string, string>> = {
  agent_start: 'TaskStart',
  agent_resume: 'TaskStart',
  tool_call: 'PreToolUse',
  tool_result: 'PostToolUse',
  agent_end: 'TaskComplete',
  agent_error: 'TaskError',
  session_shutdown: 'SessionShutdown',
};

export function toolSet(tools: readonly ToolRow[]): ToolSet {
  return {
    tools,
    forms: {
      run_commands: listOf(['commands', 'cmd'], COMMAND),
      read_files: listOf(
        ['files', 'file_paths', 'paths'],
        textItem('read_file', 'path', ['path', 'file_path', 'filePath']),
      ),
      fetch_web_content: listOf(['requests'], textItem('fetch_url', 'url', ['url'])),
      search_codebase: listOf(['queries'], textItem('search_files', 'pattern', ['query'])),
      apply_patch: patchForm('input'),
      editor: editorForm(tools),
    },
  };
}

/** A command line, or a program and its words, which run without a shell. */
const COMMAND: ItemForm = {
  split(item) {
    if (typeof item === 'string') return { name: 'run_command', args: { command: item } };
    if (!isJsonObject(item)) return { problem: `want a command, got ${kindOf(item)}` };
    const { command, args = [] } = item;
    const text = Array.isArray(args) && typeof command === 'string' ? commandText([command, ...args]) : null;
    // A single text is a command line, whatever it is wrapped in.
    const line = Object.hasOwn(item, 'args') ? text : command;
    return typeof line === 'string'
      ? { name: 'run_command', args: { command: line } }
      : { problem: `want command to be a text, got ${kindOf(command)}` };
  },
  join(item, { command, ...more }) {
    if (typeof command !== 'string' || Object.keys(more).length > 0) return null;
    const was = COMMAND.split(item);
    return 'args' in was && was.args.command === command ? item : command;
  },
};

/** Without a text to replace, or a line to insert at, it writes the whole file. */
function editorForm(tools: readonly ToolRow[]): ToolForm {
  const edit = renaming(tools, 'editor');
  const writing = [{ native: 'editor', name: 'write_file', args: { new_text: 'content' } }];
  const write = renaming(writing, 'editor');
  const formOf = (input: Json) =>
    isJsonObject(input) && (input.old_text ?? null) === null && (input.insert_line ?? null) === null
      ? write
      : edit;
  return {
    split: (input) => formOf(input).split(input),
    join: (input, after) => formOf(input).join(input, after),
  };
}

/** The call stands under another name before it and after it. */
export function toolIn(native: JsonObject, key = 'tool_call'): NativeTool | null {
  const call = native[key];
  if (call === undefined || !isJsonObject(call) || typeof call.name !== 'string') return null;
  return { id: optionalText(call, 'id'), name: call.name, input: call.input ?? null };
}

const NO_CALL = { problem: 'want a tool call with a name, got none' };

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    rows,
    named: (native) => {
      const name = optionalText(native, 'hookName');
      return name === null ? null : (FILES[name] ?? name);
    },
    source: (native, fields) => {
      const { sessionContext: context } = native;
      const roots = foldersIn(native.workspaceRoots);
      const root = isJsonObject(context) ? optionalText(context, 'rootSessionId') : null;
      return {
        // Sub-agents have tasks of their own in the session of the first.
        session: root ?? fields.text('taskId'),
        cwd: roots[0] ?? null,
        roots,
        transcript: null,
        subAgent:
          optionalText(native, 'parent_agent_id') === null
            ? null
            : subAgentIn(native, 'agent_id', 'agent_type'),
      };
    },
    readers: {
      TaskStart: (_native, _fields, session) => ({ payloads: [{ session_id: session }] }),
      SessionShutdown: (_native, _fields, session) => ({ payloads: [{ session_id: session }] }),
      PreToolUse: (native, _fields, session) => {
        const tool = toolIn(native);
        return tool === null ? NO_CALL : beforeTool(set, tool, session);
      },
      PostToolUse: (native, _fields, session) => {
        const tool = toolIn(native, 'tool_result');
        if (tool === null) return NO_CALL;
        const { output = null, error = null } = native.tool_result as JsonObject;
        const each = Array.isArray(output) ? output.map(resultIn) : [];
        const failed = error !== null || each.some(({ isError }) => isError === true);
        const whole = { output: output ?? error, isError: failed || resultIn(output).isError };
        return afterTool(set, tool, whole, session, each);
      },
      TaskComplete: (native) => {
        const { turn } = native;
        const said = isJsonObject(turn) ? turn : {};
        return {
          payloads: [
            {
              response: '',
              ...texts(said, { outputText: 'response', status: 'finish_reason' }),
              ...texts(native, { agent_id: 'id', parent_agent_id: 'parent_id' }),
            },
          ],
        };
      },
      TaskError: (native, _fields, session) => {
        const { error } = native;
        const message = isJsonObject(error) ? optionalText(error, 'message') : optionalText(native, 'error');
        return { payloads: [{ message: message ?? 'the run failed', session_id: session }] };
      },
    },
  });
}

/** The result of one command of the list, or of another tool. */
function resultIn(value: Json): NativeResult {
  if (!isJsonObject(value)) return { output: value, isError: null };
  return {
    output: typeof value.result === 'string' ? value.result : value,
    isError: typeof value.success === 'boolean' ? !value.success : null,
  };
}
