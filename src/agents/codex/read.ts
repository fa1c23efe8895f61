/** Payloads of Codex: the names of fields of Claude Code, with its own tools behind them. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow, ToolRow } from '../adapter.ts';
import { patchForm } from '../apply-patch.ts';
import { eventReaderOf, SNAKE_CASE, subAgentStop, texts, withSession } from '../read-event.ts';
import type { NativeReader } from '../read-native.ts';
import { commandForm } from '../shell-words.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import { isNotACall, type ToolSet } from '../tool-forms.ts';
import { withPatches } from './shell-patch.ts';

/** Tools whose command line is a text in one version and a list of words in another. */
const COMMANDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  shell: 'command',
  shell_command: 'command',
  local_shell: 'command',
  exec_command: 'cmd',
};

export function toolSet(tools: readonly ToolRow[]): ToolSet {
  const commands = Object.entries(COMMANDS).map(([name, key]) => [
    name,
    withPatches(commandForm(tools, name, key)),
  ]);
  return { tools, forms: { apply_patch: patchForm('command'), ...Object.fromEntries(commands) } };
}

/** The call as the payload names it; also what an answer needs to put a rewrite back. */
export function toolIn(native: JsonObject, fields: NativeReader): NativeTool {
  return {
    id: fields.optionalText('tool_use_id'),
    name: fields.text('tool_name'),
    input: native.tool_input ?? null,
    // Of a command this is where it runs, which its input does not say.
    cwd: fields.optionalText('cwd'),
  };
}

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    ...SNAKE_CASE,
    rows,
    readers: {
      SessionStart: withSession({ model: 'model', source: 'source' }),
      UserPromptSubmit: (_native, fields) => ({ payloads: [fields.text('prompt')] }),
      PreToolUse: (native, fields, session) => beforeTool(set, toolIn(native, fields), session),
      PermissionRequest: (native, fields, session) => {
        const asked = beforeTool(set, toolIn(native, fields), session);
        return isNotACall(asked) ? asked : { payloads: asked.payloads };
      },
      PostToolUse: (native, fields, session) => {
        const output = native.tool_response ?? null;
        return afterTool(set, toolIn(native, fields), { output, isError: failed(output) }, session);
      },
      SubagentStop: subAgentStop,
      PreCompact: withSession({ trigger: 'trigger' }),
      PostCompact: withSession({ trigger: 'trigger' }),
      SessionEnd: withSession({ reason: 'reason' }),
      Stop: (native) => ({
        payloads: [{ response: '', ...texts(native, { last_assistant_message: 'response' }) }],
      }),
    },
  });
}

/** A command's result is its output alone; only results of MCP tools say that they failed. */
function failed(output: Json): boolean | null {
  if (!isJsonObject(output)) return null;
  const flag = output.isError ?? output.is_error;
  return typeof flag === 'boolean' ? flag : null;
}
