/**
 * Copilot, Cursor and VS Code run the hooks of Claude Code's settings too. The registered line says `claude-code` to all of them, so
 * they are told by what they send: fields that Claude Code does not have. Their payloads are read as Claude Code's, with the names of
 * their own tools, and answered in its words. Copilot's were captured; the other two are as they are documented.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow, ToolRow } from '../adapter.ts';
import { patchForm } from '../apply-patch.ts';
import { deleting, listOf, type ToolSet } from '../tool-forms.ts';
import { toCanonical, toNativeInput, toolRow } from '../tools.ts';
import { TOOLS } from './tools.ts';

const CURSOR: readonly ToolRow[] = [
  { native: 'Shell', name: 'run_command', args: { command: 'command', working_directory: 'cwd' } },
  {
    native: 'Write',
    name: 'write_file',
    args: { file_path: 'path', content: 'content', contents: 'content' },
  },
  { native: 'Read', name: 'read_file', args: { file_path: 'path', target_file: 'path' } },
  { native: 'Delete', name: 'edit_file', args: { file_path: 'path' } },
];

const REPLACEMENT: ToolRow = {
  native: 'replace_string_in_file',
  name: 'edit_file',
  args: { filePath: 'path', oldString: 'old', newString: 'new' },
};

const VS_CODE: readonly ToolRow[] = [
  { native: 'run_in_terminal', name: 'run_command', args: { command: 'command' } },
  { native: 'create_file', name: 'write_file', args: { filePath: 'path', content: 'content' } },
  { native: 'read_file', name: 'read_file', args: { filePath: 'path' } },
  REPLACEMENT,
  { native: 'multi_replace_string_in_file', name: 'edit_file', args: {} },
  { native: 'insert_edit_into_file', name: 'edit_file', args: { filePath: 'path', code: 'new' } },
  { native: 'edit_notebook_file', name: 'edit_file', args: { filePath: 'path', newCode: 'new' } },
  { native: 'apply_patch', name: 'edit_file', args: {} },
];

const OWN = [...CURSOR, ...VS_CODE];

export const OTHER_TOOLS: ToolSet = {
  tools: [...OWN, ...TOOLS.filter(({ native }) => toolRow(OWN, native) === null)],
  forms: {
    Delete: deleting(OWN, 'Delete'),
    apply_patch: patchForm('input'),
    multi_replace_string_in_file: listOf(['replacements'], {
      split: (item) =>
        isJsonObject(item)
          ? toCanonical([REPLACEMENT], REPLACEMENT.native, item)
          : { problem: 'want each replacement to be an object' },
      join: (item, after) =>
        isJsonObject(item) ? toNativeInput([REPLACEMENT], REPLACEMENT.native, item, after) : null,
    }),
  },
};

const isText = (value: Json | undefined) => typeof value === 'string';

function isCursor({ cursor_version }: JsonObject): boolean {
  return isText(cursor_version);
}

/** Copilot and VS Code say when an event was, Cursor which Cursor it is. */
export function isOther(native: JsonObject): boolean {
  return isText(native.timestamp) || isCursor(native) || isText(native.hookEventName);
}

/** Fields of theirs, where Claude Code's own is missing. */
const FIELDS = {
  session_id: ['sessionId', 'conversation_id'],
  hook_event_name: ['hookEventName'],
  tool_response: ['tool_output'],
  error: ['error_message'],
} as const;

export function asClaudeCode(given: JsonObject, event: string | null, rows: readonly EventRow[]): JsonObject {
  if (!isOther(given)) return given;
  const { tool_result: result, ...rest } = given;
  const native: Record<string, Json> = rest;
  for (const [field, theirs] of Object.entries(FIELDS)) {
    const found = theirs.find((name) => native[name] !== undefined);
    if (native[field] === undefined && found !== undefined) native[field] = native[found]!;
  }
  if (isJsonObject(result)) {
    const isError = result.result_type !== undefined && result.result_type !== 'success';
    native[isError ? 'error' : 'tool_response'] = String(result.text_result_for_llm ?? '');
  }
  const said = native.hook_event_name;
  if (typeof said !== 'string') return native;
  const same = rows.find((row) => row.native.toLowerCase() === said.toLowerCase())?.native ?? said;
  const named = said === 'beforeSubmitPrompt' ? 'UserPromptSubmit' : same;
  // A failed call is an event of its own in Claude Code only.
  return {
    ...native,
    hook_event_name: event === 'PostToolUse' && named === `${event}Failure` ? event : named,
  };
}

/**
 * Less than Claude Code honours: none of them replaces the result of one of its own tools, Cursor is not known to wait for the answer to
 * an ask, and the input of a tool of theirs is not rewritten.
 */
export function honoured(row: EventRow, native: JsonObject): EventRow {
  if (!isOther(native)) return row;
  const { honours } = row;
  if (row.event === 'tool.post') return { ...row, honours: { ...honours, block: false, modify: false } };
  if (row.event !== 'tool.pre') return row;
  const isTheirs = typeof native.tool_name === 'string' && toolRow(OWN, native.tool_name) !== null;
  return {
    ...row,
    honours: { ...honours, ask: honours.ask && !isCursor(native), modify: honours.modify && !isTheirs },
  };
}
