/**
 * A live run told to OpenTelemetry through its official API, as spans and log records under the names of the table in span.ts.
 * Without content unless asked for, and never with what the tape would take out. What goes wrong in telling is said once;
 * nothing else comes of it.
 *
 * ```ts
 * const telemetry = tellOpenTelemetry({ ...api, ...apiLogs });
 * const session = new Session({ provider, onEvent: telemetry.session().onEvent });
 * const policy = await openPolicy('.', { observe: telemetry.observe });
 * ```
 */
import { machineHost } from '../../base/host.ts';
import type { Outcome } from '../../events/decision.ts';
import type { RunState } from '../../hooks/run-state.ts';
import { cleanData } from '../../tape/clean.ts';
import { redactorFor } from '../../tape/open-tape.ts';
import { deciderOf, objectOf, textOf } from '../loop/outcome-reading.ts';
import type { Hide } from '../record/transcript.ts';
import type { SessionEvent } from '../session-event.ts';
import { decisionLog, SEVERITIES } from './decision-log.ts';
import { type Attributes, CLIENTS, type OpenSpan, SCHEMA_URL, type Span, withoutSecrets } from './span.ts';
import type { SpannedDecision } from './span-tree.ts';
import { SpanCollector, type SpanOptions } from './spans.ts';

export { ATTRIBUTES, CONVENTIONS } from './span.ts';

type Values = Record<string, string | number | boolean | string[]>;

/** As much of `@opentelemetry/api` and `@opentelemetry/api-logs` as is used. */
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
    getLogger(
      name: string,
      version: undefined,
      options: { schemaUrl: string },
    ): { emit(record: object): void };
  };
}

interface TracerLike {
  startSpan(
    name: string,
    options: { kind: number; startTime: number; attributes: Values },
    context: unknown,
  ): SpanLike;
}

interface SpanLike {
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
const [INTERNAL, CLIENT, ERROR] = [0, 2, 2];

export function tellOpenTelemetry(api: OpenTelemetryApi, options: TelemetryOptions = {}): Telemetry {
  const { attributes: everywhere = {}, content = false, onFault = warn } = options;
  const hide = options.hide ?? usualHide();
  const about = ['harness-hooks', undefined, { schemaUrl: SCHEMA_URL }] as const;
  const tracer = api.trace.getTracerProvider().getTracer(...about);
  const logger = api.logs?.getLogger(...about);
  let isFaultSaid = false;

  function safely<A extends readonly unknown[]>(work: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        work(...args);
      } catch (thrown) {
        if (isFaultSaid) return;
        isFaultSaid = true;
        try {
          onFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
        } catch {
          // A listener must not change a decision either.
        }
      }
    };
  }

  function tell(
    decision: Omit<SpannedDecision, 'within'>,
    conversation: string | null,
    parent: unknown,
  ): void {
    const { outcome, callId, common, startMs, endMs } = decision;
    const { event, payload, action, reason, trace } = outcome;
    const failed = trace.find(({ failure, state }) => failure !== null || state === 'condition_failed');
    const failure = failed === undefined ? null : (failed.failure?.code ?? failed.state);
    const hook = deciderOf(outcome);
    const said = { event, payload, action, hook, reason, callId, conversation, failure };
    const { severity, name, body, ...log } = decisionLog(said, content ? hide : null);
    const attributes = valuesOf({ ...common, ...log.attributes });
    const span = tracer.startSpan(
      `decide ${event}`,
      { kind: INTERNAL, startTime: startMs, attributes },
      parent,
    );
    if (failure !== null) span.setStatus({ code: ERROR });
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
