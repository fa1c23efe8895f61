/**
 * A live run told to OpenTelemetry through its official API, as spans and log records under the names of the table in span.ts.
 * Without content unless asked for, and never with what the tape would take out. What goes wrong in telling is said once;
 * nothing else comes of it.
 *
 * ```ts
 * const telemetry = tellOpenTelemetry({ context, logs, trace });
 * const session = new Session({ provider, onEvent: telemetry.session().onEvent });
 * const policy = await openPolicy('.', { observe: telemetry.observe });
 * ```
 */

import type { Outcome, RunState } from '../../engine/index.ts';
import { machineHost } from '../../machine/index.ts';
import { cleanData, redactorFor } from '../../tape/index.ts';
import { objectOf, textOf } from '../loop/outcome-reading.ts';
import type { Hide } from '../record/transcript.ts';
import type { SessionEvent } from '../session-event.ts';
import { decisionLog, SEVERITIES } from './decision-log.ts';
import { type Attributes, CLIENTS, type OpenSpan, SCHEMA_URL, type Span, withoutSecrets } from './span.ts';
import type { SpannedDecision } from './span-tree.ts';
import { SpanCollector, type SpanOptions } from './spans.ts';

export { ATTRIBUTES, CONVENTIONS } from './span.ts';

type Values = Record<string, string | number | boolean | string[]>;

/** As much of `@opentelemetry/api` as is used; before its version 1.10 `logs` is that of `@opentelemetry/api-logs`. */
export interface OpenTelemetryApi {
  readonly trace: {
    /** `trace.getTracer` itself does not pass a schema on. */
    getTracerProvider(): {
      getTracer(name: string, version: undefined, options: { schemaUrl: string }): TracerLike;
    };
    setSpan(context: unknown, span: unknown): unknown;
  };
  readonly context: { active(): unknown };
  /** Without it there are no log records. */
  readonly logs?: {
    getLogger(name: string, version: undefined, options: { schemaUrl: string }): LoggerLike;
  };
}

interface LoggerLike {
  emit(record: object): void;
  /** False of a logger that no provider stands behind. */
  enabled?(options: { severityNumber: number }): boolean;
}

interface TracerLike {
  startSpan(
    name: string,
    options: { kind: number; startTime: number; attributes: Values },
    context: unknown,
  ): SpanLike;
}

interface SpanLike {
  isRecording?(): boolean;
  setAttributes(attributes: Values): unknown;
  addEvent(name: string, attributes: Values, time: number): unknown;
  setStatus(status: { code: number }): unknown;
  updateName(name: string): unknown;
  end(time: number): void;
}

export interface TelemetryOptions extends Pick<SpanOptions, 'attributes' | 'content' | 'hide'> {
  /** Told once, of the first thing that went wrong; by default a warning of the process. */
  readonly onFault?: (error: Error) => void;
}

export interface Telemetry {
  /** For one session: `onEvent` is its option; `finish` ends the spans of one that is given up without its `close()`. */
  session(): { readonly onEvent: (event: SessionEvent) => void; readonly finish: () => void };
  /** For `openPolicy`, or an engine: its decisions, inside whatever span is active. */
  readonly observe: (outcome: Outcome, depth: number, run: RunState) => void;
}

/** Numbers of the API. */
const [INTERNAL, CLIENT, ERROR, FATAL] = [0, 2, 2, 24];

const NO_LOGS =
  'log records go nowhere: no provider is registered with the `logs` that was given, though spans are recorded. ' +
  'From @opentelemetry/api 1.10 on pass the `logs` of @opentelemetry/api, before it that of @opentelemetry/api-logs; pass none to have no log records';

export function tellOpenTelemetry(api: OpenTelemetryApi, options: TelemetryOptions = {}): Telemetry {
  const { attributes: everywhere = {}, content = false, onFault = warn } = options;
  const hide = options.hide ?? usualHide();
  const about = ['harness-hooks', undefined, { schemaUrl: SCHEMA_URL }] as const;
  const tracer = api.trace.getTracerProvider().getTracer(...about);
  const logger = api.logs?.getLogger(...about);
  let isFaultSaid = false;
  const fault = (thrown: unknown) => {
    if (isFaultSaid) return;
    isFaultSaid = true;
    try {
      onFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } catch {
      // A listener must not change a decision either.
    }
  };

  function safely<A extends readonly unknown[]>(work: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        work(...args);
      } catch (thrown) {
        fault(thrown);
      }
    };
  }

  function tell(
    decision: Omit<SpannedDecision, 'within'>,
    conversation: string | null,
    parent: unknown,
  ): void {
    const { outcome, startMs, endMs } = decision;
    const { severity, name, body, ...log } = decisionLog(decision, conversation, content ? hide : null);
    const attributes = valuesOf(log.attributes);
    const span = tracer.startSpan(
      `decide ${outcome.event}`,
      { kind: INTERNAL, startTime: startMs, attributes },
      parent,
    );
    if (severity === 'error') span.setStatus({ code: ERROR });
    if (span.isRecording?.() === true && logger?.enabled?.({ severityNumber: FATAL }) === false)
      fault(new Error(NO_LOGS));
    span.end(endMs);
    logger?.emit({
      ...{ eventName: name, body, attributes, timestamp: endMs, context: api.trace.setSpan(parent, span) },
      ...{ severityNumber: SEVERITIES[severity], severityText: severity.toUpperCase() },
    });
  }

  function session(): ReturnType<Telemetry['session']> {
    const open = new Map<string, { readonly span: SpanLike; readonly context: unknown }>();
    const contextOf = (id: string | null | undefined) => open.get(id ?? '')?.context ?? api.context.active();
    const opened = safely(({ start, name }: OpenSpan) => {
      const { kind, startMs, spanId, parentSpanId } = start;
      const given = { kind: CLIENTS.has(kind) ? CLIENT : INTERNAL, startTime: startMs, attributes: {} };
      const parent = contextOf(parentSpanId);
      const span = tracer.startSpan(name, given, parent);
      open.set(spanId, { span, context: api.trace.setSpan(parent, span) });
    });
    const decided = safely((decision: SpannedDecision) =>
      tell(decision, null, contextOf(decision.within?.start.spanId)),
    );
    const ended = safely(({ spanId, name, status, attributes, events, endMs }: Span) => {
      const span = open.get(spanId)?.span;
      open.delete(spanId);
      span?.updateName(name);
      span?.setAttributes(valuesOf(attributes));
      for (const event of events) span?.addEvent(event.name, valuesOf(event.attributes), event.timeMs);
      if (status === 'error') span?.setStatus({ code: ERROR });
      span?.end(endMs);
    });
    const collector = new SpanCollector({ attributes: everywhere, content, hide }, { opened, decided });
    return {
      onEvent: safely((event) => collector.feed(event).forEach(ended)),
      finish: safely(() => collector.finish().forEach(ended)),
    };
  }

  const observe = safely((outcome: Outcome, _depth: number, run: RunState) => {
    const { id, call_id } = objectOf(outcome.payload);
    const callId = outcome.event.startsWith('tool.') ? (textOf(call_id) ?? textOf(id)) : null;
    const endMs = machineHost.now();
    const startMs = endMs - outcome.trace.reduce((sum, { ms }) => sum + ms, 0);
    const decision = { outcome, callId: callId ?? undefined, common: everywhere, startMs, endMs };
    tell(decision, run.session.id || null, api.context.active());
  });

  return { session, observe };
}

/** What a tape takes out that nobody gave other rules. */
function usualHide(): Hide {
  const redact = redactorFor({ host: machineHost });
  return (data) => cleanData(data, redact);
}

/** Their lists may be changed, ours are not. */
function valuesOf(attributes: Attributes): Values {
  return attributes as Values;
}

function warn({ message }: Error): void {
  process.emitWarning(`telemetry is incomplete: ${withoutSecrets(message)}`, 'HarnessTelemetry');
}
