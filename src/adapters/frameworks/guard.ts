/**
 * The policy inside an agent framework: what every framework adapter is made of. It judges prompts, tool calls with their
 * results, and the end of a run; each adapter only says where its framework lets it in.
 */
import { join, resolve } from 'node:path';
import { HarnessError } from '../../base/errors.ts';
import { machineHost } from '../../base/host.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { visible } from '../../base/visible.ts';
import { eventSpec } from '../../events/catalog.ts';
import type { Approvals } from '../../hooks/approvals.ts';
import { type Actor, readActor } from '../../hooks/who.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { openTape } from '../../tape/open-tape.ts';
import { tapeOptions } from '../../tape/policy-tape.ts';
import { blockText, contextOf, type Judge, openJudge } from '../judge.ts';

export interface GuardOptions {
  /** An open policy, or the folder to look for one in and upwards from. */
  readonly policy: Policy | string;
  /** Of the run, for the tape. */
  readonly session?: string;
  /** The person or program it works for, as the host knows them. */
  readonly actor?: Actor | null;
  /** How a person is asked; without, an `ask` is a no. */
  readonly approvals?: Approvals;
  /** How long a person may take, in milliseconds. */
  readonly approvalWindowMs?: number;
  /** Where decisions are recorded; false: nowhere. Default: `.harness/runs` of the policy's folder. */
  readonly tape?: string | false;
  /** Which framework, for the header of the tape. */
  readonly host?: string;
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly context: readonly string[] }
  | { readonly ok: false; readonly reason: string };

export interface ToolRequest {
  /** Of the call, as the framework has it; one is made if there is none. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: JsonObject;
}

/** Lives as long as a run, or as long as the program. */
export class Guard {
  readonly policy: Policy;
  /** For adapters of frameworks that have events of their own. */
  readonly judge: Judge;
  /** How a person is asked; null: nobody can be. */
  readonly approvals: Approvals | null;
  readonly windowMs: number;
  private calls = 0;

  constructor(policy: Policy, judge: Judge, { approvals, approvalWindowMs }: Partial<GuardOptions> = {}) {
    this.policy = policy;
    this.judge = judge;
    this.approvals = approvals ?? null;
    this.windowMs = approvalWindowMs ?? WINDOW_MS;
  }

  /** Some hook listens to this event. */
  judges(event: string): boolean {
    return this.policy.registry.list(event).length > 0;
  }

  /** `turn.start`: what the user says, as the model may read it. */
  async prompt(text: string): Promise<Checked<string>> {
    const outcome = await this.judge.decide('turn.start', text);
    if (outcome.failure !== undefined) return { ok: false, reason: outcome.failure.message };
    if (outcome.action === 'block' || outcome.action === 'ask')
      return { ok: false, reason: blockText(outcome) };
    return { ok: true, value: String(outcome.payload), context: contextOf(outcome) };
  }

  /**
   * `tool.pre`, the tool, `tool.post`. The tool runs with the arguments the policy left, and not at all if it says no. What
   * the tool throws is thrown on, after the policy has seen it.
   */
  async call<T>(
    request: ToolRequest,
    execute: (args: JsonObject) => T | PromiseLike<T>,
  ): Promise<Checked<T>> {
    const id = request.id ?? `call_${++this.calls}`;
    const call = { id, name: request.name, args: request.args, native: {} };
    const verdict = await this.judge.pre(call, NEVER);
    if (!verdict.allowed) return { ok: false, reason: verdict.reason };
    const judged = { ...call, args: verdict.args };
    let output: T;
    try {
      output = await execute(verdict.args);
    } catch (error) {
      const content = error instanceof Error ? error.message : String(error);
      const said = await this.judge.post(judged, { content }, true);
      if (said.kind === 'same') throw error;
      return { ok: false, reason: said.kind === 'hidden' ? said.reason : String(said.payload.content) };
    }
    const said = await this.judge.post(judged, payloadOf(output), false);
    if (said.kind === 'hidden') return { ok: false, reason: said.reason };
    const context = [...verdict.context, ...said.context];
    if (said.kind === 'same') return { ok: true, value: output, context };
    const value = typeof output === 'string' ? said.payload.content : said.payload.result;
    return { ok: true, value: value as T, context };
  }

  /** `completion.pre`: the request, as it may be sent. */
  async request(request: JsonObject): Promise<Checked<JsonObject>> {
    return this.completion('completion.pre', request);
  }

  /** `completion.post`: the answer, as it may be used. */
  async response(response: JsonObject): Promise<Checked<JsonObject>> {
    return this.completion('completion.post', response);
  }

  /** `agent.stop`: why the agent may not stop yet, or null. */
  async stop(response: string): Promise<string | null> {
    const outcome = await this.judge.decide('agent.stop', {
      id: '',
      response,
      finish_reason: 'end_turn',
      tool_calls: [],
    });
    return outcome.action === 'block' ? (outcome.reason ?? 'go on') : null;
  }

  /** Writes the end of the tape. */
  close(): Promise<void> {
    return this.judge.close();
  }

  private async completion(event: string, payload: JsonObject): Promise<Checked<JsonObject>> {
    const outcome = await this.judge.decide(event, payload);
    if (outcome.failure !== undefined) return { ok: false, reason: outcome.failure.message };
    if (outcome.action === 'block' || outcome.action === 'ask')
      return { ok: false, reason: blockText(outcome) };
    return { ok: true, value: outcome.payload as JsonObject, context: contextOf(outcome) };
  }
}

/** Nobody aborts it: frameworks have signals of their own, which end the tool. */
const NEVER = new AbortController().signal;
const WINDOW_MS = 120_000;

export type OpenGuard = (options: GuardOptions) => Promise<Guard>;

/**
 * For one framework, and the events it has a place for beside tools and prompts. Guards on others are named aloud: nothing will ask
 * them.
 */
export function openGuardIn(framework: string, ...more: readonly string[]): OpenGuard {
  const carried = ['turn.start', 'tool.pre', 'tool.post', 'permission.asked', 'permission.replied', ...more];
  return async (options) => {
    const policy = typeof options.policy === 'string' ? await openPolicy(options.policy) : options.policy;
    const unasked = policy.hooks.filter(
      ({ event }) => !carried.includes(event) && eventSpec(event)?.honours.block === true,
    );
    const named = unasked.map(({ name, event }) => `${name} (${event})`).join(', ');
    if (unasked.length > 0)
      process.emitWarning(visible(`${framework} has no place for these hooks: ${named}`), 'HarnessWarning');
    return new Guard(policy, judgeFor(policy, { host: framework, ...options }), options);
  };
}

function judgeFor(policy: Policy, options: GuardOptions): Judge {
  const { approvals = null, approvalWindowMs = WINDOW_MS, tape, host = 'framework' } = options;
  const session = options.session ?? machineHost.uuid();
  const path = tape || join(resolve(policy.root), '.harness', 'runs', `${session}.jsonl`);
  const open = () =>
    openTape(path, {
      session,
      hooks: policy.hooks,
      policy: policy.digest,
      host: machineHost,
      firedBy: host,
      ...tapeOptions(policy.settings.tape),
    });
  const read = readActor(options.actor);
  if (!read.ok) throw new HarnessError('ACTOR_INVALID', read.message);
  return openJudge({
    policy,
    approvals,
    windowMs: approvalWindowMs,
    openTape: tape === false ? null : open,
    session: { id: session, actor: read.actor },
  });
}

/** Text is what the model reads; anything else is data. What JSON cannot hold is judged as its text. */
function payloadOf(output: unknown): JsonObject {
  if (typeof output === 'string') return { content: output };
  try {
    return { result: JSON.parse(JSON.stringify(output ?? null)) as Json };
  } catch {
    return { content: String(output) };
  }
}

/** The arguments of a call, from whatever a framework holds them in. */
export function argumentsOf(input: unknown): JsonObject {
  if (isJsonObject(input as Json)) return input as JsonObject;
  if (typeof input === 'string') {
    try {
      const value = JSON.parse(input) as Json;
      if (isJsonObject(value)) return value;
    } catch {
      // Not JSON: the text itself is the argument.
    }
  }
  return { input: (input ?? null) as Json };
}
