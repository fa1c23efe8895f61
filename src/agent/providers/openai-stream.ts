/**
 * An answer of the Chat Completions API, whole or in chunks. Servers that only speak like it differ in small ways, and
 * what can be understood is understood.
 */
import type OpenAI from 'openai';
import type { ToolCall } from '../message.ts';
import { requestHeaders, type Tokens } from './sdk.ts';
import { Malformed, Truncated } from './sdk-failure.ts';

export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason: string;
  readonly isRefused: boolean;
  readonly tokens: Tokens;
}

type Usage = OpenAI.CompletionUsage | null | undefined;

interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  text: string;
}

export function answerOf(completion: OpenAI.ChatCompletion): Answer {
  const choice = completion?.choices?.[0];
  if (choice?.message === undefined) throw new Malformed('gave an answer without a message');
  const { content, refusal, tool_calls } = choice.message;
  const calls = (tool_calls ?? []).flatMap((call): OpenCall[] =>
    call.type === 'custom'
      ? []
      : [{ index: undefined, id: call.id, name: call.function.name, text: call.function.arguments }],
  );
  return assembled(textOf(content), refusal ?? '', calls, choice.finish_reason, completion.usage);
}

export async function readAnswer(
  chunks: AsyncIterable<OpenAI.ChatCompletionChunk>,
  onText: (piece: string) => void,
): Promise<Answer> {
  const calls: OpenCall[] = [];
  let [text, refusal] = ['', ''];
  let usage: Usage;
  let finishReason: string | null = null;
  let seen = 0;
  try {
    for await (const chunk of chunks) {
      seen++;
      usage = chunk.usage ?? usage;
      const choice = chunk.choices?.[0];
      if (choice === undefined) continue;
      finishReason = choice.finish_reason ?? finishReason;
      const { delta } = choice;
      const said = textOf(delta?.content);
      text += said;
      refusal += delta?.refusal ?? '';
      for (const piece of [said, delta?.refusal ?? '']) if (piece !== '') onText(piece);
      for (const piece of delta?.tool_calls ?? []) grow(calls, piece);
    }
  } catch (thrown) {
    // All that can still be missing then is the count of tokens.
    if (finishReason === null) throw thrown;
  }
  if (seen === 0) throw new Malformed('sent no event stream: is the address right?');
  if (finishReason === null) throw new Truncated('ended the stream before the answer was whole');
  return assembled(text, refusal, calls, finishReason, usage);
}

/** Pieces belong together by their index. Some servers give none, or the same one to each call with an id of its own. */
function grow(calls: OpenCall[], piece: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const { index, id, function: { name = '', arguments: text = '' } = {} } = piece as Partial<typeof piece>;
  const call = index === undefined && !id ? calls.at(-1) : calls.findLast((each) => each.index === index);
  if (call === undefined || (id && call.id !== '' && call.id !== id)) {
    calls.push({ index, id: id ?? '', name, text });
    return;
  }
  if (call.id === '') call.id = id ?? '';
  if (call.name === '') call.name = name;
  call.text += text;
}

function assembled(
  text: string,
  refusal: string,
  open: readonly OpenCall[],
  finishReason: string,
  usage: Usage,
): Answer {
  const calls = open.map(({ id, name, text: written }, place) =>
    requestHeaders(id, name, written ?? '', finishReason === 'length' && place === open.length - 1),
  );
  return {
    text: text + refusal,
    calls,
    finishReason,
    isRefused: refusal !== '',
    tokens: tokensOf(usage),
  };
}

/** Some servers give parts, of which only those with text are for people. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part?.type === 'text' ? String(part.text ?? '') : '')).join('');
}

function tokensOf(usage: Usage): Tokens {
  const cacheRead = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    input: Math.max(0, (usage?.prompt_tokens ?? 0) - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output: usage?.completion_tokens ?? 0,
  };
}
