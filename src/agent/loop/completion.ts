/**
 * One completion: `completion.pre`, one or more attempts of the provider, `completion.post`. Each attempt is a request of
 * its own to the hooks.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import { carrierOf, describeThrown, type Outcome, withTimeout } from '../../engine/index.ts';
import { pause } from '../../machine/index.ts';
import type { Message, ToolCall } from '../message.ts';
import type { Attempt, Completion, CompletionRequest, ProviderFailure, StopReason } from '../provider.ts';
import { failureOf } from '../providers/failure.ts';
import {
  badRewrite,
  failOn,
  fire,
  haltOf,
  ignoreRewrites,
  rewrittenBy,
  sessionFields,
  throwIfEnded,
  vetoOf,
} from './fire.ts';
import { attemptFrom, choiceFrom, isStopReason, messagesFrom, toolsFrom } from './read-rewritten.ts';
import { Halt, type Scope, type SessionState } from './state.ts';

/** What the model said, as the hooks left it. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly stopReason: StopReason;
  /** Names of the tools the request offered: no other may be called. */
  readonly offered: ReadonlySet<string>;
}

/** A request that is not the next of the conversation: no reminders go with it, and nobody watches its text arrive. */
export interface SideRequest {
  readonly request: CompletionRequest;
  /** Told to hooks. */
  readonly purpose: string;
}

/**
 * `spent` is called for an answer that came, whatever the hooks then make of it; `shorten` once if the conversation is more
 * than the model takes, and says whether another attempt may help.
 */
export async function complete(
  scope: Scope,
  spent: (completion: Completion) => void,
  aside: SideRequest | null = null,
  shorten: (() => Promise<boolean>) | null = null,
): Promise<Answer> {
  const { retry } = scope.state.config;
  // Reminders on a request that failed have not been seen; they go with the next attempt.
  const unseen: string[] = [];
  let isShort = false;
  for (let attempt = 1; ; attempt++) {
    const request = await prepare(scope, attempt, unseen, aside);
    const stream = new TextStream(scope, aside !== null);
    const answered = await attemptOnce(scope, request, stream);
    throwIfEnded(scope);
    if (answered.ok) {
      spent(answered.completion);
      return receive(scope, request, answered.completion, attempt, stream, aside);
    }
    const { failure } = answered;
    if (failure.code === 'too_long' && !isShort && (await shorten?.())) {
      isShort = true;
      scope.emit({ type: 'retry', attempt, failure, waitMs: 0 });
      continue;
    }
    if (!failure.retryable || attempt >= retry.maxAttempts) throw gaveUp(failure, attempt);
    const waitMs = waitBefore(attempt, failure, retry);
    scope.emit({ type: 'retry', attempt, failure, waitMs });
    if (!(await pause(waitMs, scope.signal))) throw haltOf(scope.signal);
  }
}

/** The request as the hooks leave it, with the reminders that are due. */
async function prepare(
  scope: Scope,
  attempt: number,
  unseen: string[],
  aside: SideRequest | null,
): Promise<CompletionRequest> {
  const { state } = scope;
  const plain = aside?.request ?? plainRequest(state);
  const fired = {
    model: plain.model,
    provider: state.served.provider.name,
    system: plain.system,
    messages: plain.messages as unknown as Json,
    tools: plain.tools as unknown as Json,
    ...(plain.max_tokens === undefined ? {} : { max_tokens: plain.max_tokens }),
    attempt,
    ...purposeOf(aside),
    ...sessionFields(state),
  };
  const outcome = await fire(scope, 'completion.pre', fired);
  throwIfEnded(scope);
  failOn(outcome);
  const veto = vetoOf(outcome);
  if (veto !== null) throw new Halt('completion_blocked', `completion ${veto}`);
  const payload = rewrittenBy(outcome);
  const complete = (request: CompletionRequest) =>
    aside === null ? withReminders(scope, request, unseen) : request;
  if (payload === null) return complete(plain);
  ignoreRewrites(scope, outcome, fired, ['model', 'system', 'messages', 'tools', 'max_tokens']);
  return complete(requestFrom(outcome, payload, plain));
}

function purposeOf(aside: SideRequest | null): { readonly purpose?: string } {
  return aside === null ? {} : { purpose: aside.purpose };
}

function plainRequest({ config, served, tools, messages }: SessionState): CompletionRequest {
  const offered = Array.from(tools.values(), ({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  return {
    model: served.model,
    system: config.system,
    messages: [...messages],
    tools: offered,
    ...(config.maxOutputTokens === null ? {} : { max_tokens: config.maxOutputTokens }),
  };
}

function requestFrom(outcome: Outcome, payload: JsonObject, plain: CompletionRequest): CompletionRequest {
  const messages = messagesFrom(payload.messages ?? []);
  const tools = toolsFrom(payload.tools ?? []);
  const problems = [...messages.problems, ...tools.problems];
  if (typeof payload.system !== 'string') problems.push(`system is ${typeof payload.system} (want string)`);
  if (problems.length > 0) throw badRewrite(outcome, problems);
  const { max_tokens } = payload;
  return {
    model: String(payload.model),
    system: String(payload.system),
    messages: messages.value,
    tools: tools.value,
    ...(typeof max_tokens === 'number'
      ? { max_tokens }
      : plain.max_tokens
        ? { max_tokens: plain.max_tokens }
        : {}),
  };
}

/** After `completion.pre`, so that what its hooks want the model to know is on this very request. History stays clean. */
function withReminders(scope: Scope, request: CompletionRequest, unseen: string[]): CompletionRequest {
  const { state, emit } = scope;
  const place = carrierOf(request.messages);
  const carrier = request.messages[place];
  if (carrier === undefined) return request;
  for (const text of state.reminders.drain(state.turns)) {
    // A reminder that lasts for several turns, or a hook that says the same again, has been heard in the attempt that failed.
    if (unseen.includes(text)) continue;
    unseen.push(text);
    emit({ type: 'reminder', text });
  }
  if (unseen.length === 0) return request;
  const messages: Message[] = [...request.messages];
  messages[place] = { role: 'user', content: `${carrier.content}\n\n${unseen.join('\n')}` };
  return { ...request, messages };
}

async function attemptOnce(scope: Scope, request: CompletionRequest, stream: TextStream): Promise<Attempt> {
  const { config, served } = scope.state;
  const { provider } = served;
  const settled = await withTimeout(scope.signal, config.limits.completionMs, (signal) =>
    provider.complete(request, { signal, onText: (piece) => stream.take(piece) }),
  );
  stream.close();
  if (settled.kind === 'value') return attemptFrom(settled.value);
  if (settled.kind === 'thrown') {
    const message = `provider ${provider.name} threw: ${describeThrown(settled.thrown)}`;
    return { ok: false, failure: failureOf('unknown', message) };
  }
  const { kind, message } = settled.failure;
  return { ok: false, failure: failureOf(kind === 'timeout' ? 'timeout' : 'aborted', message) };
}

async function receive(
  scope: Scope,
  request: CompletionRequest,
  completion: Completion,
  attempt: number,
  stream: TextStream,
  aside: SideRequest | null,
): Promise<Answer> {
  const { text, tool_calls, stop_reason, usage, cost_usd } = completion;
  const calls = distinct(tool_calls);
  const fired = {
    model: request.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, tool_calls: calls as unknown as Json },
        finish_reason: stop_reason,
      },
    ],
    usage: { ...usage },
    finish_reason: stop_reason,
    ...(cost_usd === undefined ? {} : { cost_usd }),
    attempt,
    ...purposeOf(aside),
    ...sessionFields(scope.state),
  };
  const draft: Message = { role: 'assistant', content: text, tool_calls: calls };
  const outcome = await recorded(scope, aside === null ? draft : null, () =>
    fire(scope, 'completion.post', fired),
  );
  throwIfEnded(scope);
  failOn(outcome);
  const veto = vetoOf(outcome);
  if (veto !== null) throw new Halt('completion_blocked', `completion ${veto}`);
  const offered = new Set(request.tools.map(({ name }) => name));
  const payload = rewrittenBy(outcome);
  if (payload === null) {
    stream.finish(text);
    return { text, calls, stopReason: stop_reason, offered };
  }
  const choice = choiceFrom(payload, stop_reason);
  if (choice.problems.length > 0) throw badRewrite(outcome, choice.problems);
  // A reason that the loop does not know leaves the one it had.
  const known = isStopReason(payload.finish_reason) ? ['finish_reason'] : [];
  ignoreRewrites(scope, outcome, fired, ['choices', ...known]);
  stream.finish(choice.value.text);
  return { ...choice.value, calls: distinct(choice.value.calls), offered };
}

/** Hooks that meter find the answer in the history. It leaves it again: they may rewrite it or throw it away. */
async function recorded<T>({ state }: Scope, draft: Message | null, work: () => Promise<T>): Promise<T> {
  if (draft === null) return work();
  state.messages.push(draft);
  try {
    return await work();
  } finally {
    const place = state.messages.lastIndexOf(draft);
    if (place !== -1) state.messages.splice(place, 1);
  }
}

/** Ids tie results to calls, so each must be there and be the only one. */
function distinct(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, place) => {
    let id = call.id === '' ? `call_${place + 1}` : call.id;
    while (seen.has(id)) id = `${id}_${place + 1}`;
    seen.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

function waitBefore(
  attempt: number,
  { retryAfterMs }: ProviderFailure,
  { baseMs, maxWaitMs }: { readonly baseMs: number; readonly maxWaitMs: number },
): number {
  return Math.min(maxWaitMs, retryAfterMs ?? baseMs * 2 ** (attempt - 1));
}

function gaveUp({ code, message }: ProviderFailure, attempts: number): Halt {
  return new Halt('error', attempts === 1 ? message : `${message} (after ${attempts} attempts)`, code);
}

/**
 * The text of one attempt on its way to the listeners: piece by piece, or in one piece once the hooks of
 * `completion.post` have had their say, since a piece that was shown cannot be taken back.
 */
class TextStream {
  private readonly scope: Scope;
  /** The hooks that see the whole answer before anybody does. */
  private readonly judges: readonly string[];
  private readonly silent: boolean;
  private held = 0;
  private shown = false;
  private open = true;

  constructor(scope: Scope, silent: boolean) {
    this.scope = scope;
    this.silent = silent;
    // As if it had been shown: there is nothing left to show.
    this.shown = silent;
    this.judges = scope.state.engine.registry.list('completion.post').map(({ name }) => name);
  }

  take(text: string): void {
    if (!this.open || this.silent || text === '') return;
    if (this.judges.length > 0) {
      this.held += text.length;
      this.scope.emit({ type: 'held', characters: this.held, hooks: this.judges });
      return;
    }
    this.shown = true;
    this.scope.emit({ type: 'text', text });
  }

  close(): void {
    this.open = false;
  }

  finish(text: string): void {
    if (!this.shown && text !== '') this.scope.emit({ type: 'text', text });
  }
}
