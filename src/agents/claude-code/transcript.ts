/** The transcripts of Claude Code: `projects/FOLDER/SESSION.jsonl` in its own folder, a line a message. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type NoTranscript, partsText, type Transcript, TranscriptBuilder, timeIn } from '../transcript.ts';
import { resultText } from './result.ts';
import { TOOLS } from './tools.ts';

/** Where the line does not say who refused a call: the words in which the agent tells its model of a person's no. */
const DECLINED = /^The user doesn't want to (?:proceed with this tool use|take this action right now)\./;
const USER_PREFIX = 'the user said:\n';
const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/;
/** Typed by the person, but to the program and not to the model. */
const NOT_A_PROMPT = /^(?:<(?:command-|local-command-|bash-|user-memory)|Caveat: The messages below)/;
/** What the agent calls a refusal that no person spoke. */
const PERSON = 'user-rejected';

const MOST_IDS = 100_000;

export function readTranscript(lines: Iterable<Json | null>): Transcript | NoTranscript {
  const to = new TranscriptBuilder({ tools: TOOLS, forms: {} });
  const seen = new Set<string>();
  for (const line of lines) {
    if (!isJsonObject(line)) {
      to.unread++;
      continue;
    }
    const { uuid, message } = line;
    if (to.session === null) to.session = sessionOf(line);
    if (to.cwd === null && typeof line.cwd === 'string') to.cwd = line.cwd;
    if (!isJsonObject(message)) continue;
    // A session that is gone on with repeats its lines.
    if (typeof uuid === 'string' && seen.has(uuid)) continue;
    if (typeof uuid === 'string' && seen.size < MOST_IDS) seen.add(uuid);
    if (line.type === 'assistant') {
      calls(message, timeIn(line.timestamp), to);
      spent(message, to);
    }
    if (line.type === 'user') answers(line, message, to);
  }
  return to.done('Claude Code');
}

/** A sub-agent has a file of its own, under the session it works for. */
function sessionOf({ sessionId, agentId }: JsonObject): string | null {
  if (typeof sessionId !== 'string') return null;
  return typeof agentId === 'string' ? `${sessionId}.${agentId}` : sessionId;
}

function calls({ content }: JsonObject, at: number | null, to: TranscriptBuilder): void {
  for (const part of listOf(content)) {
    if (part.type !== 'tool_use' || typeof part.name !== 'string' || typeof part.id !== 'string') continue;
    to.call(at, { id: part.id, name: part.name, input: part.input ?? {} });
  }
}

const SENT = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

/** An answer of several parts is several lines with one id. */
function spent({ id, model, usage }: JsonObject, to: TranscriptBuilder): void {
  // Words of the agent itself, of no model.
  if (model !== '<synthetic>') to.speaksTo(model);
  to.spend(id, usage, SENT, 'output_tokens');
}

function answers(line: JsonObject, { content }: JsonObject, to: TranscriptBuilder): void {
  const at = timeIn(line.timestamp);
  const results = listOf(content).filter((part) => part.type === 'tool_result');
  for (const part of results) answer(line, part, at, to);
  if (results.length > 0) return;
  const text = partsText(content);
  if (INTERRUPTED.test(text.trim())) {
    to.interrupted(at);
    return;
  }
  const typed = line.isMeta !== true && line.isCompactSummary !== true && line.isSidechain !== true;
  if (typed && !NOT_A_PROMPT.test(text)) to.prompt(at, text);
}

function answer(line: JsonObject, part: JsonObject, at: number | null, to: TranscriptBuilder): void {
  const { tool_use_id: id, content, is_error: failed = false } = part;
  if (typeof id !== 'string') return;
  const output = typeof content === 'string' ? content : resultText(content ?? '');
  const kind = typeof line.toolDenialKind === 'string' ? line.toolDenialKind : null;
  const declined = kind === null ? failed === true && DECLINED.test(output) : kind === PERSON;
  if (declined) to.refused(at, id, 'person', feedback(line, output));
  else if (kind !== null) to.refused(at, id, null, output);
  else to.result(at, id, { output, isError: failed === true });
}

/** What the person said with the no, if anything. */
function feedback({ userFeedback }: JsonObject, output: string): string {
  if (typeof userFeedback === 'string' && userFeedback !== '') return userFeedback;
  const said = output.indexOf(USER_PREFIX);
  return said === -1 ? 'declined' : output.slice(said + USER_PREFIX.length).trim() || 'declined';
}

function listOf(content: Json | undefined): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}
