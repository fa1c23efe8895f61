/**
 * The pipeline: from an event to its outcome, in five steps that stand here in their order.
 *
 * 1. filter: which hooks does the payload concern?
 * 2. sort: in which order do they run?
 * 3. dispatch: each hook in its turn judges the payload as the hooks before it left it.
 * 4. compose: what the hook said becomes part of what the chain says.
 * 5. return: the strictest word is the outcome.
 *
 * Why was this blocked? Every block is set in `compose`, for a decision (actions.ts) or for a failure, or in `conclude`, for a payload
 * that no hook could judge and for an ask that nobody can answer.
 */
import { isJsonObject, isPromise, type Json } from '../base/index.ts';
import { applyAction, type InvalidAction } from './actions.ts';
import { OpenCall } from './call.ts';
import type { Chain } from './chain.ts';
import type { DecisionSite, Failure, Outcome, TraceEntry } from './decision.ts';
import type { DispatchState } from './dispatch-state.ts';
import { explain, failure } from './failure.ts';
import { count } from './health.ts';
import type { Hook, MaybePromise, Reply } from './hook.ts';
import { isBuiltIn, layerOf } from './layer.ts';
import { ChainOutcome, type Conclusion } from './outcome.ts';
import { aborted, isThenable, raceTimeout } from './race.ts';
import { beginRecheck, everyGuard, guardsToRecheck } from './recheck.ts';
import { Reservations } from './reservations.ts';
import { shortFailure, shortLine, shortReply } from './text-limits.ts';
import { ownNameIn } from './tool-names.ts';
import type { EntryDraft } from './trace.ts';
import { addEffect, block, canBlock, failOperation, ignore, type Verdict, vetoIgnored } from './verdict.ts';
import { isOfSubAgent } from './who.ts';

/** Something to wait for before the next hook's turn, or null. */
type Pending = Promise<unknown> | null;

/** Runs an event through all five steps. Synchronous until a hook answers with a promise; never throws because of a hook. */
export function decide(state: DispatchState): MaybePromise<Outcome> {
  state.plan = state.chosen = filter(state.chain, state.payload);
  return run(state);
}

/** Nothing but the second look: for a call that was judged, and changed outside the chain since. */
export function recheck(state: DispatchState, judged: Outcome | undefined): MaybePromise<Outcome> {
  state.chosen = filter(state.chain, state.payload);
  const guards = everyGuard(state.chain, state.chosen);
  state.second = beginRecheck(state, guards, judged?.reservations?.taken ?? []);
  return run(state);
}

/** The answer to a payload that no hook could judge: a block, and no hook is called. */
export function refuse(state: DispatchState, why: string): MaybePromise<Outcome> {
  state.refused = `${state.event}: ${why}`;
  state.over = true;
  return returned(state);
}

function run(state: DispatchState): MaybePromise<Outcome> {
  const pending = dispatch(state);
  return pending === null ? returned(state) : runLater(state, pending);
}

async function runLater(state: DispatchState, first: Promise<unknown>): Promise<Outcome> {
  for (let pending: Pending = first; pending !== null; pending = dispatch(state)) {
    const soon = state.recording === null || (await answersSoon(pending));
    const recorded = soon ? undefined : state.recording?.waits();
    await (recorded === undefined ? pending : Promise.all([pending, recorded]));
  }
  return returned(state);
}

/** Microtasks to wait before a hook counts as asynchronous. */
const SOON = 64;

/** Whether nothing outside this process has to happen first: then there is no wait in which it could die unseen. */
async function answersSoon(pending: Promise<unknown>): Promise<boolean> {
  let over = false;
  const end = () => {
    over = true;
  };
  pending.then(end, end);
  for (let turn = 0; turn < SOON && !over; turn++) await null;
  return over;
}

// ---------------------------------------------------------------------------------------------------------------- 1. filter

/**
 * The places in the chain of the hooks that a payload may concern, by the chain's index. A key that is absent or no string leaves
 * the answer to the conditions.
 */
export function filter({ all, index, spec: { index: key } }: Chain, payload: Json): readonly number[] {
  // Nothing indexed: every plan is the same, and one array saves asking.
  if (key === null || index === null || !isJsonObject(payload)) return all;
  const value = payload[key];
  if (typeof value !== 'string') return all;
  return index.plan(value, key === 'name' ? ownNameIn(payload) : null);
}

/** Yes, no, or why the condition could not say. */
type Match = boolean | Failure;

/**
 * Whether a hook's condition holds, when its turn comes and on the payload as it then stands: an earlier rewrite can neither hide a
 * call from a guard nor stand in for one.
 */
function matches(state: DispatchState, call: OpenCall, seen: unknown): Match | Promise<Match> {
  const { condition } = call.hook;
  if (condition === null) return true;
  // The index chose the hook by all that its condition asks.
  if (state.chosen !== state.chain.all && state.chain.matchedByIndex[state.place]!) return true;
  try {
    const answer: unknown = condition.test(seen, call);
    return isThenable(answer) ? matchesLater(call, answer) : Boolean(answer);
  } catch (thrown) {
    return explain(call.hook, thrown);
  }
}

async function matchesLater(call: OpenCall, answer: PromiseLike<unknown>): Promise<Match> {
  const settled = await raceTimeout(answer, call.timeoutMs, call.outerSignal);
  if (settled.kind === 'value') return Boolean(settled.value);
  return settled.kind === 'failed' ? settled.failure : explain(call.hook, settled.thrown);
}

// ------------------------------------------------------------------------------------------------------------------ 2. sort

/** A new list in the order of the chain, which is made once for many events. Equal hooks stay in the order of registration. */
export function sort(hooks: Iterable<Hook>): Hook[] {
  return [...hooks].sort(compareHooks);
}

/**
 * Built-in hooks last, then priority, source path, position in the source, layer: total, so that the same files give the same chain
 * on every machine.
 */
export function compareHooks(a: Hook, b: Hook): number {
  return (
    Number(isBuiltIn(a)) - Number(isBuiltIn(b)) ||
    a.priority - b.priority ||
    compareText(a.source, b.source) ||
    a.position - b.position ||
    layerOf(a).rank - layerOf(b).rank
  );
}

/** By code unit: a locale would order the same files differently on another machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// -------------------------------------------------------------------------------------------------------------- 3. dispatch

const NOT_OF_SUB_AGENTS = "a sub-agent's event: such a hook hears it of the session itself only";

/** Gives hooks their turn until the chain is over or one has to be waited for; then guards of higher layers look again. */
function dispatch(state: DispatchState): Pending {
  while (!state.over && state.next < state.plan.length) {
    const pending = visit(state, state.plan[state.next++]!);
    if (pending !== null) return pending;
  }
  if (state.rewrites === null && state.second === null) return null;
  state.second ??= beginRecheck(
    state,
    guardsToRecheck(state.chain, state.chosen, state.rewrites ?? []),
    state.reservations ?? [],
  );
  while (!state.over && state.second.next < state.second.places.length) {
    const pending = visit(state, state.second.places[state.second.next++]!);
    if (pending !== null) return pending;
  }
  return null;
}

function visit(state: DispatchState, place: number): Pending {
  const hook = state.chain.hooks[place]!;
  const scope = state.second === null ? state : state.second.scope;
  const recording = state.recording === null ? null : state.recording.visit(hook, scope.run);
  const call = new OpenCall(scope, hook, recording);
  state.place = place;
  state.call = call;
  if (state.signal?.aborted) return composeFailed(state, call, 'unreached', aborted());
  if (hook.frontEnd.ownSessionOnly?.has(state.event) && isOfSubAgent(state.who))
    return pass(state, call, NOT_OF_SUB_AGENTS);
  let seen: unknown;
  try {
    seen = state.view(hook.frontEnd);
  } catch (thrown) {
    recording?.called(state.payload, state.rewrittenBy !== null);
    return composeFailed(state, call, 'ran', explain(hook, thrown));
  }
  const match = matches(state, call, seen);
  if (match === true) return enter(state, call, seen);
  return isPromise(match)
    ? match.then((late) => (late === true ? enter(state, call, seen) : passOver(state, call, late)))
    : passOver(state, call, match);
}

function passOver(state: DispatchState, call: OpenCall, match: false | Failure): null {
  return match === false ? pass(state, call) : composeConditionFailure(state, call, match);
}

/** The hook does not hear of the event. */
function pass(state: DispatchState, call: OpenCall, reason?: string): null {
  call.close();
  const shared = state.chain.unmatched(state.place);
  if (reason !== undefined) return state.leaveEntry({ ...shared, reason });
  return state.leaveEntry(call.steps === 0 ? shared : { ...shared, steps: call.steps });
}

/** The condition holds. That the hook is called is on record before it runs. */
function enter(state: DispatchState, call: OpenCall, seen: unknown): Pending {
  const recorded = call.recording?.called(state.payload, state.rewrittenBy !== null);
  if (recorded instanceof Promise) return recorded.then(() => ask(state, call, seen));
  return ask(state, call, seen);
}

function ask(state: DispatchState, call: OpenCall, seen: unknown): Pending {
  const reply = replyOf(call, seen);
  if (isPromise(reply)) return reply.then((late) => compose(state, call, late));
  return compose(state, call, reply);
}

/** A placeholder looks like a guard in a list of the chain, so the trace says what it is. */
const NO_BODY: Reply = Object.freeze({
  decision: Object.freeze({ action: 'allow' }),
  warnings: Object.freeze(['the hook has no script: it allows everything']),
});

/** Calls the hook. Whatever happens, the result is a reply: a decision or a failure. */
function replyOf(call: OpenCall, seen: unknown): MaybePromise<Reply> {
  const { hook } = call;
  if (hook.body === null) return NO_BODY;
  try {
    const returned = hook.body(seen, call);
    if (isThenable(returned)) return replyLater(call, returned);
    return hook.frontEnd.interpret(returned, hook, call.event);
  } catch (thrown) {
    return { failure: explain(hook, thrown) };
  }
}

async function replyLater(call: OpenCall, returned: PromiseLike<unknown>): Promise<Reply> {
  const { hook } = call;
  const settled = await raceTimeout(returned, call.timeoutMs, call.outerSignal);
  if (settled.kind === 'failed') return { failure: settled.failure };
  if (settled.kind === 'thrown') return { failure: explain(hook, settled.thrown) };
  try {
    return hook.frontEnd.interpret(settled.value, hook, call.event);
  } catch (thrown) {
    return { failure: explain(hook, thrown) };
  }
}

// --------------------------------------------------------------------------------------------------------------- 4. compose

/** Folds a hook's reply into what the chain says. */
function compose(state: DispatchState, call: OpenCall, given: Reply): null {
  const entry = state.entryOf(call, 'ran');
  const before = state.payload;
  let reply = given;
  try {
    reply = shortReply(given);
    composeReply(state, call.hook, reply, entry);
  } catch (thrown) {
    composeFailure(state, call.hook, explain(call.hook, thrown), entry);
  }
  if (state.payload !== before) filterAgain(state, call.hook);
  return state.leave(call, entry, reply);
}

/** Throws only where the reply itself does, before anything but its effects has been taken over. */
function composeReply(verdict: Verdict, hook: Hook, reply: Reply, entry: EntryDraft): void {
  if (reply.warnings !== undefined && reply.warnings.length > 0) entry.warnings = [...reply.warnings];
  if (reply.effects !== undefined) for (const effect of reply.effects) addEffect(verdict, hook, effect);
  const invalid = composeDecision(verdict, hook, reply, entry);
  if (invalid !== null) composeFailure(verdict, hook, invalid.failure, entry, invalid.policy);
}

/** Null, or why the hook gave no decision that counts. */
function composeDecision(
  verdict: Verdict,
  hook: Hook,
  reply: Reply,
  entry: EntryDraft,
): InvalidAction | null {
  if (reply.decision === undefined) return { failure: reply.failure };
  const { decision, unclear } = reply;
  if (unclear !== undefined && hook.strict === true) return { failure: failure('invalid_return', unclear) };
  if (decision.action !== 'allow') {
    noteSite(verdict, hook, reply.site);
    return applyAction(verdict, hook, decision, entry);
  }
  entry.decision = 'allow';
  return null;
}

function noteSite(verdict: Verdict, hook: Hook, site: DecisionSite | undefined): void {
  if (site !== undefined) verdict.sites = [...verdict.sites, { hook, site }];
}

/** What a failure means under the hook's policy. A hook that only warns or watches never stops anything. */
function composeFailure(
  verdict: Verdict,
  hook: Hook,
  given: Failure,
  entry: EntryDraft,
  policy: Hook['onError'] = verdict.failureMode(hook),
): void {
  const failed = shortFailure(given);
  count(verdict.run, 'hook.failures');
  entry.failure = failed;
  noteSite(verdict, hook, failed.position);
  const blockable = canBlock(verdict, hook) === true;
  const reason = `hook "${hook.name}" failed: ${failed.message}`;
  if (hook.mode !== 'enforce') {
    if (policy !== 'allow') entry.vetoIgnored = `mode is ${hook.mode}`;
    entry.onFailure = 'allowed';
  } else if (policy === 'throw') {
    entry.onFailure = 'threw';
    failOperation(verdict, hook, failed);
    if (blockable) block(verdict, hook, reason);
  } else if (policy === 'block' && blockable) {
    entry.onFailure = 'blocked';
    block(verdict, hook, reason);
  } else {
    entry.onFailure = 'allowed';
    if (policy === 'block') ignore(verdict, entry, vetoIgnored(verdict));
  }
  if (entry.onFailure === 'allowed') count(verdict.run, 'hook.fail_open');
}

/** A call that failed before the hook could answer. */
function composeFailed(
  state: DispatchState,
  call: OpenCall,
  as: TraceEntry['state'],
  failed: Failure,
  policy?: Hook['onError'],
): null {
  const entry = state.entryOf(call, as);
  composeFailure(state, call.hook, failed, entry, policy);
  return state.leave(call, entry, null);
}

function composeConditionFailure(state: DispatchState, call: OpenCall, failed: Failure): null {
  count(state.run, 'hook.condition_failed');
  // `on_when_error: block` counts whatever the handler's own failure policy is.
  if (call.hook.onWhenError === 'block')
    return composeFailed(state, call, 'condition_failed', failed, 'block');
  // Out of steps or time: a payload can be made for that, and must not be able to switch the guard off with it.
  if (failed.code === 'HOOK_LIMIT' || failed.kind === 'timeout')
    return composeFailed(state, call, 'condition_failed', failed);
  const entry = state.entryOf(call, 'condition_failed');
  entry.reason = shortLine(`condition failed: ${failed.message}`);
  entry.warnings = [entry.reason];
  return state.leave(call, entry, null);
}

/** The hooks still to come are chosen anew: the call may now be one that other guards look at. */
function filterAgain(state: DispatchState, by: Hook): void {
  const { chain, place } = state;
  if (chain.layered) (state.rewrites ??= []).push({ place, rank: layerOf(by).rank });
  state.forgetViews();
  const chosen = filter(chain, state.payload);
  if (chosen === state.chosen) return;
  state.plan = [...state.plan.slice(0, state.next), ...chosen.filter((each) => each > place)];
  state.chosen = chosen;
}

// ---------------------------------------------------------------------------------------------------------------- 5. return

/** The outcome. It is the host's only when it is on record; the observer sees it before the host does. */
function returned(state: DispatchState): MaybePromise<Outcome> {
  const conclusion = conclude(state, state.engine.canAsk);
  const outcome = new ChainOutcome(state.chain, state, state, conclusion, settleLimits(state, conclusion));
  const recorded = state.recording?.outcome(outcome, state.rewrittenBy !== null);
  if (recorded instanceof Promise) return recorded.then(() => withTrace(state, outcome));
  return withTrace(state, outcome);
}

const ALLOW: Conclusion = { action: 'allow', reason: null, hook: null };

/** The strictest word wins: block, ask, delegate, permit, modify, allow. */
function conclude(verdict: Verdict, canAsk: boolean): Conclusion {
  const { blocked, asks, delegated, permitted, rewrittenBy } = verdict;
  if (verdict.refused !== null) return { action: 'block', reason: verdict.refused, hook: null };
  if (blocked !== null) return { action: 'block', ...blocked };
  if (asks.length > 0) {
    const { hook } = asks[0]!;
    const why = asks.map((asked) => asked.reason).join('; ');
    if (canAsk && verdict.spec.honours.ask) return { action: 'ask', reason: why, hook };
    return { action: 'block', reason: `${why} (needs approval, and there is nobody to ask)`, hook };
  }
  if (delegated !== null) return { action: 'delegate', reason: null, hook: delegated.hook };
  if (permitted !== null) return { action: 'permit', reason: permitted.reason, hook: permitted.hook };
  if (rewrittenBy !== null) return { action: 'modify', reason: null, hook: rewrittenBy };
  return ALLOW;
}

/** What will not happen is given back at once; what is asked about, or may still be stopped, when the host says so. */
function settleLimits(state: DispatchState, { action }: Conclusion): Reservations | undefined {
  if (state.reservations === null) return undefined;
  const reservations = new Reservations(state.reservations);
  if (action !== 'block' || state.spec.authority !== 'gate') return reservations;
  reservations.giveBack();
  return undefined;
}

function withTrace(state: DispatchState, outcome: Outcome): Outcome {
  state.engine.observe?.(outcome, state.depth, state.engine.run);
  return outcome;
}
