/**
 * A conversation as something that can be shortened: how much it is, where it may be cut, and what stands for a part that
 * was taken out. Pure functions: the same messages give the same answers.
 */

import { clip } from '../../base/index.ts';
import type { Message } from '../message.ts';

/** What providers count as a token is about four characters of English; a call or message costs a few more. */
const CHARS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + TOKENS_PER_MESSAGE + tokensIn(sizeOf(message)), 0);
}

export function tokensIn(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function sizeOf(message: Message): number {
  if (message.role !== 'assistant') return message.content.length;
  return message.tool_calls.reduce(
    (sum, { name, args }) => sum + name.length + JSON.stringify(args).length,
    message.content.length,
  );
}

/**
 * How many messages may go so that the last `keepTurns` round trips stay whole: a call is never parted from its result,
 * nor an answer from the prompt right before it. Fewer stay, but at least one, where those are more than `keepTokens`.
 */
export function cutBefore(messages: readonly Message[], keepTurns: number, keepTokens: number): number {
  const starts = startsOfTurns(messages);
  for (let keep = Math.min(keepTurns, starts.length); keep >= 1; keep--) {
    const cut = starts[starts.length - keep]!;
    if (keep === 1 || estimateTokens(messages.slice(cut)) <= keepTokens) return cut;
  }
  return 0;
}

function startsOfTurns(messages: readonly Message[]): number[] {
  return messages.flatMap(({ role }, at) => {
    if (role !== 'assistant') return [];
    return messages[at - 1]?.role === 'user' ? [at - 1] : [at];
  });
}

const MOST_OF = { user: 2000, assistant: 400, args: 160, result: 160 } as const;
const MOST_CHARS = 12_000;

/** The summary that needs no model: a line for each thing said and done, the newest kept where there are too many. */
export function digest(messages: readonly Message[]): string {
  const lines = messages.flatMap(linesOf);
  const [first = '', ...rest] = lines;
  const kept: string[] = [];
  let room = MOST_CHARS - first.length;
  for (const line of rest.reverse()) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  const left = lines.length - 1 - kept.length;
  return [first, ...(left > 0 ? [`(${left} lines left out)`] : []), ...kept].join('\n');
}

function linesOf(message: Message): string[] {
  if (message.role === 'user') return [`user: ${line(message.content, MOST_OF.user)}`];
  if (message.role === 'tool') {
    const became = message.is_error ? 'failed' : 'returned';
    return [`${message.name} ${became}: ${line(message.content, MOST_OF.result)}`];
  }
  const said = message.content === '' ? [] : [`assistant: ${line(message.content, MOST_OF.assistant)}`];
  const calls = message.tool_calls.map(
    ({ name, args }) => `assistant called ${name}(${line(JSON.stringify(args), MOST_OF.args)})`,
  );
  return [...said, ...calls];
}

function line(text: string, most: number): string {
  return clip(text.replace(/\s+/g, ' ').trim(), most);
}
