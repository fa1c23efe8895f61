/**
 * Spans, log records and counts as OTLP/HTTP in JSON, the form collectors take at `/v1/traces`, `/v1/logs` and `/v1/metrics`. Pure:
 * who sends it, and what may be in it, is decided elsewhere. Names of attributes are those of the table in span.ts.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import { type DecisionLog, SEVERITIES } from './decision-log.ts';
import { type Attributes, type AttributeValue, CLIENTS, SCHEMA_URL, type Span } from './span.ts';

/** One thing that happened, for a log. */
export interface LogRecord extends DecisionLog {
  readonly timeMs: number;
  readonly traceId: string;
  readonly spanId: string;
}

/** A number as it is now, for a metric. */
export interface Gauge {
  readonly name: string;
  readonly description: string;
  readonly points: readonly { readonly value: number; readonly attributes: Attributes }[];
}

const [INTERNAL, CLIENT] = [1, 3];
const STATUS = { ok: 1, error: 2 } as const;

export interface Scope {
  readonly version: string;
  /** Of what wrote it: `service.name` and the like. */
  readonly resource: Attributes;
}

export function otlpTraces(spans: readonly Span[], scope: Scope): JsonObject {
  return {
    resourceSpans: [
      { ...resourceOf(scope), scopeSpans: [{ ...scopeOf(scope), spans: spans.map(spanData) }] },
    ],
  };
}

export function otlpLogs(records: readonly LogRecord[], scope: Scope): JsonObject {
  const logRecords = records.map(logData);
  return { resourceLogs: [{ ...resourceOf(scope), scopeLogs: [{ ...scopeOf(scope), logRecords }] }] };
}

export function otlpMetrics(gauges: readonly Gauge[], timeMs: number, scope: Scope): JsonObject {
  const timeUnixNano = nanos(timeMs);
  const metrics = gauges.map(({ name, description, points }) => {
    const dataPoints = points.map(({ value, attributes }) => ({
      ...{ timeUnixNano, asDouble: value, attributes: attributesData(attributes) },
    }));
    return { name, description, gauge: { dataPoints } };
  });
  return { resourceMetrics: [{ ...resourceOf(scope), scopeMetrics: [{ ...scopeOf(scope), metrics }] }] };
}

function resourceOf({ resource }: Scope): JsonObject {
  return { resource: { attributes: attributesData(resource) } };
}

function scopeOf({ version }: Scope): JsonObject {
  return { scope: { name: 'harness-hooks', version }, schemaUrl: SCHEMA_URL };
}

function spanData(span: Span): JsonObject {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: CLIENTS.has(span.kind) ? CLIENT : INTERNAL,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: attributesData(span.attributes),
    events: span.events.map(({ name, timeMs, attributes }) => ({
      timeUnixNano: nanos(timeMs),
      name,
      attributes: attributesData(attributes),
    })),
    status: { code: STATUS[span.status] },
  };
}

function logData({ timeMs, severity, name, body, attributes, traceId, spanId }: LogRecord): JsonObject {
  return {
    timeUnixNano: nanos(timeMs),
    observedTimeUnixNano: nanos(timeMs),
    severityNumber: SEVERITIES[severity],
    severityText: severity.toUpperCase(),
    eventName: name,
    body: { stringValue: body },
    attributes: attributesData(attributes),
    traceId,
    spanId,
  };
}

/** A whole number of nanoseconds as text: it is beyond what a number of JSON holds. */
function nanos(ms: number): string {
  return (BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.round((ms % 1) * 1e6))).toString();
}

function attributesData(attributes: Attributes): Json[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueData(value) }));
}

function valueData(value: AttributeValue): JsonObject {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number')
    return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
