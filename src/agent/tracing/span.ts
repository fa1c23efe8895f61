/**
 * One span as plain data, the names of its attributes in one table, and the span while it is still open.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import { redactSecrets } from '../../secrets/index.ts';
import { readable } from '../../tape/index.ts';
import type { Hide } from '../record/transcript.ts';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type SpanKind = 'session' | 'turn' | 'completion' | 'tool' | 'delegation' | 'verification';

export interface SpanEvent {
  readonly name: string;
  readonly timeMs: number;
  readonly attributes: Attributes;
}

export interface Span {
  readonly kind: SpanKind;
  readonly name: string;
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** Milliseconds since the epoch, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  /** Where it is `error`, `error.type` says which. */
  readonly status: 'ok' | 'error';
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
}

/** The version of the OpenTelemetry conventions that the names below are taken from. */
export const CONVENTIONS = '1.45.0';
export const SCHEMA_URL = `https://opentelemetry.io/schemas/${CONVENTIONS}`;

/** Names of the OpenTelemetry conventions for generative AI where there is one, and `harness.*` where there is none. */
export const ATTRIBUTES = {
  operation: 'gen_ai.operation.name',
  conversation: 'gen_ai.conversation.id',
  agentName: 'gen_ai.agent.name',
  agentId: 'gen_ai.agent.id',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  costUsd: 'harness.cost_usd',
  attempts: 'harness.attempts',
  purpose: 'harness.completion.purpose',
  source: 'harness.session.source',
  depth: 'harness.depth',
  turns: 'harness.session.turns',
  turn: 'harness.turn.index',
  completions: 'harness.turn.completions',
  toolCalls: 'harness.turn.tool_calls',
  sentBack: 'harness.turn.sent_back',
  endReason: 'harness.end_reason',
  // Totals have names of their own: a sum over `gen_ai.usage.*` must not count a token twice.
  totalInput: 'harness.total.input_tokens',
  totalOutput: 'harness.total.output_tokens',
  totalCost: 'harness.total.cost_usd',
  outcome: 'harness.outcome',
  hook: 'harness.hook',
  toolMs: 'harness.tool.run_ms',
  permission: 'harness.tool.permission',
  verified: 'harness.verification.verified',
  refusedBy: 'harness.verification.refused_by',
  attempt: 'harness.verification.attempt',
  event: 'harness.event',
  action: 'harness.action',
  waitMs: 'harness.retry.wait_ms',
  // From here on only where content was asked for.
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  prompt: 'harness.prompt',
  text: 'harness.text',
  reason: 'harness.reason',
  message: 'harness.message',
} as const;

export type Attribute = keyof typeof ATTRIBUTES;
export type AttributeInput = Partial<Record<Attribute, AttributeValue | JsonObject | null | undefined>>;

/** Spans of a request to another system, as the conventions want them marked. */
export const CLIENTS: ReadonlySet<SpanKind> = new Set(['completion']);

/** The attributes that can hold what people, models and tools wrote. */
export const CONTENT: ReadonlySet<Attribute> = new Set<Attribute>([
  'toolArguments',
  'toolResult',
  'prompt',
  'text',
  'reason',
  'message',
]);

/** What never changes once it has begun. */
export type SpanStart = Pick<Span, 'kind' | 'traceId' | 'spanId' | 'parentSpanId' | 'startMs'>;

export class OpenSpan {
  readonly start: SpanStart;
  name: string;
  /** Inside it and not over yet. */
  readonly inner = new Set<OpenSpan>();
  /** Called where it is closed because its outer span is. */
  onAbandon: (() => void) | null = null;
  private outer: OpenSpan | null;
  private readonly content: Hide | null;
  private readonly attributes: Record<string, AttributeValue>;
  private readonly events: SpanEvent[] = [];
  private error: string | null = null;

  constructor(
    start: SpanStart,
    name: string,
    outer: OpenSpan | null,
    common: Attributes,
    content: Hide | null,
  ) {
    this.start = start;
    this.name = name;
    this.outer = outer;
    this.content = content;
    this.attributes = { ...common };
    outer?.inner.add(this);
  }

  /** What is null or undefined is left as it was, and content is dropped unless it was asked for. */
  set(given: AttributeInput): this {
    Object.assign(this.attributes, attributesFrom(given, this.content));
    return this;
  }

  note(name: string, timeMs: number, given: AttributeInput): void {
    this.events.push({ name, timeMs, attributes: attributesFrom(given, this.content) });
  }

  /** The first cause stays: what follows from it says less. */
  fail(type: string): this {
    this.error ??= type;
    return this;
  }

  /** Its parent stays who it was; only who ends it changes. */
  moveTo(outer: OpenSpan): void {
    this.outer?.inner.delete(this);
    this.outer = outer;
    outer.inner.add(this);
  }

  close(endMs: number): Span {
    this.outer?.inner.delete(this);
    if (this.error !== null) this.set({ errorType: this.error });
    return {
      ...this.start,
      name: withoutSecrets(this.name),
      endMs,
      status: this.error === null ? 'ok' : 'error',
      attributes: this.attributes,
      events: this.events,
    };
  }
}

export function withoutSecrets(text: string): string {
  return redactSecrets(text).text;
}

/** What is given under the names of the table, secrets taken out. Content is dropped, or goes through `content`. */
export function attributesFrom(given: AttributeInput, content: Hide | null): Record<string, AttributeValue> {
  const found: Record<string, AttributeValue> = {};
  for (const [key, value] of Object.entries(given) as [Attribute, AttributeInput[Attribute]][]) {
    if (value === null || value === undefined || (CONTENT.has(key) && content === null)) continue;
    if (CONTENT.has(key)) found[ATTRIBUTES[key]] = readable(content!(value as Json));
    else if (typeof value === 'string') found[ATTRIBUTES[key]] = withoutSecrets(value);
    else if (Array.isArray(value)) found[ATTRIBUTES[key]] = value.map(withoutSecrets);
    else found[ATTRIBUTES[key]] = value as AttributeValue;
  }
  return found;
}
