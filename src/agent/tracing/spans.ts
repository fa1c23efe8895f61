/**
 * Spans of a session for a tracing back end, made of nothing but the events it emits: session, turn, completion, tool call,
 * delegation and verification. What people, models and tools wrote is left out unless it is asked for.
 */

import type { Json, JsonObject } from '../../base/index.ts';
import type { Outcome } from '../../engine/index.ts';
import { machineHost } from '../../machine/index.ts';
import { deciderOf, isVeto, numberOf, objectOf, textOf } from '../loop/outcome-reading.ts';
import { addUsage, NO_USAGE, type Usage } from '../message.ts';
import { endedWell, type SessionEvent } from '../session-event.ts';
import { DelegationSpans } from './delegation-spans.ts';
import { ATTRIBUTES, type Attributes, type AttributeValue, type OpenSpan, type Span } from './span.ts';
import { type SpanHost, SpanTree, type SpanWatcher, type TreeOptions } from './span-tree.ts';

export interface SpanOptions extends TreeOptions {
  /** Gives the ids and the clock. Not one that is recorded: a trace is no part of what replay compares. */
  readonly host?: SpanHost;
  /** On every span. */
  readonly attributes?: Attributes;
}

type Of<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

interface Call {
  readonly span: OpenSpan;
  args: JsonObject | null;
  outcome: string | null;
}

/** One session, or one sub-agent, as far as it has come. */
interface Track {
  /** Of a sub-agent's session; empty for the session itself. */
  readonly id: string;
  /** On every span of it. */
  readonly common: Record<string, AttributeValue>;
  session: OpenSpan | null;
  /** `session.end` of a one-shot session comes before the `end` of its run. */
  sessionOver: boolean;
  turn: OpenSpan | null;
  completion: OpenSpan | null;
  readonly calls: Map<string, Call>;
  turns: number;
  toolCalls: number;
  sentBack: number;
  usage: Usage;
  costUsd: number;
}

/** All spans of events that are already there. Their times are those of reading: only a collector that is fed live has others. */
export function spansOf(events: Iterable<SessionEvent>, options: SpanOptions = {}): Span[] {
  const collector = new SpanCollector(options);
  const spans = Array.from(events, (event) => collector.feed(event)).flat();
  return [...spans, ...collector.finish()];
}

/** For the `onEvent` of one session: `feed` returns the spans that ended with the event, inner ones first. */
export class SpanCollector {
  private readonly common: Attributes;
  private readonly tree: SpanTree;
  private readonly delegations: DelegationSpans;
  private readonly tracks = new Map<string, Track>();

  constructor(options: SpanOptions = {}, watcher?: SpanWatcher) {
    this.common = options.attributes ?? {};
    this.tree = new SpanTree(options.host ?? machineHost, options, watcher);
    this.delegations = new DelegationSpans(this.tree);
  }

  feed(event: SessionEvent): Span[] {
    let inner = event;
    let track = this.tracks.get('') ?? this.newTrack('', {});
    while (inner.type === 'agent') {
      track = this.tracks.get(inner.id) ?? this.newAgent(inner);
      inner = inner.event;
    }
    this.take(track, inner);
    return this.tree.flush();
  }

  /**
   * Opens the session where it is not open: for a record that may lack its start. What begins next is inside it.
   * @internal
   */
  begin(session: string, source: string): void {
    const track = this.tracks.get('') ?? this.newTrack('', {});
    if (track.session !== null) return;
    this.openSession(track, session, this.tree.now()).set({ source });
  }

  /**
   * Ends the session; what is open inside it is `unfinished`. For a record that may lack its end.
   * @internal
   */
  end(): Span[] {
    const track = this.tracks.get('');
    if (track !== undefined) this.endSession(track);
    return this.tree.flush();
  }

  /** Ends what is still open, as `unfinished`: for a session that is given up without an end. */
  finish(): Span[] {
    this.tree.closeAll();
    this.tracks.clear();
    return this.tree.flush();
  }

  private take(track: Track, event: SessionEvent): void {
    if (event.type === 'hook') this.hook(track, event);
    else if (event.type === 'tool.start') this.toolStart(track, event);
    else if (event.type === 'tool.end') this.toolEnd(track, event);
    else if (event.type === 'end') this.runEnd(track, event);
    else if (event.type === 'retry') {
      const { attempt: attempts, waitMs, failure } = event;
      const { code: errorType, message } = failure;
      track.completion?.note('harness.retry', this.tree.now(), { attempts, errorType, waitMs, message });
    }
  }

  private hook(track: Track, event: Of<'hook'>): void {
    const span = this.spanFor(track, event);
    const { outcome, callId } = event;
    this.tree.watcher?.decided({
      ...{ outcome, callId, within: span, common: track.common, endMs: this.tree.now() },
      startMs: Math.max(this.tree.before(outcome), span?.start.startMs ?? 0),
    });
    if (span === null) return;
    if (outcome.action !== 'allow' || outcome.failure !== undefined) {
      const { action, hook, reason } = outcome;
      span.note('harness.decision', this.tree.now(), { event: event.event, action, hook, reason });
    }
    // Also where the chain went on: a guard that is broken must be seen.
    for (const { hook, failure } of outcome.trace) {
      if (failure === null) continue;
      const { code: errorType, message } = failure;
      span.note('harness.hook_failure', this.tree.now(), { event: event.event, hook, errorType, message });
    }
    this.settle(track, span, event);
  }

  /** The span an event belongs to; the first event of an operation begins it. */
  private spanFor(track: Track, event: Of<'hook'>): OpenSpan | null {
    const { callId, payload, outcome } = event;
    switch (event.event) {
      case 'session.start':
        return this.sessionStart(track, event);
      case 'session.end':
        return track.session;
      case 'turn.start':
        return this.turnStart(track, event);
      case 'completion.pre':
        return this.completionPre(track, event);
      case 'completion.post':
        return track.completion;
      case 'tool.pre':
        return this.callOf(track, callId ?? '', this.tree.before(outcome)).span;
      case 'delegation.pre': {
        const outer = startedBy(track, objectOf(payload)) ?? this.place(track);
        return this.delegations.begin(payload, outcome, outer, track.common);
      }
      case 'delegation.post_verify':
        return this.delegations.verification(payload, track.common);
      case 'delegation.post':
        return this.delegations.spanOf(String(objectOf(payload).id));
      default:
        return track.calls.get(callId ?? '')?.span ?? this.place(track);
    }
  }

  /** What the outcome makes of the operation. */
  private settle(track: Track, span: OpenSpan, { event, payload, outcome }: Of<'hook'>): void {
    const after = objectOf(outcome.payload);
    switch (event) {
      case 'completion.pre':
        span.set({ model: textOf(after.model), maxTokens: numberOf(after.max_tokens) });
        span.name = `chat ${textOf(after.model) ?? ''}`.trimEnd();
        if (isVeto(outcome)) this.closeCompletion(track, outcome);
        break;
      case 'completion.post':
        this.completionPost(span, payload, outcome);
        this.closeCompletion(track, isVeto(outcome) ? outcome : null);
        break;
      case 'tool.pre':
      case 'tool.post':
        this.toolDecision(track, event, payload, outcome);
        break;
      case 'permission.replied':
        this.permission(track, objectOf(payload));
        break;
      case 'permission.asked':
        if (outcome.action === 'block') span.set({ hook: outcome.hook });
        break;
      case 'delegation.pre':
        if (isVeto(outcome)) this.delegations.block(payload, outcome);
        break;
      case 'delegation.post_verify':
        this.delegations.verdict(span, payload, outcome);
        break;
      case 'delegation.post':
        this.delegations.settle(payload, outcome);
        break;
      case 'agent.stop':
        if (outcome.action === 'block') track.sentBack++;
        break;
      case 'error': {
        const { code, message } = objectOf(payload);
        for (const open of [track.completion, track.turn, track.session]) {
          open?.fail(textOf(code) ?? 'error').set({ message: textOf(message) });
        }
        break;
      }
      case 'session.end':
        span.set({ endReason: textOf(objectOf(payload).reason) });
        track.sessionOver = true;
        if (track.turn === null) this.endSession(track);
        break;
      default:
    }
  }

  private sessionStart(track: Track, { payload, outcome }: Of<'hook'>): OpenSpan {
    const { session_id, model, source } = objectOf(payload);
    const span = track.session ?? this.openSession(track, textOf(session_id), this.tree.before(outcome));
    return span.set({ model: textOf(model), source: textOf(source) });
  }

  private openSession(track: Track, id: string | null, startMs: number): OpenSpan {
    Object.assign(track, { sessionOver: false, turns: 0, usage: NO_USAGE, costUsd: 0 });
    if (id !== null) track.common[ATTRIBUTES.conversation] = id;
    const outer = track.id === '' ? null : this.place(track);
    track.session = this.tree.open('session', 'session', outer, track.common, startMs);
    return track.session;
  }

  private turnStart(track: Track, { outcome }: Of<'hook'>): OpenSpan {
    this.delegations.asked(track.id);
    Object.assign(track, { toolCalls: 0, sentBack: 0 });
    const startMs = this.tree.before(outcome);
    track.turn = this.tree.open('turn', 'turn', this.place(track), track.common, startMs);
    const prompt = isVeto(outcome) ? null : textOf(outcome.payload);
    return track.turn.set({ turn: track.turns++, prompt, hook: isVeto(outcome) ? deciderOf(outcome) : null });
  }

  private runEnd(track: Track, { reason, message, usage, costUsd, turns }: Of<'end'>): void {
    const { turn, toolCalls, sentBack } = track;
    this.delegations.answered(track.id);
    track.usage = addUsage(track.usage, usage);
    track.costUsd += costUsd;
    if (turn !== null) {
      turn.set({ endReason: reason, message, completions: turns, toolCalls, sentBack });
      turn.set({ totalInput: usage.input_tokens, totalOutput: usage.output_tokens, totalCost: costUsd });
      if (!endedWell(reason)) turn.fail(reason);
      this.tree.close(turn, reason);
    }
    Object.assign(track, { turn: null, completion: null });
    track.calls.clear();
    if (!endedWell(reason)) track.session?.fail(reason);
    if (track.sessionOver) this.endSession(track);
  }

  private endSession(track: Track): void {
    const { id, session, turns, usage, costUsd } = track;
    if (session === null) return;
    session.set({
      turns,
      totalInput: usage.input_tokens,
      totalOutput: usage.output_tokens,
      totalCost: costUsd,
    });
    this.tree.close(session);
    track.session = null;
    if (id === '') return;
    this.delegations.end(id);
    this.tracks.delete(id);
  }

  private completionPre(track: Track, { payload, outcome }: Of<'hook'>): OpenSpan {
    const { attempt, purpose, provider } = objectOf(payload);
    const startMs = this.tree.before(outcome);
    track.completion ??= this.tree.open('completion', 'chat', this.place(track), track.common, startMs);
    const named = track.common[ATTRIBUTES.provider] === undefined ? textOf(provider) : null;
    track.completion.set({ operation: 'chat', provider: named });
    return track.completion.set({ attempts: numberOf(attempt), purpose: textOf(purpose) });
  }

  private completionPost(span: OpenSpan, payload: Json, outcome: Outcome): void {
    const { usage, cost_usd } = objectOf(payload);
    const { finish_reason, choices } = objectOf(outcome.payload);
    const { input_tokens, output_tokens } = objectOf(usage);
    const choice = objectOf(Array.isArray(choices) ? choices[0] : null);
    const reason = textOf(finish_reason);
    span.set({
      inputTokens: numberOf(input_tokens),
      outputTokens: numberOf(output_tokens),
      costUsd: numberOf(cost_usd),
      finishReasons: reason === null ? null : [reason],
      text: isVeto(outcome) ? null : textOf(objectOf(choice.message).content),
    });
  }

  private closeCompletion(track: Track, veto: Outcome | null): void {
    const span = track.completion;
    if (span === null) return;
    if (veto !== null) span.fail('completion_blocked').set({ hook: deciderOf(veto) });
    track.completion = null;
    this.tree.close(span);
  }

  private callOf(track: Track, callId: string, startMs: number): Call {
    const known = track.calls.get(callId);
    if (known !== undefined) return known;
    track.toolCalls++;
    const span = this.tree.open('tool', 'execute_tool', this.place(track), track.common, startMs);
    span.set({ operation: 'execute_tool', toolCallId: callId });
    const call: Call = { span, args: null, outcome: null };
    track.calls.set(callId, call);
    return call;
  }

  private toolDecision(track: Track, event: string, payload: Json, outcome: Outcome): void {
    const { id, call_id } = objectOf(payload);
    const call = track.calls.get(String(event === 'tool.pre' ? id : call_id));
    if (call === undefined) return;
    const toolName = textOf(objectOf(outcome.payload).name);
    if (toolName !== null) call.span.set({ toolName }).name = `execute_tool ${toolName}`;
    const { failure } = outcome;
    if (failure !== undefined) call.outcome = 'failed';
    else if (event === 'tool.pre' && outcome.action === 'block') call.outcome = 'blocked';
    else if (event === 'tool.post' && isVeto(outcome)) call.outcome = 'hidden';
    // Who rewrote it, or wants somebody asked, decided too.
    if (outcome.action !== 'allow' || failure !== undefined) call.span.set({ hook: deciderOf(outcome) });
  }

  private permission(track: Track, { id, decision }: JsonObject): void {
    const call = track.calls.get(String(id));
    call?.span.set({ permission: textOf(decision) });
    if (call !== undefined && decision === 'deny') call.outcome = 'denied';
  }

  private toolStart(track: Track, { callId, args }: Of<'tool.start'>): void {
    const call = this.callOf(track, callId, this.tree.now());
    call.args = args;
    call.span.set({ toolArguments: args });
  }

  private toolEnd(track: Track, { callId, name, content, ms, verdict }: Of<'tool.end'>): void {
    const call = this.callOf(track, callId, this.tree.now());
    const { span, args } = call;
    const outcome = verdict === 'ran' ? 'ok' : verdict;
    span.name = `execute_tool ${name}`;
    span.set({ toolName: name, outcome, toolResult: content, toolMs: args === null ? null : ms });
    if (outcome !== 'ok' && outcome !== 'allowed') span.fail(outcome);
    track.calls.delete(callId);
    // A sub-agent nobody waits for any more, after an abort say, still comes to its own end.
    const heir = this.place(track);
    for (const inner of span.inner) if (heir !== null && inner.inner.size > 0) inner.moveTo(heir);
    this.tree.close(span);
  }

  /** Where something of this session belongs that is inside no call. */
  private place({ id, turn, session }: Track): OpenSpan | null {
    const root = this.tracks.get('');
    return turn ?? session ?? this.delegations.spanOf(id) ?? root?.turn ?? root?.session ?? null;
  }

  private newAgent({ id, agent, depth }: Of<'agent'>): Track {
    this.delegations.named(id, agent);
    const { agentName, agentId, depth: depthName } = ATTRIBUTES;
    return this.newTrack(id, { [agentName]: agent, [agentId]: id, [depthName]: depth });
  }

  private newTrack(id: string, agent: Attributes): Track {
    const track: Track = {
      id,
      common: { ...this.common, ...agent },
      session: null,
      sessionOver: false,
      turn: null,
      completion: null,
      calls: new Map(),
      turns: 0,
      toolCalls: 0,
      sentBack: 0,
      usage: NO_USAGE,
      costUsd: 0,
    };
    this.tracks.set(id, track);
    return track;
  }
}

/** The call whose tool asked for this delegation, by what it asked; null if hooks did, or where it cannot be told. */
function startedBy({ calls }: Track, { agent, prompt }: JsonObject): OpenSpan | null {
  const running = [...calls.values()].filter(({ args }) => args !== null);
  const free = running.filter(({ span }) => span.inner.size === 0);
  const asking = free.find(({ args }) => args?.agent === agent && args?.prompt === prompt);
  return (asking ?? (running.length === 1 ? running[0] : undefined))?.span ?? null;
}
