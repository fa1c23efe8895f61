/**
 * What goes over the wire, as data: status, headers, the pieces of the body and how it ends. Made from an answer or an item
 * by pure functions; send.ts does the sending.
 */
import type { Json } from '../../base/index.ts';
import type { Answer } from './answer.ts';
import type { AnswerStamp, Dialect, Failure, StreamEvent } from './dialect.ts';
import type { Framing, ModelRequest } from './model-request.ts';
import type { ServerCompletion } from './script.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Each is written on its own. */
  readonly chunks: readonly string[];
  readonly delayMs: number;
  /** Between two chunks. */
  readonly paceMs: number;
  /** `hang` without a chunk sends not even the status. */
  readonly ending: 'end' | 'cut' | 'hang';
}

const CONTENT_TYPES: Readonly<Record<Framing, string>> = {
  json: 'application/json; charset=utf-8',
  sse: 'text/event-stream; charset=utf-8',
  'json-array': 'application/json; charset=utf-8',
};

const AT_ONCE = { delayMs: 0, paceMs: 0, ending: 'end' } as const;

export function jsonReply(body: Json, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  const withType = { 'content-type': CONTENT_TYPES.json, ...headers };
  return { ...AT_ONCE, status, headers: withType, chunks: [JSON.stringify(body)] };
}

export function failureReply(dialect: Dialect, failure: Failure): Reply {
  const { status, retryAfterMs } = failure;
  const wait = retryAfterMs !== undefined && {
    'retry-after': String(Math.ceil(retryAfterMs / 1000)),
    'retry-after-ms': String(retryAfterMs),
  };
  return jsonReply(dialect.failure(failure), status, { ...wait });
}

export function answerReply(
  dialect: Dialect,
  answer: Answer,
  request: ModelRequest,
  stamp: AnswerStamp,
): Reply {
  return framed(request, chunksOf(dialect, answer, request, stamp));
}

/** The reply an item asks for; `answer` is what the item says. */
export function itemReply(
  item: ServerCompletion,
  dialect: Dialect,
  answer: Answer,
  request: ModelRequest,
  stamp: AnswerStamp,
): Reply {
  const reply =
    item.error === undefined ? replyTo(item, dialect, answer, request, stamp) : failed(item.error);
  const { delay_ms = 0, pace_ms = 0, cut_after, hang } = item;
  return {
    ...reply,
    delayMs: delay_ms,
    paceMs: pace_ms,
    ...(cut_after !== undefined && { ending: 'cut', chunks: reply.chunks.slice(0, cut_after) }),
    ...(hang && { ending: 'hang' }),
  };

  function failed({ status, message, retry_after_ms }: NonNullable<ServerCompletion['error']>): Reply {
    return failureReply(dialect, {
      status,
      message,
      ...(retry_after_ms !== undefined && { retryAfterMs: retry_after_ms }),
    });
  }
}

function replyTo(
  item: ServerCompletion,
  dialect: Dialect,
  answer: Answer,
  request: ModelRequest,
  stamp: AnswerStamp,
): Reply {
  if (item.raw !== undefined) return framed(request, item.raw);
  return item.hang ? framed(request, []) : answerReply(dialect, answer, request, stamp);
}

function framed({ framing }: ModelRequest, chunks: readonly string[]): Reply {
  const headers = { 'content-type': CONTENT_TYPES[framing], 'cache-control': 'no-cache' };
  return { ...AT_ONCE, status: 200, headers, chunks };
}

function chunksOf(
  dialect: Dialect,
  answer: Answer,
  request: ModelRequest,
  stamp: AnswerStamp,
): readonly string[] {
  if (request.framing === 'json') return [JSON.stringify(dialect.body(answer, request, stamp))];
  const events = dialect.events(answer, request, stamp);
  if (request.framing === 'json-array') return arrayChunks(events.map(({ data }) => data));
  const end = dialect.endOfStream;
  return [...events.map(eventText), ...(end === undefined ? [] : [end])];
}

function eventText({ event, data }: StreamEvent): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function arrayChunks(items: readonly Json[]): string[] {
  return items.map((item, at) => {
    const close = at === items.length - 1 ? ']' : ',\r\n';
    return `${at === 0 ? '[' : ''}${JSON.stringify(item)}${close}`;
  });
}
