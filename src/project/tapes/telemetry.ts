/**
 * A tape as telemetry: its story told as the events of a session, to the builder that makes the spans of live sessions. Ids follow
 * from the session and the order of the tape, so that sending a tape twice sends the same. What people, models and tools wrote is left
 * out unless asked for, and then goes through the redactor.
 */

import {
  decisionLog,
  type LogRecord,
  type SessionEvent,
  type Span,
  SpanCollector,
  type SpannedDecision,
  withoutSecrets,
} from '../../agent/index.ts';
import { digestOf, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { Outcome, TraceEntry } from '../../engine/index.ts';
import {
  type CallRecord,
  type Chapter,
  type Header,
  type RunRecord,
  readable,
  type Story,
  type Turn,
} from '../../tape/index.ts';

export type Telemetry =
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'log'; readonly log: LogRecord };

export interface TelemetryOptions {
  /** Arguments, results, reasons and prompts too. */
  readonly content: boolean;
  /** Milliseconds since the epoch: what was over before is not told. */
  readonly since: number;
}

/** A sub-agent, as events name it. */
interface Agent {
  readonly id: string;
  readonly agent: string;
  readonly depth: number;
}

/** A call between its `tool.pre` and its verdict. */
interface OpenCall {
  readonly agent: Agent | null;
  readonly args: JsonObject;
  started: boolean;
  content: string;
}

/** Of a host that does not say how a turn ended. */
const NOTHING_SPENT = { message: null, usage: { input_tokens: 0, output_tokens: 0 }, costUsd: 0, turns: 0 };

export class TapeTelemetry {
  private readonly header: Header;
  private readonly since: number;
  private readonly content: ((data: Json) => Json) | null;
  private readonly collector: SpanCollector;
  /** The time of the tape, which never goes back. */
  private clock: number;
  private ids = 0;
  private told: Telemetry[] = [];
  private readonly agents = new Map<number, Agent | null>();
  private readonly calls = new Map<string, OpenCall>();
  /** Whether a turn of the session is open, and whether the agent has come to its end. */
  private turn: 'none' | 'open' | 'stopped' = 'none';

  constructor(header: Header, { content, since }: TelemetryOptions) {
    this.header = header;
    this.since = since;
    this.content = content ? (data) => withoutSecrets(readable(data)) : null;
    this.clock = Date.parse(header.started) || 0;
    const started = this.clock;
    const host = {
      now: () => started,
      elapsed: () => this.clock - started,
      uuid: () => digestOf(['harness trace', header.session, this.ids++]).slice(0, 32),
    };
    this.collector = new SpanCollector(
      { host, content, ...(this.content !== null && { hide: this.content }) },
      { opened: () => undefined, decided: (decision) => this.log(decision) },
    );
  }

  tell(chapter: Chapter): Telemetry[] {
    const at = chapter.kind === 'decision' ? timeOf(chapter.story) : chapter.entry.at;
    this.clock = Math.max(this.clock, at ?? 0);
    if (chapter.kind === 'decision') this.decision(chapter.story);
    else this.note(chapter.entry.record.kind, chapter.entry.record.data, chapter.entry.ms);
    return this.told.splice(0);
  }

  finish(): Telemetry[] {
    if (this.turn === 'stopped') this.endTurn();
    this.add(this.collector.end());
    this.add(this.collector.finish());
    return this.told.splice(0);
  }

  private decision(story: Story): void {
    const { run, event, payload, behind, callId } = story.dispatch.record;
    const agent = behind === undefined ? (this.agents.get(run) ?? null) : agentOf(behind.caller, null);
    const outcome = storyOutcome(story);
    if (agent === null) {
      this.collector.begin(this.header.session, this.header.host);
      if (event === 'turn.start') {
        if (this.turn !== 'none') this.endTurn();
        this.turn = 'open';
      } else if (event === 'agent.stop' && outcome.mayRun) this.turn = 'stopped';
    }
    this.feed(agent, { type: 'hook', event, payload, outcome, ...(callId !== undefined && { callId }) });
    if (callId === undefined) return;
    if (event === 'tool.pre') {
      const { args } = isJsonObject(outcome.payload) ? outcome.payload : {};
      const call = { agent, args: isJsonObject(args) ? args : {}, started: false, content: '' };
      this.calls.set(callId, call);
      if (outcome.mayRun) this.start(callId, call, payload);
    } else if (event === 'tool.post') {
      const call = this.calls.get(callId);
      if (call !== undefined && isJsonObject(outcome.payload))
        call.content = readable(outcome.payload.content);
    }
  }

  private start(callId: string, call: OpenCall, payload: Json): void {
    call.started = true;
    const name = isJsonObject(payload) ? readable(payload.name) : '';
    this.feed(call.agent, { type: 'tool.start', callId, name, args: call.args });
  }

  private note(kind: string, data: Json, ms: number | undefined): void {
    if (!isJsonObject(data)) return;
    if (kind === 'run') {
      const { run, caller, settings } = data as unknown as RunRecord;
      this.agents.set(run, agentOf(caller, settings));
    } else if (kind === 'call') this.ended(data as unknown as CallRecord, ms ?? 0);
    else if (kind === 'end' || kind === 'retry') {
      const { agent: name, agent_id, depth } = data;
      const agent =
        typeof agent_id === 'string' ? { id: agent_id, agent: String(name), depth: Number(depth) } : null;
      if (kind === 'end' && agent === null) this.turn = 'none';
      this.feed(agent, { ...data, type: kind } as unknown as SessionEvent);
    }
  }

  private ended({ callId, tool, verdict, by, reason, digest, args }: CallRecord, ms: number): void {
    const call = this.calls.get(callId) ?? { agent: null, args: args ?? {}, started: false, content: '' };
    this.calls.delete(callId);
    if (!call.started && digest !== null) this.start(callId, call, { name: tool });
    const isError = verdict !== 'ran' && verdict !== 'allowed';
    const content = isError ? (reason ?? call.content) : call.content;
    this.feed(call.agent, {
      ...{ type: 'tool.end', callId, name: tool, content, isError, ms, verdict, by, digest: digest ?? '' },
    });
  }

  /** An outside agent that was interrupted fires no `agent.stop`. */
  private endTurn(): void {
    const reason = this.turn === 'stopped' ? 'end_turn' : 'aborted';
    this.turn = 'none';
    this.feed(null, { type: 'end', reason, ...NOTHING_SPENT });
  }

  private feed(agent: Agent | null, event: SessionEvent): void {
    this.add(this.collector.feed(agent === null ? event : { type: 'agent', ...agent, event }));
  }

  private add(spans: readonly Span[]): void {
    for (const span of spans) if (span.endMs >= this.since) this.told.push({ kind: 'span', span });
  }

  private log(decision: SpannedDecision): void {
    const { within, endMs: timeMs } = decision;
    if (timeMs < this.since) return;
    const { traceId, spanId } = within?.start ?? { traceId: '', spanId: '' };
    const log = decisionLog(decision, this.header.session, this.content);
    this.told.push({ kind: 'log', log: { ...log, timeMs, traceId, spanId } });
  }
}

function timeOf({ dispatch, outcome }: Story): number | undefined {
  return outcome?.at ?? dispatch.at;
}

function agentOf(caller: RunRecord['caller'], settings: JsonObject | null): Agent | null {
  if (caller === null || caller.depth === 0) return null;
  const session = settings?.session;
  const id = isJsonObject(session) && typeof session.id === 'string' ? session.id : caller.chain.join('/');
  return { id, agent: caller.name, depth: caller.depth };
}

/** What the chain answered. A decision that the tape does not have failed: the process ended first. */
function storyOutcome({ dispatch, turns, outcome }: Story): Outcome {
  const { event, payload: fired } = dispatch.record;
  const {
    action = 'block',
    reason = null,
    hook = null,
    payload = fired,
    failure,
  } = outcome?.record ?? { failure: { ...CUT_OFF, hook: turns.at(-1)?.hook ?? '' } };
  return {
    ...{ event, action, reason, hook, payload, effects: [], trace: turns.map(traceEntry) },
    mayRun: failure === undefined && (action === 'allow' || action === 'modify' || action === 'permit'),
    ...(failure !== undefined && { failure }),
  };
}

const CUT_OFF = {
  kind: 'aborted',
  code: 'HOOK_ABORTED',
  message: 'the tape ends before the decision',
} as const;

function traceEntry({ hook, call, end }: Turn): TraceEntry {
  const record = end?.record;
  const failed = record?.type === 'hook_failed' ? record : null;
  return {
    ...{ hook, source: call?.record.source ?? '', layer: call?.record.layer ?? '', frontEnd: '' },
    ...{ priority: 0, mode: 'enforce', matched: failed?.state !== 'condition_failed' },
    state: failed?.state ?? 'ran',
    decision: record?.result ?? null,
    reason: record?.reason ?? null,
    failure: record === undefined ? CUT_OFF : (failed?.failure ?? null),
    ...(failed !== null && failed.policy !== 'skipped' && { onFailure: failed.policy }),
    ...{ warnings: record?.warnings ?? [], ms: end?.ms ?? 0, steps: record?.steps ?? 0 },
  };
}
