/** The transcripts of Codex CLI: `sessions/YEAR/MONTH/DAY/rollout-….jsonl` in its own folder. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type NoTranscript, partsText, type Transcript, TranscriptBuilder, timeIn } from '../transcript.ts';
import { adapter } from './index.ts';
import { toolSet } from './read.ts';

/** All of a result that a person's no leaves: `exec command rejected by user`, `aborted by user after 2.1s`. */
const DECLINED = /^(?:[a-z_]+(?: [a-z_]+)? )?rejected by user\.?$/;
const BROKEN_OFF = /^(?:[a-z_]+(?: [a-z_]+)? )?aborted by user(?: after [\d.]+ ?s)?\.?$/;
const BLOCKED = /^(?:Command|Tool call) blocked by PreToolUse hook: /;

type Reader = (payload: JsonObject, at: number | null, to: TranscriptBuilder) => void;

export function readTranscript(lines: Iterable<Json | null>): Transcript | NoTranscript {
  const to = new TranscriptBuilder(toolSet(adapter.tools));
  for (const line of lines) {
    if (!isJsonObject(line)) {
      to.unread++;
      continue;
    }
    const { type, payload } = line;
    if (typeof type !== 'string' || !isJsonObject(payload)) continue;
    const inner = typeof payload.type === 'string' ? payload.type : '';
    const name = inner === '' || type === 'session_meta' ? type : `${type} ${inner}`;
    if (Object.hasOwn(READERS, name)) READERS[name]!(payload, timeIn(line.timestamp), to);
  }
  return to.done('Codex CLI');
}

const READERS: Readonly<Record<string, Reader>> = {
  session_meta: ({ id, cwd }, _at, to) => {
    if (to.session === null && typeof id === 'string') to.session = id;
    if (to.cwd === null && typeof cwd === 'string') to.cwd = cwd;
  },
  'event_msg user_message': ({ message }, at, to) => {
    if (typeof message === 'string') to.prompt(at, message);
  },
  'event_msg item_completed': ({ item }, at, to) => {
    if (isJsonObject(item) && item.type === 'UserMessage') to.prompt(at, partsText(item.content));
  },
  // The sum of the session so far.
  'event_msg token_count': ({ info }, _at, to) => {
    if (isJsonObject(info)) to.spend('session', info.total_token_usage, ['input_tokens'], 'output_tokens');
  },
  turn_context: ({ model }, _at, to) => to.speaksTo(model),
  'event_msg turn_aborted': ({ reason }, at, to) => {
    if (reason === 'interrupted') to.interrupted(at);
  },
  'response_item function_call': (payload, at, to) => call(payload, parsed(payload.arguments), at, to),
  'response_item local_shell_call': ({ call_id: id, action }, at, to) =>
    call({ call_id: id ?? null, name: 'local_shell' }, action, at, to),
  'response_item custom_tool_call': (payload, at, to) => {
    const { name, input = '' } = payload;
    call(payload, name === 'apply_patch' ? { command: input } : { input }, at, to);
  },
  'response_item web_search_call': ({ action }, at, to) => {
    if (isJsonObject(action) && typeof action.query === 'string') {
      to.call(at, { id: null, name: 'web_search', input: { query: action.query } });
    }
  },
  'response_item function_call_output': result,
  'response_item custom_tool_call_output': result,
};

function call(payload: JsonObject, input: Json | undefined, at: number | null, to: TranscriptBuilder): void {
  const { call_id: id, name, namespace } = payload;
  if (typeof id !== 'string' || typeof name !== 'string') return;
  const server = typeof namespace === 'string' && namespace.startsWith('mcp__') ? namespace : '';
  const full = server === '' ? name : `${server.replace(/_*$/, '')}__${name}`;
  to.call(at, { id, name: full, input: input ?? {}, cwd: to.cwd });
}

function result({ call_id: id, output }: JsonObject, at: number | null, to: TranscriptBuilder): void {
  if (typeof id !== 'string') return;
  const content = isJsonObject(output) ? (output.content ?? output.body ?? '') : (output ?? '');
  const text = typeof content === 'string' ? content : partsText(content);
  if (DECLINED.test(text)) to.refused(at, id, 'person', 'declined');
  else if (BROKEN_OFF.test(text)) to.brokenOff(at, id);
  else if (BLOCKED.test(text)) to.refused(at, id, null, text);
  else {
    const success = isJsonObject(output) ? output.success : undefined;
    to.result(at, id, { output: text, isError: typeof success === 'boolean' ? !success : null });
  }
}

/** As it stands if it is no JSON: then the call cannot be told, and is counted so. */
function parsed(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
