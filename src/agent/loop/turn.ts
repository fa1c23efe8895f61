/**
 * One turn: a prompt, and then completions and tool calls until the model stops and nobody sends it back.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import type { Outcome } from '../../engine/index.ts';
import { compact, compactIfDue } from '../compaction/compact.ts';
import { DelegationChain } from '../delegation/chain.ts';
import { DelegationError } from '../delegation/errors.ts';
import { addUsage, type Message, NO_USAGE, type ToolCall, type Usage } from '../message.ts';
import type { Completion, StopReason } from '../provider.ts';
import type { EndReason } from '../session-event.ts';
import { reportBudget } from './budget-report.ts';
import type { Answer } from './completion.ts';
import { complete } from './completion.ts';
import { drainEdits } from './file-edits.ts';
import { failOn, fire, ignoreRewrites, rewrittenBy, sessionFields, throwIfEnded, vetoOf } from './fire.ts';
import { exceededLimit } from './session-limits.ts';
import { Halt, type Scope } from './state.ts';
import { type FinishedCall, runToolCalls } from './tool-calls.ts';

/** What a turn has come to so far; the loop reads it however the turn ends. */
export interface Turn {
  completions: number;
  usage: Usage;
  costUsd: number;
  /** The last text of the assistant. */
  text: string;
  readonly calls: ToolCall[];
  readonly results: FinishedCall[];
}

export interface TurnEnd {
  readonly reason: EndReason;
  readonly message: string | null;
}

export function newTurn(): Turn {
  return { completions: 0, usage: NO_USAGE, costUsd: 0, text: '', calls: [], results: [] };
}

/** Halts where the turn does not come to its end. */
export async function runTurn(scope: Scope, prompt: string, turn: Turn): Promise<TurnEnd> {
  say(scope, { role: 'user', content: await startTurn(scope, prompt) });
  for (let continuations = 0; ; ) {
    const answer = await ask(scope, turn);
    if (answer.calls.length > 0) {
      await useTools(scope, turn, answer);
      await reportStep(scope, turn, answer);
      await endRoundTrip(scope);
      continue;
    }
    await reportStep(scope, turn, answer);
    const veto = await askToStop(scope, turn, answer.stopReason);
    if (veto === null || continuations >= scope.state.config.maxContinuations) {
      await endTurn(scope, turn, veto);
      await endRoundTrip(scope);
      return {
        reason: answer.stopReason === 'tool_use' ? 'end_turn' : answer.stopReason,
        message: ignoredVetoText(veto),
      };
    }
    continuations++;
    await endRoundTrip(scope);
    say(scope, { role: 'user', content: veto });
  }
}

/** The prompt as the hooks leave it. One that they block never enters the history. */
async function startTurn(scope: Scope, prompt: string): Promise<string> {
  const outcome = await fire(scope, 'turn.start', prompt);
  throwIfEnded(scope);
  failOn(outcome);
  const veto = vetoOf(outcome);
  if (veto !== null) throw new Halt('user_prompt_submit_blocked', `turn ${veto}`);
  return String(outcome.payload);
}

async function ask(scope: Scope, turn: Turn): Promise<Answer> {
  const { state } = scope;
  stayWithin(scope, turn);
  const summed = (completion: Completion) => spend(scope, turn, completion);
  await compactIfDue(scope, summed);
  // A summary costs too.
  stayWithin(scope, turn);
  let tokens = 0;
  const came = (completion: Completion) => {
    turn.completions++;
    tokens = completion.usage.input_tokens + completion.usage.output_tokens;
    summed(completion);
  };
  const answer = await complete(scope, came, null, async () => {
    const { compacted } = await compact(scope, 'auto', summed);
    if (compacted) stayWithin(scope, turn);
    return compacted;
  });
  // Before the answer is in the history: a hook that fails here must not leave calls without a result.
  await reportBudget(scope);
  turn.text = answer.text;
  say(scope, { role: 'assistant', content: answer.text, tool_calls: answer.calls });
  state.measured = { tokens, messages: state.messages.length };
  return answer;
}

function stayWithin({ state }: Scope, { completions }: Turn): void {
  const { usage, costUsd, config } = state;
  const limit = exceededLimit(config.limits, { usage, costUsd, turns: completions });
  if (limit === null) return;
  const isError = limit.reason === 'max_turns' && config.onMaxTurns === 'error';
  throw new Halt(limit.reason, limit.message, isError ? 'MAX_TURNS' : null);
}

function spend({ state }: Scope, turn: Turn, { usage, cost_usd = 0 }: Completion): void {
  turn.usage = addUsage(turn.usage, usage);
  turn.costUsd += cost_usd;
  state.usage = addUsage(state.usage, usage);
  state.costUsd += cost_usd;
}

async function useTools(scope: Scope, turn: Turn, answer: Answer): Promise<void> {
  const { messages } = scope.state;
  const place = messages.length - 1;
  const finished = await runToolCalls(scope, answer.calls, answer.offered);
  // The record holds what ran: what a hook took out of a call must not stay in what the model is sent again.
  const ran = finished.map(({ call }) => call);
  messages[place] = { role: 'assistant', content: answer.text, tool_calls: ran };
  turn.calls.push(...ran);
  turn.results.push(...finished);
  for (const { call, content, isError } of finished) {
    say(scope, { role: 'tool', call_id: call.id, name: call.name, content, is_error: isError });
  }
  throwIfEnded(scope);
}

/** Fires `turn.step`: what the model said and what came of it stands in the history. */
async function reportStep(scope: Scope, turn: Turn, answer: Answer): Promise<void> {
  const finished = answer.calls.length === 0 ? [] : turn.results.slice(-answer.calls.length);
  const payload = {
    text: answer.text,
    iteration: turn.completions,
    finish_reason: answer.stopReason,
    tool_calls: finished.map(({ call: { name, args } }) => ({ name, args })),
    tool_results: finished.map(resultOf),
    usage: { ...turn.usage },
    ...sessionFields(scope.state),
  };
  failOn(await fire(scope, 'turn.step', payload));
  throwIfEnded(scope);
}

function resultOf({ call, content, isError }: FinishedCall): JsonObject {
  return { call_id: call.id, name: call.name, content, is_error: isError };
}

/** What a hook has against stopping here: the next message for the model. */
async function askToStop(scope: Scope, turn: Turn, finishReason: StopReason): Promise<string | null> {
  const { lineage, delegation } = scope.state;
  const chain = lineage.chain ?? new DelegationChain(delegation.chain);
  for (;;) {
    const outcome = await fireStop(scope, turn, finishReason);
    throwIfEnded(scope);
    failOn(outcome);
    if (outcome.action !== 'delegate') return outcome.action === 'block' ? (outcome.reason ?? 'go on') : null;
    // The answer of the sub-agent stands in for the model's own, and is asked about like that one.
    answerWith(scope, turn, await handOver(scope, outcome.request ?? null, chain));
  }
}

/** A delegation that hooks ask for and that fails ends the run: what they wanted done has not been. */
async function handOver(scope: Scope, request: Json, chain: DelegationChain): Promise<string> {
  try {
    return (await scope.state.powers.delegate(scope, request, chain)).text;
  } catch (thrown) {
    if (thrown instanceof DelegationError) throw new Halt('error', thrown.message, thrown.code);
    throw thrown;
  }
}

function fireStop(scope: Scope, turn: Turn, finishReason: StopReason): Promise<Outcome> {
  return fire(scope, 'agent.stop', {
    id: scope.state.id,
    parent_id: scope.state.lineage.parentId,
    finish_reason: finishReason,
    iteration: turn.completions,
    response: turn.text,
    tool_calls: callsOf(turn),
    tool_results: turn.results.map(resultOf),
    usage: { ...turn.usage },
  });
}

async function endTurn(scope: Scope, turn: Turn, veto: string | null): Promise<void> {
  const { state } = scope;
  const { logs } = state.engine.run;
  if (veto !== null)
    logs.push({ hook: '', event: 'agent.stop', level: 'warn', message: ignoredVetoText(veto)! });
  const payload = {
    text: turn.text,
    tool_calls: callsOf(turn),
    usage: { ...turn.usage },
    logs: logs.splice(0).map(({ hook, event, level, message }) => ({ hook, event, level, message })),
    ...sessionFields(state),
  };
  const outcome = await fire(scope, 'turn.end', payload);
  throwIfEnded(scope);
  failOn(outcome);
  const rewritten = rewrittenBy(outcome);
  if (rewritten === null) return;
  ignoreRewrites(scope, outcome, payload, ['text']);
  answerWith(scope, turn, rewritten.text as string);
}

function answerWith({ state }: Scope, turn: Turn, text: string): void {
  turn.text = text;
  const place = state.messages.findLastIndex((message) => message.role === 'assistant');
  const last = state.messages[place];
  // The history too: what was taken out of the answer would otherwise go back to the model with the next prompt.
  if (last?.role === 'assistant') state.messages[place] = { ...last, content: turn.text };
}

function ignoredVetoText(veto: string | null): string | null {
  return veto === null ? null : `the stop stands although a hook objected once more: ${veto}`;
}

/** The boundary between two round trips. */
async function endRoundTrip(scope: Scope): Promise<void> {
  const { state } = scope;
  await drainEdits(scope);
  throwIfEnded(scope);
  state.reminders.store.endTurn(state.turns);
  state.turns++;
}

function say({ state, emit }: Scope, message: Message): void {
  state.messages.push(message);
  emit({ type: 'message', message });
}

function callsOf(turn: Turn): Json {
  return turn.calls.map(({ name, args }) => ({ name, args }));
}
