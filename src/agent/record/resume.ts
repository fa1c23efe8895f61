/**
 * The conversation of a transcript, to go on with: the messages as the session had them when it ended, shortened where it had
 * shortened them, and without a call whose result never came.
 */
import { isJsonObject, type Json } from '../../base/index.ts';
import { summaryMessage } from '../compaction/compact.ts';
import { messagesFrom } from '../loop/read-rewritten.ts';
import type { Message } from '../message.ts';
import { parseTranscript } from './transcript.ts';

export interface Resumed {
  readonly sessionId: string;
  readonly model: string | null;
  readonly messages: readonly Message[];
  /** Entries it has, the header not counted. */
  readonly entries: number;
}

/** Throws a SyntaxError for what is no transcript. */
export function resumeTranscript(text: string): Resumed {
  const [header, ...entries] = parseTranscript(text);
  if (header?.type !== 'session' || typeof header.id !== 'string') {
    throw new SyntaxError('its first line is not the header of a transcript');
  }
  let messages: Message[] = [];
  for (const entry of entries) {
    if (entry.type === 'message') messages.push(...readMessage(entry.message));
    else if (entry.type === 'hook' && entry.event === 'compact.post')
      messages = shortened(messages, entry.payload);
  }
  return {
    sessionId: header.id,
    model: typeof header.model === 'string' ? header.model : null,
    messages: wholeCalls(messages),
    entries: entries.length,
  };
}

function readMessage(json: Json | undefined): readonly Message[] {
  const { value, problems } = messagesFrom([json ?? null]);
  if (problems.length > 0)
    throw new SyntaxError(`a message of the transcript cannot be read: ${problems[0]}`);
  return value;
}

/** What a pass of compaction left of them: a summary, the prompt under way, and the latest. */
function shortened(messages: readonly Message[], payload: Json | undefined): Message[] {
  if (!isJsonObject(payload)) return [...messages];
  const { message_count_after: after, summary } = payload;
  if (typeof after !== 'number' || typeof summary !== 'string') return [...messages];
  const prompt = messages.findLastIndex(({ role }) => role === 'user');
  const without = messages.length - after + 1;
  const cut = prompt < without ? without + 1 : without;
  const kept = prompt < cut ? [messages[prompt]!] : [];
  return [summaryMessage(summary, cut), ...kept, ...messages.slice(cut)];
}

/** Up to the first call that has no result: a process that was killed leaves one, and no model takes it. */
function wholeCalls(messages: readonly Message[]): readonly Message[] {
  for (const [place, message] of messages.entries()) {
    if (message.role !== 'assistant' || message.tool_calls.length === 0) continue;
    const next = messages.findIndex(({ role }, i) => i > place && role !== 'tool');
    const answers = messages.slice(place + 1, next === -1 ? undefined : next);
    const answered = new Set(answers.flatMap((each) => (each.role === 'tool' ? [each.call_id] : [])));
    if (!message.tool_calls.every(({ id }) => answered.has(id))) return messages.slice(0, place);
  }
  return messages;
}
