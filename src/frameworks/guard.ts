/**
 * The policy inside an agent framework: what every framework adapter is made of. It judges prompts, tool calls with their
 * results, and the end of a run; each adapter only says where its framework lets it in.
 */
import { join, resolve } from 'node:path';
import { HarnessError, isJsonObject, type Json, type JsonObject, visible } from '../base/index.ts';
import { type Actor, type Approvals, eventSpec, readActor } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import { openPolicy, type Policy } from '../policy/index.ts';
import { blockText, contextOf, GovernedSession, openSessionTape } from '../session/index.ts';

export interface GuardOptions {
  /** An open policy, or the folder to look for one in and upwards from. */
  readonly policy: Policy | string;
  /** Of the run, for the tape. */
  readonly session?: string;
  /** The person or program it works for, as the host knows them. */
  readonly actor?: Actor | null;
  /** The folder the agent works in. Default: that of the policy, in the whole git checkout around it. */
  readonly workspace?: string;
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

/** Of an agent: what it may have although the policy cannot judge it. */
export interface AgentOptions {
  /** Names of tools and other parts, as the refusal gives them. */
  readonly accept?: readonly string[];
}

/** Why a call is on the tape that no hook was asked about. */
export const AT_PROVIDER = 'not judged: runs at the provider';
const ACCEPTED = 'not judged: the program lists this tool under `accept`';

/** Lives as long as a run, or as long as the program. Nothing of a single run is stored in it: runs may interleave. */
export class Guard {
  readonly policy: Policy;
  /** For adapters of frameworks that have events of their own. */
  readonly judge: GovernedSession;
  /** How a person is asked; null: nobody can be. */
  readonly approvals: Approvals | null;
  readonly windowMs: number;
  private calls = 0;

  constructor(
    policy: Policy,
    judge: GovernedSession,
    { approvals, approvalWindowMs }: Partial<GuardOptions> = {},
  ) {
    this.policy = policy;
    this.judge = judge;
    this.approvals = approvals ?? null;
    this.windowMs = approvalWindowMs ?? WINDOW_MS;
  }

  /** Some hook listens to this event. */
  judges(event: string): boolean {
    return this.policy.registry.list(event).length > 0;
  }

  /**
   * `turn.start`: what the user says, as the model may read it. An old message was judged when it was new, here or in another process, or a client
   * made it up: it is blocked and rewritten like a new one, but counts for nothing and brings no context.
   */
  async prompt({ text, isNew }: UserText): Promise<Checked<string>> {
    // The second look cannot rewrite, so that it refuses what has to be rewritten.
    if (!isNew && (await this.judge.decide('turn.start', text, { recheck: true })).mayRun)
      return { ok: true, value: text, context: [] };
    const outcome = await this.judge.decide('turn.start', text);
    if (!outcome.mayRun) return { ok: false, reason: outcome.failure?.message ?? blockText(outcome) };
    return { ok: true, value: String(outcome.payload), context: isNew ? contextOf(outcome) : [] };
  }

  /** `turn.start` for every message, in order; the first that is blocked ends it. */
  async prompts(said: readonly UserText[]): Promise<Checked<readonly string[]>> {
    const value: string[] = [];
    const context: string[] = [];
    for (const each of said) {
      const checked = await this.prompt(each);
      if (!checked.ok) return checked;
      value.push(checked.value);
      context.push(...checked.context);
    }
    return { ok: true, value, context };
  }

  /** The same for a framework that cannot carry another text: why the prompts may not be sent, or null. */
  async promptRefusal(said: readonly UserText[]): Promise<string | null> {
    const checked = await this.prompts(said);
    if (!checked.ok) return checked.reason;
    const same = checked.value.every((value, at) => value === said[at]?.text);
    return same ? null : 'the policy rewrites this prompt, which this framework cannot carry';
  }

  /** Records a tool that no hook can be asked about, since it runs at the service of the model. */
  atProvider(name: string, args: JsonObject = {}, id = ''): void {
    this.judge.record({ id, name, args, native: {} }, 'allowed', AT_PROVIDER, null);
  }

  /** A part of an agent that the policy cannot judge is refused, unless the program accepts it by its name. */
  refuse(name: string, why: string, { accept = [] }: AgentOptions): void {
    if (!accept.includes(name)) throw new HarnessError('CANNOT_JUDGE', `${name}: ${why}`);
    this.judge.record({ id: '', name, args: {}, native: {} }, 'allowed', ACCEPTED, null);
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
    const verdict = await this.judge.beforeCall(call, NEVER);
    if (!verdict.allowed) return { ok: false, reason: verdict.reason };
    const judged = { ...call, args: verdict.args };
    let output: T;
    try {
      output = await execute(verdict.args);
    } catch (error) {
      const content = error instanceof Error ? error.message : String(error);
      const said = await this.judge.afterCall(judged, { content }, true);
      if (said.kind === 'same') throw error;
      return { ok: false, reason: said.kind === 'hidden' ? said.reason : String(said.payload.content) };
    }
    const said = await this.judge.afterCall(judged, payloadOf(output), false);
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
    return outcome.mayRun ? null : (outcome.reason ?? 'go on');
  }

  /** Writes the end of the tape. */
  close(): Promise<void> {
    return this.judge.close();
  }

  private async completion(event: string, payload: JsonObject): Promise<Checked<JsonObject>> {
    const outcome = await this.judge.decide(event, payload);
    if (!outcome.mayRun) return { ok: false, reason: outcome.failure?.message ?? blockText(outcome) };
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
    return new Guard(policy, sessionFor(policy, { host: framework, ...options }), options);
  };
}

function sessionFor(policy: Policy, options: GuardOptions): GovernedSession {
  const { approvals = null, approvalWindowMs: approvalMs = WINDOW_MS, tape, host = 'framework' } = options;
  const session = options.session ?? machineHost.uuid();
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
  const target = tape || join(resolve(policy.root), '.harness', 'runs', `${session}.jsonl`);
  const read = readActor(options.actor);
  if (!read.ok) throw new HarnessError('ACTOR_INVALID', read.message);
  return new GovernedSession({
    policy,
    approvals,
    approvalMs,
    shared: true,
    openTape:
      tape === false
        ? null
        : () => openSessionTape(policy, { session, target, firedBy: host, host: machineHost }),
    info: { id: session, actor: read.actor, ...(workspace && { cwd: workspace, workspace }) },
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

/** A message of the user. */
export interface UserText {
  readonly text: string;
  /** Of the turn that the model is to answer now; otherwise it is history, which the program or a client sends again. */
  readonly isNew: boolean;
}

/**
 * Where the user speaks in a conversation. A client can post any history and put words into the mouth of the model, so that no place is
 * exempt. The newest turn ends with the user's last message, whatever follows it, and is old as soon as a tool has answered in it.
 */
export function userTurns<M>(
  messages: readonly M[],
  roleOf: (message: M) => unknown,
): readonly { readonly at: number; readonly isNew: boolean }[] {
  const roles = messages.map(roleOf);
  const last = roles.lastIndexOf('user');
  const answered = roles.slice(0, Math.max(last, 0)).findLastIndex((role) => !OF_THE_TURN.includes(role));
  const newFrom = roles.includes('tool', last) ? roles.length : answered + 1;
  return roles.flatMap((role, at) => (role === 'user' ? [{ at, isNew: at >= newFrom }] : []));
}

const OF_THE_TURN: readonly unknown[] = ['user', 'system'];

/** What the user says in messages that have their text as `content`. */
export function userTexts(messages: readonly { role?: unknown; content?: unknown }[]): UserText[] {
  const turns = userTurns(messages, ({ role }) => role);
  return turns.map(({ at, isNew }) => ({ text: textOfParts(messages[at]?.content), isNew }));
}

/** The text of a message: its content, or its parts that are text. */
export function textOfParts(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = (content as { text?: unknown }[]).map((part) => part?.text);
  return texts.filter((text): text is string => typeof text === 'string').join('\n');
}

/** A text that a tool gives back, with what hooks want the model to read beside it. */
export function withContext(value: unknown, context: readonly string[]): unknown {
  if (context.length === 0 || typeof value !== 'string') return value;
  return [value, ...context].join('\n\n');
}

/** The same object with other methods, whatever private fields its own ones use. */
export function withMethods<T extends object>(target: T, methods: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get(of, key) {
      if (typeof key === 'string' && Object.hasOwn(methods, key)) return methods[key];
      const value = Reflect.get(of, key, of) as unknown;
      return typeof value === 'function' ? (value as (...args: never) => unknown).bind(of) : value;
    },
  });
}

/** What a tool takes that is not called with an object: hooks see it as the argument `input`, and the tool gets what they left of it. */
export function inputLike(input: unknown, args: JsonObject): unknown {
  return isJsonObject(input as Json) ? args : args.input;
}

/** The arguments of a tool whose input may be anything. */
export function argumentsOfInput(input: unknown): JsonObject {
  return isJsonObject(input as Json) ? (input as JsonObject) : { input: (input ?? null) as Json };
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
