/**
 * One tool call: validate → `tool.pre` → permission → interceptors → validate again → run → interceptors → `tool.post`.
 * Whatever happens on the way is the result the model reads; this never rejects.
 */
import type { Json, JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/spelling.ts';
import { clip } from '../../base/text.ts';
import type { Outcome } from '../../events/decision.ts';
import { checkPayload } from '../../events/describe.ts';
import { bounded } from '../../hooks/bounded.ts';
import { describeThrown } from '../../hooks/failure.ts';
import type { ToolInput } from '../../hooks/interceptors.ts';
import { callDigest } from '../../policy/approvals/desk.ts';
import { refusedCall } from '../../policy/floor.ts';
import type { ToolCall } from '../message.ts';
import type { Tool } from '../tool.ts';
import { checkArguments } from '../tools/check-arguments.ts';
import { fire, here, ignoreRewrites, vetoOf } from './fire.ts';
import { type AskingHook, checkPermission } from './permission-check.ts';
import type { Scope } from './state.ts';
import { contextFor } from './tool-context.ts';
import { answerOf, cut, errorOf, type ToolAnswer } from './tool-result.ts';

export interface Finished {
  /** As it ran, or as it would have. */
  readonly call: ToolCall;
  readonly content: string;
  readonly isError: boolean;
}

/** Ends a call before its tool has run. */
class Refused extends Error {}

interface Ready {
  readonly tool: Tool;
  readonly args: JsonObject;
}

export async function runToolCall(
  scope: Scope,
  call: ToolCall,
  offered: ReadonlySet<string>,
): Promise<Finished> {
  const { host, config } = scope.state;
  const limit = config.limits.toolResultChars;
  const progress: Progress = { call, startedAt: null };
  let answer: ToolAnswer;
  try {
    answer = await steps(scope, progress, offered, limit);
  } catch (thrown) {
    const message = thrown instanceof Refused ? thrown.message : `tool failed: ${describeThrown(thrown)}`;
    answer = errorOf(message, limit);
  }
  const { content, isError } = answer;
  const { id: callId, name } = progress.call;
  const ms = progress.startedAt === null ? 0 : host.elapsed() - progress.startedAt;
  scope.emit({ type: 'tool.end', callId, name, content, isError, ms });
  return { call: progress.call, content, isError };
}

interface Progress {
  call: ToolCall;
  /** When the tool itself began, or null where it never did. */
  startedAt: number | null;
}

async function steps(
  scope: Scope,
  progress: Progress,
  offered: ReadonlySet<string>,
  limit: number,
): Promise<ToolAnswer> {
  const { state, emit } = scope;
  const { id } = progress.call;
  proceed(scope);
  if (progress.call.malformed !== undefined) throw new Refused(malformed(progress.call));
  take(progress, ready(scope, progress.call, offered));

  const fired = { id, name: progress.call.name, args: progress.call.args, ...here(state) };
  const pre = await fire(scope, 'tool.pre', fired, { callId: id });
  proceed(scope);
  progress.call = rewritten(progress.call, pre);
  if (pre.action !== 'allow') ignoreRewrites(scope, pre, fired, ['name', 'args', 'arguments']);

  const asked = pre.action === 'ask' ? { hook: pre.hook, reason: pre.reason ?? 'no reason given' } : null;
  const permitted = await permit(scope, progress.call, asked);

  progress.call = { ...progress.call, args: await interceptBefore(scope, progress.call) };
  const { tool, args } = take(progress, ready(scope, progress.call, offered));
  // What runs is what was permitted: a call that is another one by now is asked about again.
  if (callDigest(tool.name, args) !== permitted) await permit(scope, progress.call, asked);

  progress.startedAt = state.host.elapsed();
  emit({ type: 'tool.start', callId: id, name: tool.name, args });
  const returned = await execute(scope, tool, args, limit);
  const answer = await interceptAfter(scope, progress.call, returned, limit);
  return afterTool(scope, progress.call, answer, limit);
}

/** The digest of the call that may run. The floor comes first: nobody is asked about what is never done. */
async function permit(scope: Scope, call: ToolCall, asked: AskingHook | null): Promise<string> {
  const floor = refusedCall(call.args, scope.state.workspace);
  if (floor !== null) throw new Refused(`tool refused: ${floor}`);
  const permitted = callDigest(call.name, call.args);
  const denial = await checkPermission(scope, call, asked);
  proceed(scope);
  if (denial !== null) throw new Refused(`tool denied: ${denial}`);
  return permitted;
}

function take(progress: Progress, checked: Ready): Ready {
  progress.call = { ...progress.call, args: checked.args };
  return checked;
}

/** The tool and arguments that fit it. A tool that was not on the request is not there, whatever the model says. */
function ready({ state }: Scope, { name, args }: ToolCall, offered: ReadonlySet<string>): Ready {
  const tool = offered.has(name) ? state.tools.get(name) : undefined;
  if (tool === undefined) {
    const names = [...offered].filter((known) => state.tools.has(known));
    const others = names.length === 0 ? 'there are no tools' : `the tools are ${names.join(', ')}`;
    throw new Refused(`unknown tool "${name}"${didYouMean(name, names)}; ${others}`);
  }
  const checked = checkArguments(tool.parameters, args);
  if (checked.ok) return { tool, args: checked.args };
  throw new Refused(`invalid arguments for tool "${name}": ${checked.problems.join('; ')}`);
}

function malformed({ name, malformed: text = '' }: ToolCall): string {
  return `invalid arguments for tool "${name}": want a JSON object, got ${clip(text, 200) || 'nothing'}`;
}

/** The call as the hooks leave it. */
function rewritten(call: ToolCall, outcome: Outcome): ToolCall {
  const { failure } = outcome;
  if (failure !== undefined)
    throw new Refused(`tool failed: hook "${failure.hook}" failed: ${failure.message}`);
  if (outcome.action === 'block') throw new Refused(`tool blocked: ${vetoOf(outcome)}`);
  const problems = checkPayload('tool.pre', outcome.payload);
  if (problems.length > 0) {
    throw new Refused(`tool failed: hook "${outcome.hook}" rewrote the call: ${problems.join('; ')}`);
  }
  const { name, args } = outcome.payload as JsonObject;
  return { ...call, name: name as string, args: args as JsonObject };
}

async function interceptBefore(scope: Scope, { name, args }: ToolCall): Promise<JsonObject> {
  const { interceptors, id: sessionId, turns: turn } = scope.state;
  if (interceptors === null) return args;
  const settled = await bounded(scope.signal, 0, (signal) =>
    interceptors.runBeforeHooks(name, args, { sessionId, turn, signal }),
  );
  proceed(scope);
  if (settled.kind !== 'value') throw new Refused(`tool blocked: ${unsettled(settled)}`);
  const said = settled.value as { blocked: boolean; reason?: string; modifiedInput?: ToolInput };
  if (said.blocked) throw new Refused(`tool blocked: ${said.reason}`);
  return said.modifiedInput === undefined ? args : (said.modifiedInput as JsonObject);
}

async function execute(scope: Scope, tool: Tool, args: JsonObject, limit: number): Promise<ToolAnswer> {
  const own = tool.timeoutMs ?? 0;
  const ms = own > 0 ? own : scope.state.config.limits.toolMs;
  const context = contextFor(scope, tool);
  const settled = await bounded(scope.signal, ms, (signal) => tool.run(args, context.open(signal)));
  context.close();
  if (settled.kind === 'value') return answerOf(settled.value, limit);
  return errorOf(`tool failed: ${unsettled(settled)}`, limit);
}

async function interceptAfter(
  scope: Scope,
  { name, args }: ToolCall,
  answer: ToolAnswer,
  limit: number,
): Promise<ToolAnswer> {
  const { interceptors, id: sessionId, turns: turn } = scope.state;
  if (interceptors === null) return answer;
  const settled = await bounded(scope.signal, 0, (signal) =>
    interceptors.runAfterHooks(name, args, { ...answer }, { sessionId, turn, signal }),
  );
  if (settled.kind !== 'value') return errorOf(`the result is hidden: ${unsettled(settled)}`, limit);
  const said = settled.value as { content: unknown; isError?: boolean };
  const isError = said.isError === true;
  if (said.content === answer.content) return { ...answer, isError };
  return { ...answerOf(said.content, limit), ...(isError ? { isError } : {}) };
}

/** For failed tools too: what a guard takes out of results it must be able to take out of errors. */
async function afterTool(
  scope: Scope,
  { id, name, args }: ToolCall,
  { content, result, isError }: ToolAnswer,
  limit: number,
): Promise<ToolAnswer> {
  const payload: JsonObject = {
    call_id: id,
    name,
    content,
    is_error: isError,
    result,
    args,
    ...here(scope.state),
  };
  const outcome = await fire(scope, 'tool.post', payload, { callId: id });
  const { failure } = outcome;
  if (failure !== undefined) {
    return errorOf(`tool result hidden: hook "${failure.hook}" failed: ${failure.message}`, limit);
  }
  const veto = vetoOf(outcome);
  if (veto !== null) return errorOf(`tool result ${veto}`, limit);
  const problems = checkPayload('tool.post', outcome.payload);
  if (problems.length > 0) {
    return errorOf(`tool result hidden: hook "${outcome.hook}" rewrote it: ${problems.join('; ')}`, limit);
  }
  if (outcome.action === 'modify') {
    ignoreRewrites(scope, outcome, payload, ['content', 'result', 'is_error']);
  }
  const after = outcome.payload as { content: string; result: Json; is_error: boolean };
  // What no hook touched has been cut already.
  const kept = after.content === content ? content : cut(after.content, limit);
  return { content: kept, result: after.result, isError: after.is_error };
}

function unsettled(
  settled: { kind: 'thrown'; thrown: unknown } | { kind: 'failed'; failure: { message: string } },
): string {
  return settled.kind === 'thrown' ? describeThrown(settled.thrown) : settled.failure.message;
}

/** What is to happen next does not, once the run is aborted. */
function proceed({ signal }: Scope): void {
  if (signal.aborted) throw new Refused('tool not run: the run was aborted');
}
