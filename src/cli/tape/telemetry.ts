/**
 * A tape as telemetry: a trace for the session, a span for each tool call and completion, a log record for each decision. Ids follow
 * from the session and the entry, so that sending a tape twice sends the same. What people, models and tools wrote is left out unless
 * asked for, and then goes through the redactor.
 */

import type { Hide } from '../../agent/record/transcript.ts';
import { decisionLog } from '../../agent/tracing/decision-log.ts';
import type { LogRecord } from '../../agent/tracing/otlp.ts';
import { type Given, named, type Span, withoutSecrets } from '../../agent/tracing/span.ts';
import { digestOf } from '../../base/digest.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { CallRecord, Entry, Header } from '../../tape/entry.ts';
import { type Chapter, type Story, toolOf } from '../../tape/stories.ts';

export type Telemetry =
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'log'; readonly log: LogRecord };

export interface TelemetryOptions {
  /** Arguments, results, reasons and prompts too. */
  readonly content: boolean;
  /** Milliseconds since the epoch: earlier decisions are not told. */
  readonly since: number;
}

interface Begun {
  readonly seq: number;
  readonly atMs: number;
  readonly name: string;
  readonly given: Given;
  /** It was stopped before it began. */
  readonly stopped: string | null;
}

/** How a span of a tool call ends by what became of it. */
const ERRORS: Readonly<Record<CallRecord['verdict'], string | null>> = {
  ran: null,
  hidden: 'hidden',
  failed: 'failed',
  blocked: 'blocked',
  denied: 'denied',
  refused: 'refused',
  unknown_tool: 'unknown_tool',
  invalid_arguments: 'invalid_arguments',
};

export class TapeTelemetry {
  private readonly header: Header;
  private readonly options: TelemetryOptions;
  private readonly content: Hide | null;
  private readonly traceId: string;
  private readonly rootId: string;
  private readonly calls = new Map<string, Begun>();
  private completion: Begun | null = null;
  private last: number;

  constructor(header: Header, options: TelemetryOptions) {
    this.header = header;
    this.options = options;
    this.content = options.content ? hidden : null;
    this.traceId = digestOf(['harness trace', header.session]).slice(0, 32);
    this.rootId = this.idOf('session', 0);
    this.last = Date.parse(header.started) || 0;
  }

  /** Of an entry that says what became of a call. */
  *hear({ record, at }: Entry): Generator<Telemetry> {
    if (record.type !== 'call') return;
    this.last = at ?? this.last;
    const begun = this.calls.get(record.callId);
    if (begun === undefined) return;
    this.calls.delete(record.callId);
    yield* this.end('tool', begun, this.last, ERRORS[record.verdict]);
  }

  *tell(chapter: Chapter): Generator<Telemetry> {
    if (chapter.kind !== 'decision') return;
    const { story } = chapter;
    const { dispatch, outcome } = story;
    const atMs = dispatch.at ?? this.last;
    this.last = Math.max(this.last, outcome?.at ?? atMs);
    if (atMs < this.options.since) return;
    yield { kind: 'log', log: this.log(story, atMs) };
    yield* this.operation(story, atMs);
  }

  *finish(): Generator<Telemetry> {
    for (const begun of this.calls.values())
      yield* this.end('tool', begun, begun.atMs, begun.stopped ?? 'unfinished');
    if (this.completion !== null) yield* this.end('completion', this.completion, this.last, 'unfinished');
    const startMs = Date.parse(this.header.started) || this.last;
    if (this.last < this.options.since) return;
    const attributes = named({ conversation: this.header.session, source: this.header.host }, this.content);
    yield {
      kind: 'span',
      span: {
        ...{
          kind: 'session',
          name: 'session',
          traceId: this.traceId,
          spanId: this.rootId,
          parentSpanId: null,
        },
        ...{ startMs, endMs: Math.max(startMs, this.last), status: 'ok', attributes, events: [] },
      },
    };
  }

  /** Calls and completions begin with the event before them and end with the one behind. */
  private *operation(story: Story, atMs: number): Generator<Telemetry> {
    const { event, payload, callId } = story.dispatch.record;
    const action = story.outcome?.record.action;
    const { seq } = story.dispatch;
    const stopped = action === 'block' ? 'blocked' : null;
    if (event === 'tool.pre') {
      const tool = toolOf(story) ?? 'tool';
      const given = {
        operation: 'execute_tool',
        toolName: tool,
        toolCallId: callId,
        toolArguments: textAt(payload, 'args'),
      };
      this.calls.set(callId ?? `entry ${seq}`, { seq, atMs, name: `execute_tool ${tool}`, given, stopped });
    } else if (event === 'tool.post' && callId !== undefined) {
      const begun = this.calls.get(callId);
      this.calls.delete(callId);
      const failed = isJsonObject(payload) && payload.is_error === true ? 'failed' : null;
      if (begun !== undefined)
        yield* this.end(
          'tool',
          { ...begun, given: { ...begun.given, toolResult: textAt(payload, 'content') } },
          atMs,
          failed,
        );
    } else if (event === 'completion.pre') {
      const model = textAt(payload, 'model');
      const given = { operation: 'chat', model };
      this.completion = { seq, atMs, name: `chat ${model ?? ''}`.trimEnd(), given, stopped };
    } else if (event === 'completion.post' && this.completion !== null) {
      const begun = this.completion;
      this.completion = null;
      const usage = isJsonObject(payload) && isJsonObject(payload.usage) ? payload.usage : {};
      const given = {
        ...begun.given,
        inputTokens: numberOf(usage.input_tokens),
        outputTokens: numberOf(usage.output_tokens),
      };
      yield* this.end('completion', { ...begun, given }, atMs, stopped);
    }
  }

  private *end(
    kind: 'tool' | 'completion',
    begun: Begun,
    endMs: number,
    error: string | null,
  ): Generator<Telemetry> {
    const given = { ...begun.given, conversation: this.header.session, errorType: error };
    yield {
      kind: 'span',
      span: {
        ...{
          kind,
          name: withoutSecrets(begun.name),
          traceId: this.traceId,
          spanId: this.idOf(kind, begun.seq),
        },
        ...{ parentSpanId: this.rootId, startMs: begun.atMs, endMs: Math.max(begun.atMs, endMs) },
        ...{ status: error === null ? 'ok' : 'error', attributes: named(given, this.content), events: [] },
      },
    };
  }

  private log(story: Story, timeMs: number): LogRecord {
    const { dispatch, outcome, turns } = story;
    const { event, callId, payload } = dispatch.record;
    const { action = 'none', hook, reason } = outcome?.record ?? {};
    const failed = turns.flatMap(({ end }) => (end?.record.type === 'hook_failed' ? [end.record] : []))[0];
    const decided = {
      ...{ event, payload, action, hook, reason, callId, conversation: this.header.session },
      failure: failed === undefined ? null : (failed.failure?.code ?? failed.state),
    };
    return {
      ...decisionLog(decided, this.content),
      timeMs,
      traceId: this.traceId,
      spanId: event.startsWith('tool.') ? this.spanOf(callId, dispatch.seq) : this.rootId,
    };
  }

  private spanOf(callId: string | undefined, seq: number): string {
    const begun = callId === undefined ? undefined : this.calls.get(callId);
    return this.idOf('tool', begun?.seq ?? seq);
  }

  private idOf(kind: string, seq: number): string {
    return digestOf([this.header.session, kind, seq]).slice(0, 16);
  }
}

/** A tape may have been written with `payloads: full`. */
function hidden(data: Json): Json {
  return typeof data === 'string' ? withoutSecrets(data) : data;
}

function textAt(payload: Json, key: string): string | null {
  const value = isJsonObject(payload) ? payload[key] : undefined;
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
