/**
 * One delegation: `delegation.pre` → the sub-agent's session → its answer checked, and sent back while tries are left →
 * `delegation.post`. Rejects with a `DelegationError`; a sub-agent that was started has ended by then, `session.end` included.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import { fire, ignoreRewrites, rewrittenBy, sessionFields, throwIfEnded, vetoOf } from '../loop/fire.ts';
import type { RunResult } from '../loop/run.ts';
import type { Scope } from '../loop/state.ts';
import { addUsage, type Message, NO_USAGE, type Usage } from '../message.ts';
import { endedWell } from '../session-event.ts';
import { DelegationChain } from './chain.ts';
import { childOptions } from './child.ts';
import { DelegationError, VerificationFailed } from './errors.ts';
import { type Assignment, assign, readRequest, requestPayload, rewrittenRequest } from './request.ts';
import { objections, sentBack } from './verify.ts';

export interface Delegated {
  /** The answer as `delegation.post` left it. */
  readonly text: string;
  readonly agent: string;
  /** Of all sub-agents that had a part in it. */
  readonly usage: Usage;
}

/** `chain` is given where hooks delegate: what they string together has one budget. */
export function delegate(scope: Scope, given: Json, chain: DelegationChain | null): Promise<Delegated> {
  const { children } = scope.state;
  const work = inTurn(scope, [...children]).then(() => follow(scope, given, chain));
  children.add(work);
  const over = () => void children.delete(work);
  work.then(over, over);
  return work;
}

/** Resolves when fewer of those that came before are under way than may be; each waits only for earlier ones. */
async function inTurn({ state }: Scope, before: readonly Promise<unknown>[]): Promise<void> {
  const { maxConcurrent } = state.delegation;
  const open = new Map(
    before.map(
      (work, place) =>
        [
          place,
          work.then(
            () => place,
            () => place,
          ),
        ] as const,
    ),
  );
  while (open.size >= maxConcurrent) open.delete(await Promise.race(open.values()));
}

async function follow(scope: Scope, given: Json, chain: DelegationChain | null): Promise<Delegated> {
  const { state } = scope;
  const held = chain ?? new DelegationChain(state.delegation.chain);
  let usage = NO_USAGE;
  for (let next = given; ; ) {
    held.enter(next);
    const done = await delegateOnce(scope, next, next === given ? chain : held);
    usage = addUsage(usage, done.usage);
    if (done.next === null) return { text: done.text, agent: done.agent, usage };
    next = done.next;
  }
}

interface Step extends Delegated {
  /** What a hook of `delegation.post` wants done with the answer. */
  readonly next: Json | null;
}

async function delegateOnce(scope: Scope, given: Json, chain: DelegationChain | null): Promise<Step> {
  const { state } = scope;
  const { delegation, lineage, host } = state;
  const depth = lineage.depth + 1;
  if (depth > delegation.maxDepth) {
    throw new DelegationError(
      'DELEGATION_REFUSED',
      `delegation refused: agents are ${lineage.depth} deep inside one another, which is the limit`,
    );
  }
  const identity = { id: host.uuid(), parent_id: state.id, depth };
  const assignment = await agreed(scope, identity, given);
  const { name } = assignment.definition;
  const options = await childOptions(scope, assignment, { ...identity, chain });
  const child = state.powers.spawn(options);
  const spent = { usage: NO_USAGE };
  try {
    const told = { ...identity, agent: name };
    const answer = await answerOf(scope, assignment, told, (prompt) =>
      runChild(scope, child, prompt, name, spent),
    );
    return { ...(await accepted(scope, answer)), agent: name, usage: spent.usage };
  } finally {
    await child.close();
  }
}

/** The assignment as `delegation.pre` leaves it. */
async function agreed(scope: Scope, identity: JsonObject, given: Json): Promise<Assignment> {
  const request = readRequest(given);
  const assignment = assign(scope.state, request);
  const fired = { ...identity, ...requestPayload(assignment, request), ...sessionFields(scope.state) };
  const outcome = await fire(scope, 'delegation.pre', fired);
  throwIfEnded(scope);
  failOrBlock(outcome);
  const after = rewrittenBy(outcome);
  if (after === null) return assignment;
  ignoreRewrites(scope, outcome, fired, HONOURED);
  return assign(scope.state, rewrittenRequest(request, fired, after));
}

const HONOURED = ['agent', 'prompt', 'model', 'tools', 'system_prompt', 'max_verify_retries', 'scopes'];

interface Child {
  run(prompt: string, options: { signal: AbortSignal }): { readonly result: Promise<RunResult> };
  close(): Promise<void>;
}

async function runChild(
  scope: Scope,
  child: Child,
  prompt: string,
  name: string,
  spent: { usage: Usage },
): Promise<RunResult> {
  const result = await child.run(prompt, { signal: scope.signal }).result;
  spent.usage = addUsage(spent.usage, result.usage);
  scope.spend?.(result.usage, result.costUsd);
  throwIfEnded(scope);
  if (endedWell(result.reason)) return result;
  const why = result.message === null ? '' : `: ${result.message}`;
  throw new DelegationError(
    'DELEGATION_FAILED',
    `delegation failed: "${name}" ended with ${result.reason}${why}`,
  );
}

/** Asks until the answer is accepted, in the same conversation. */
async function answerOf(
  scope: Scope,
  { definition, prompt, retries }: Assignment,
  told: JsonObject,
  ask: (prompt: string) => Promise<RunResult>,
): Promise<JsonObject> {
  let result = await ask(prompt);
  for (let attempt = 1; ; attempt++) {
    const answer = { ...told, ...resultPayload(result), ...sessionFields(scope.state) };
    const wrong = await objections(scope, definition, answer, attempt);
    if (wrong === null) return answer;
    if (attempt > retries) throw new VerificationFailed(definition.name, attempt, wrong);
    result = await ask(sentBack(wrong, attempt, retries - attempt + 1));
  }
}

function resultPayload({ text, messages, usage }: RunResult): JsonObject {
  const calls = messages.flatMap((message: Message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  const results = messages.flatMap((message) =>
    message.role === 'tool'
      ? [
          {
            call_id: message.call_id,
            name: message.name,
            content: message.content,
            is_error: message.is_error ?? false,
          },
        ]
      : [],
  );
  return {
    result: text,
    tool_calls: calls.map(({ name, args }) => ({ name, args })),
    tool_results: results,
    usage: { ...usage },
  };
}

async function accepted(scope: Scope, answer: JsonObject): Promise<{ text: string; next: Json | null }> {
  const outcome = await fire(scope, 'delegation.post', answer);
  throwIfEnded(scope);
  failOrBlock(outcome);
  const { result } = outcome.payload as JsonObject;
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? null);
  if (outcome.action === 'delegate') return { text, next: outcome.request ?? null };
  if (outcome.action === 'modify') ignoreRewrites(scope, outcome, answer, ['result']);
  return { text, next: null };
}

function failOrBlock(outcome: Parameters<typeof vetoOf>[0]): void {
  const { failure } = outcome;
  if (failure !== undefined) {
    throw new DelegationError(
      'DELEGATION_BLOCKED',
      `delegation failed: hook "${failure.hook}" failed: ${failure.message}`,
    );
  }
  const veto = vetoOf(outcome);
  if (veto !== null) throw new DelegationError('DELEGATION_BLOCKED', `delegation ${veto}`);
}
