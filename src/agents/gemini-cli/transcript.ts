/**
 * The transcripts of Gemini CLI: `tmp/PROJECT/chats/session-….jsonl` in its own folder, or one JSON document in older versions.
 * A message is written again when it changes; the last of each counts.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type NoTranscript, partsText, type Transcript, TranscriptBuilder, timeIn } from '../transcript.ts';
import { adapter } from './index.ts';
import { toolSet } from './read.ts';

/** The agent's own words for a person's no; other calls are cancelled by the program. */
const DECLINED = /\bUser (?:denied|cancelled|rejected|did not allow)\b/i;
const BLOCKED = /^Tool execution blocked: /;
const NOT_A_PROMPT = /^<session_context>/;

const MOST_MESSAGES = 100_000;

export function readTranscript(lines: Iterable<Json | null>): Transcript | NoTranscript {
  const to = new TranscriptBuilder(toolSet(adapter.tools));
  const messages = new Map<string, JsonObject>();
  const keep = (list: Json | undefined) => {
    for (const each of Array.isArray(list) ? list : [])
      if (isJsonObject(each) && typeof each.id === 'string' && messages.size < MOST_MESSAGES)
        messages.set(each.id, each);
  };
  for (const line of lines) {
    if (!isJsonObject(line)) {
      to.unread++;
      continue;
    }
    if (to.session === null && typeof line.sessionId === 'string') to.session = line.sessionId;
    keep(line.messages);
    if (isJsonObject(line.$set)) keep(line.$set.messages);
    keep([line]);
  }
  for (const message of messages.values()) addMessage(message, to);
  return to.done('Gemini CLI');
}

function addMessage(message: JsonObject, to: TranscriptBuilder): void {
  const { id, type, content, timestamp, toolCalls, model, tokens } = message;
  to.speaksTo(model);
  to.spend(id, tokens, ['input'], 'output');
  const at = timeIn(timestamp);
  if (type === 'user') {
    const text = partsText(content);
    if (!NOT_A_PROMPT.test(text)) to.prompt(at, text);
  }
  for (const call of Array.isArray(toolCalls) ? toolCalls.filter(isJsonObject) : []) addCall(call, at, to);
}

function addCall(call: JsonObject, before: number | null, to: TranscriptBuilder): void {
  const { id, name, args = {}, status } = call;
  if (typeof id !== 'string' || typeof name !== 'string') return;
  const at = timeIn(call.timestamp);
  to.call(before ?? at, { id, name, input: args });
  const output = resultOf(call);
  if (status === 'cancelled') {
    if (DECLINED.test(output)) to.refused(at, id, 'person', 'declined');
    else to.refused(at, id, null, output);
  } else if (BLOCKED.test(output)) to.refused(at, id, null, output);
  else if (status === 'success' || status === 'error')
    to.result(at, id, { output, isError: status === 'error' });
}

/** What the model read. */
function resultOf({ result, resultDisplay }: JsonObject): string {
  const texts = (Array.isArray(result) ? result.filter(isJsonObject) : []).map(
    ({ functionResponse: given }) => {
      const response = isJsonObject(given) && isJsonObject(given.response) ? given.response : {};
      const said = response.output ?? response.error;
      return typeof said === 'string' ? said : '';
    },
  );
  return texts.join('\n') || (typeof resultDisplay === 'string' ? resultDisplay : '');
}
