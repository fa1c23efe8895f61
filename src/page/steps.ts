/**
 * A run as a conversation: its chapters put together to prompts, answers of a model, tool calls with all that was decided about them,
 * and sub-agents inside. What only carries these along (messages, settings, counters) is no step.
 */
import { BoundedMap, clip, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { describeOutcome } from '../engine/index.ts';
import { showCall } from '../policy/index.ts';
import { type Chapter, hasFailure, readable, type Story, tellStory, toolOf } from '../tape/index.ts';
import { bounded } from './bounded.ts';
import { decisionRow, summaryText } from './rows.ts';
import type { Step, StepPart } from './server/api.ts';
import { ruleOf } from './stop-rule.ts';

/** Calls and answers that wait for their end; the oldest is given up. */
const MOST_OPEN = 200;
const MOST_PARTS = 12;
const LONGEST = 600;

/** Which agent an engine of the tape is: the session's own has depth 0. */
export interface Agent {
  readonly depth: number;
  readonly name: string | null;
}

export type Agents = Map<number, Agent>;

type Growing = { -readonly [K in keyof Step]: Step[K] } & { parts: StepPart[] };

export class StepBuilder {
  private readonly run: string;
  private readonly agents: Agents;
  /** By the key of what is under way; null where it began before what is read. */
  private readonly open = new BoundedMap<string, Growing | null>(MOST_OPEN);
  private readonly pending = new Set<Growing>();
  /** Without it only the number of lines is right. */
  private readonly whole: boolean;

  constructor(
    run: string,
    agents: Agents,
    { open = [], whole = false }: { open?: readonly string[]; whole?: boolean } = {},
  ) {
    this.run = run;
    this.agents = agents;
    this.whole = whole;
    for (const key of open) this.open.set(key, null);
  }

  /** What is under way: reading can go on from here with it. */
  get openKeys(): readonly string[] {
    return [...this.open.keys()];
  }

  /** Whether something of what was told has not ended. */
  get isPending(): boolean {
    return this.pending.size > 0;
  }

  /** The step that begins with a chapter; null where it belongs to an earlier one, or to none. */
  hear(chapter: Chapter): Step | null {
    return chapter.kind === 'decision' ? this.decision(chapter.story) : this.note(chapter.entry);
  }

  private decision(story: Story): Step | null {
    const { event, recheck, payload } = story.dispatch.record;
    const action = story.outcome?.record.action ?? null;
    const stopped = action === 'block' || (action === 'ask' && event === 'tool.pre');
    const { kind, begins = false, ends = false } = EVENTS[event] ?? OTHER;
    const key = keyOf(story);
    const earlier = key === null ? undefined : this.open.get(key);
    const again = recheck === true || (isJsonObject(payload) && Number(payload.attempt) > 1);
    if (earlier !== undefined && (!begins || again)) {
      this.grow(earlier, story, ends);
      return stopped ? this.make(story, 'event', STOPPED_LINES) : null;
    }
    if (!begins && !ends && !stopped && !isTelling(story)) return null;
    const step = this.make(story, kind, stopped ? STOPPED_LINES : kind === 'prompt' ? PROMPT_LINES : 1);
    if (begins && key !== null) {
      this.open.set(key, step);
      if (this.whole && action !== 'block') this.pending.add(step);
    }
    return step;
  }

  private note({
    seq,
    at,
    record: { kind, data },
  }: Extract<Chapter, { kind: 'session' }>['entry']): Step | null {
    if (!isJsonObject(data)) return null;
    if (kind === 'run') {
      const { run, caller } = data;
      if (
        typeof run === 'number' &&
        isJsonObject(caller) &&
        typeof caller.depth === 'number' &&
        caller.depth > 0
      )
        this.agents.set(run, { depth: Math.min(caller.depth, 9), name: readable(caller.name) });
      return null;
    }
    if (kind === 'call') {
      const key = `call ${readable(data.callId)}`;
      const earlier = this.open.get(key);
      if (earlier !== undefined) {
        this.open.delete(key);
        if (earlier !== null) {
          earlier.verdict = readable(data.verdict);
          earlier.parts.push({ seq, event: 'call', action: readable(data.verdict) });
          this.end(earlier, at);
        }
        return null;
      }
      if (data.verdict === 'ran' || data.verdict === 'allowed') return null;
      return this.plain(seq, at, 'call', {
        tool: readable(data.tool),
        verdict: readable(data.verdict),
        reason: data.reason == null ? null : short(readable(data.reason)),
      });
    }
    if (kind !== 'policy.changed') return null;
    const what = data.accepted === true ? 'the policy changed' : 'a change of the policy waits for a person';
    return this.plain(seq, at, kind, {
      text: what,
      reason: data.reason == null ? null : short(readable(data.reason)),
    });
  }

  private plain(seq: number, at: number | undefined, event: string, more: Partial<Step>): Step {
    return {
      ...{
        run: this.run,
        seq,
        at: at ?? null,
        kind: 'event',
        depth: 0,
        who: null,
        event,
        tool: null,
        text: '',
      },
      ...{
        action: null,
        word: null,
        rule: null,
        hook: null,
        isPack: false,
        reason: null,
        does: [],
        rewritten: false,
      },
      ...{ failed: false, verdict: null, tookMs: null, hookMs: null, tokens: null, lines: 1, turn: null },
      ...{ parts: [{ seq, event, action: null }] },
      ...more,
    };
  }

  private make(story: Story, kind: Step['kind'], lines: number): Growing {
    const { dispatch, outcome } = story;
    const { record, seq, at } = dispatch;
    const { run, behind, event, payload } = record;
    const agent = behind?.caller != null ? agentOf(behind.caller as unknown as Json) : this.agents.get(run);
    const step: Growing = {
      ...(this.plain(seq, at, event, {}) as Growing),
      kind,
      lines,
      depth: agent?.depth ?? 0,
      who: agent?.name ?? null,
      action: outcome?.record.action ?? null,
      parts: [],
    };
    if (!this.whole) return step;
    const row = decisionRow(this.run, story);
    const stops = lines === STOPPED_LINES;
    Object.assign(step, {
      tool: toolOf(story),
      text: kind === 'answer' || kind === 'prompt' ? short(textOf(event, payload)) : row.text,
      hook: row.hook,
      reason: row.reason,
      ...(stops && { word: describeOutcome(tellStory(story, [])).word, does: doesOf(event, payload) }),
      ...(stops && { rule: ruleIn(story), isPack: row.hook?.startsWith('pack:') === true }),
    });
    this.grow(step, story, false);
    return step;
  }

  /** What a later decision about it adds. */
  private grow(step: Growing | null, story: Story, ends: boolean): void {
    if (step === null || !this.whole) return;
    const { dispatch, outcome } = story;
    const { event, payload } = dispatch.record;
    const action = outcome?.record.action ?? null;
    if (step.parts.length < MOST_PARTS) step.parts.push({ seq: dispatch.seq, event, action });
    if (action === 'modify') step.rewritten = true;
    if (hasFailure(story)) step.failed = true;
    step.hookMs = (step.hookMs ?? 0) + (outcome?.ms ?? 0);
    if (ends) this.end(step, dispatch.at);
    if (event === 'completion.post') {
      step.text = short(textOf(event, payload));
      const usage = isJsonObject(payload) && isJsonObject(payload.usage) ? payload.usage : {};
      const [sent, received] = [countIn(usage.input_tokens), countIn(usage.output_tokens)];
      if (sent + received > 0) step.tokens = { sent, received };
    }
  }

  private end(step: Growing, at: number | undefined): void {
    if (at !== undefined && step.at !== null) step.tookMs = Math.max(0, at - step.at);
    this.pending.delete(step);
  }
}

export const STOPPED_LINES = 3;
const PROMPT_LINES = 2;

interface EventRole {
  readonly kind: Step['kind'];
  readonly begins?: true;
  readonly ends?: true;
}

const OTHER: EventRole = { kind: 'event' };

/** What an event is in the conversation; one that is not here is a step only if something came of it. */
const EVENTS: Readonly<Record<string, EventRole>> = {
  'turn.start': { kind: 'prompt', begins: true },
  'completion.pre': { kind: 'answer', begins: true },
  'completion.post': { kind: 'answer', ends: true },
  'tool.pre': { kind: 'call', begins: true },
  'tool.post': { kind: 'call', ends: true },
  'delegation.pre': { kind: 'agent', begins: true },
  'delegation.post': { kind: 'agent', ends: true },
  error: { kind: 'event', begins: true },
  'compact.post': { kind: 'event', begins: true },
};

/** What the decisions about one call, one request or one sub-agent share. */
function keyOf({ dispatch: { record } }: Story): string | null {
  const { event, payload, callId, run } = record;
  const data = isJsonObject(payload) ? payload : {};
  if (event.startsWith('completion.')) return `completion ${run}`;
  if (event.startsWith('delegation.'))
    return typeof data.id === 'string' ? `agent ${clip(data.id, 200)}` : null;
  const id = callId ?? (event === 'tool.post' ? data.call_id : event === 'tool.pre' ? data.id : undefined);
  return typeof id === 'string' ? `call ${clip(id, 200)}` : null;
}

function isTelling(story: Story): boolean {
  return story.outcome?.record.action === 'modify' || hasFailure(story);
}

function agentOf(caller: Json): Agent | undefined {
  if (!isJsonObject(caller) || typeof caller.depth !== 'number' || caller.depth <= 0) return undefined;
  return {
    depth: Math.min(caller.depth, 9),
    name: typeof caller.name === 'string' ? short(caller.name) : null,
  };
}

/** What was asked, and what a model said: calls stand below it. */
function textOf(event: string, payload: Json): string {
  if (event !== 'completion.post') return event === 'completion.pre' ? '' : summaryText(payload);
  const choices = isJsonObject(payload) && Array.isArray(payload.choices) ? payload.choices : [];
  const message = isJsonObject(choices[0]) && isJsonObject(choices[0].message) ? choices[0].message : null;
  if (message === null) return summaryText(payload);
  const said = readable(message.content ?? '');
  if (said.trim() !== '') return said;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return calls.length === 0
    ? ''
    : `calls ${calls.map((call) => (isJsonObject(call) ? readable(call.name) : '')).join(', ')}`;
}

/** In words, what a call would have done. */
export function doesOf(event: string, payload: Json): readonly string[] {
  if (event !== 'tool.pre' || !isJsonObject(payload) || typeof payload.name !== 'string') return [];
  const args = bounded(payload.args ?? {});
  return showCall(payload.name, isJsonObject(args) ? (args as JsonObject) : {}).does;
}

/** The rule of a pack that decided; null if none did. */
export function ruleIn({ turns, outcome }: Story): string | null {
  const turn = turns.findLast(({ hook }) => hook === outcome?.record.hook);
  return turn === undefined ? null : ruleOf(turn) || null;
}

function countIn(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

function short(text: string): string {
  return clip(
    text
      .slice(0, LONGEST * 4)
      .replace(/\s+/g, ' ')
      .trim(),
    LONGEST,
  );
}
