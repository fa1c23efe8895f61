/**
 * One tool call: validate → freeze → `tool.pre` → ask if the chain says so → interceptors → validate and judge again if
 * they changed it → run → interceptors → `tool.post`. Whatever happens on the way is the result the model reads; this never
 * rejects.
 */
import {
  clip,
  didYouMean,
  isJsonObject,
  type Json,
  type JsonObject,
  readJson,
  sameJson,
} from '../../base/index.ts';
import {
  type CatalogName,
  checkArguments,
  checkPayload,
  coerced,
  describeThrown,
  frozenCopy,
  giveBack,
  type Outcome,
  type ToolInput,
  withTimeout,
} from '../../engine/index.ts';
import { clamped, type Sandbox, sandboxIn, tighterOf } from '../../machine/index.ts';
import { callDigest } from '../../policy/index.ts';
import type { Objection, Stop } from '../../session/index.ts';
import type { ToolCall } from '../message.ts';
import type { CallVerdict } from '../session-event.ts';
import type { Tool } from '../tool.ts';
import { fire, ignoreRewrites, sessionFields, vetoOf } from './fire.ts';
import type { Scope } from './state.ts';
import { contextFor } from './tool-context.ts';
import { answerOf, cut, errorOf, type ToolAnswer } from './tool-result.ts';

export interface FinishedCall {
  /** As it ran, or as it would have. */
  readonly call: ToolCall;
  readonly content: string;
  readonly isError: boolean;
}

/** Ends a call before its tool has run. */
class Refused extends Error {
  readonly verdict: CallVerdict;
  /** The hook that decided, or null. */
  readonly by: string | null;

  constructor(verdict: CallVerdict, message: string, by: string | null = null) {
    super(message);
    this.verdict = verdict;
    this.by = by;
  }
}

interface Ready {
  readonly tool: Tool;
  readonly args: JsonObject;
}

/** A call that may run, and what its programs run in. */
interface Passed extends Ready {
  readonly sandbox: Sandbox | null;
}

export async function runToolCall(
  scope: Scope,
  call: ToolCall,
  offered: ReadonlySet<string>,
): Promise<FinishedCall> {
  const { host, config } = scope.state;
  const limit = config.limits.toolResultChars;
  const progress: Progress = { call, startedAt: null };
  let ended: Ended;
  try {
    ended = await judgeAndRun(scope, progress, offered, limit);
  } catch (thrown) {
    const { verdict, by, message } =
      thrown instanceof Refused
        ? thrown
        : { verdict: 'failed' as const, by: null, message: `tool failed: ${describeThrown(thrown)}` };
    const { governed, turns } = scope.state;
    const text = governed.denialText(verdict, message, turns);
    ended = { ...errorOf(text, limit), verdict, by };
  }
  const { content, isError, verdict, by } = ended;
  const { id: callId, name, args } = progress.call;
  const ms = progress.startedAt === null ? 0 : host.elapsed() - progress.startedAt;
  const digest = callDigest(name, args);
  scope.emit({ type: 'tool.end', callId, name, content, isError, ms, verdict, by, digest });
  return { call: progress.call, content, isError };
}

interface Progress {
  call: ToolCall;
  /** When the tool itself began; null: it never did. */
  startedAt: number | null;
}

type Ended = ToolAnswer & { readonly verdict: CallVerdict; readonly by: string | null };

async function judgeAndRun(
  scope: Scope,
  progress: Progress,
  offered: ReadonlySet<string>,
  limit: number,
): Promise<Ended> {
  const { state, emit } = scope;
  const { id } = progress.call;
  proceed(scope);
  if (progress.call.malformed !== undefined) throw new Refused('invalid_arguments', malformed(progress.call));
  withValidArguments(progress, ready(scope, progress.call, offered));

  const fired = callPayload(scope, progress.call);
  const pre = await fire(scope, 'tool.pre', fired, { callId: id });
  const { tool, args, sandbox } = await passed(scope, progress, offered, fired, pre).catch(
    (refused: unknown) => {
      // What guards took from limits for it was for a call that happens.
      giveBack(pre);
      throw refused;
    },
  );

  progress.startedAt = state.host.elapsed();
  emit({ type: 'tool.start', callId: id, name: tool.name, args, ...(sandbox !== null && { sandbox }) });
  const returned = await execute(scope, tool, args, limit, sandbox);
  const answer = await interceptAfter(scope, progress.call, returned, limit);
  return afterTool(scope, progress.call, answer, limit);
}

/** What is left to stand in the way once the chain has spoken: a no, a person, interceptors and what they changed. */
async function passed(
  scope: Scope,
  progress: Progress,
  offered: ReadonlySet<string>,
  fired: JsonObject,
  pre: Outcome,
): Promise<Passed> {
  proceed(scope);
  await settle(scope, progress, pre);
  if (pre.action !== 'allow') ignoreRewrites(scope, pre, fired, ['name', 'args', 'arguments', 'sandbox']);
  const judged = callDigest(progress.call.name, progress.call.args);

  progress.call = { ...progress.call, args: await interceptBefore(scope, progress.call) };
  const before = ready(scope, progress.call, offered);
  const valid = withValidArguments(progress, before);
  // What runs is what was judged: a call that is another one by now is judged again.
  const other = callDigest(valid.tool.name, valid.args) !== judged || !sameScopes(valid.tool, fired.scopes);
  const left = tighterOf(sandboxAfterHooks(pre), sandboxOf(scope, valid.tool));
  const sandbox = other ? await judgeAgain(scope, progress, pre, left) : left;
  return { ...valid, sandbox };
}

/** What programs of a tool run in, as policy and tool say, before any hook was asked. */
function sandboxOf({ state }: Scope, tool: Tool | undefined): Sandbox | null {
  return clamped(state.engine.run.settings.sandbox ?? null, tool?.sandbox ?? false);
}

/** The same as the hooks left it. */
function sandboxAfterHooks({ payload }: Outcome): Sandbox | null {
  return isJsonObject(payload) ? sandboxIn(payload.sandbox) : null;
}

/** `tool.pre` of a call. */
function callPayload(scope: Scope, { id, name, args }: ToolCall, left?: Sandbox | null): JsonObject {
  const { state } = scope;
  const scopes = state.tools.get(name)?.scopes;
  const sandbox = left ?? sandboxOf(scope, state.tools.get(name));
  return {
    id,
    name,
    args,
    kind: kindOf(scope, name),
    ...(scopes !== undefined && { scopes }),
    ...(sandbox !== null && { sandbox }),
    ...sessionFields(state),
  };
}

/** A call that a hook made one of another tool takes what that tool takes. */
function sameScopes({ scopes = [] }: Tool, judged: Json | undefined): boolean {
  return sameJson(scopes, judged ?? []);
}

/** Whose call it is: one that the loop offers for itself is not one of the tools that the agent was given. */
function kindOf({ state, depth = 0 }: Scope, name: string): 'model' | 'loop' | 'script' {
  if (depth > 0) return 'script';
  return LOOP_SOURCES.has(state.tools.get(name)?.source ?? '') ? 'loop' : 'model';
}

const LOOP_SOURCES: ReadonlySet<string> = new Set(['<delegation>', '<exit_policy>']);

/** Returns if the call may run, as hooks leave it, once an ask was answered by hooks of `permission.asked` or a person. */
async function settle(scope: Scope, progress: Progress, outcome: Outcome): Promise<void> {
  const settled = await scope.state.governed.settle(outcome, {
    signal: scope.signal,
    fire: (event, payload) => fire(scope, event as CatalogName, payload, { callId: progress.call.id }),
    fields: sessionFields(scope.state),
    objection: async () => takeRewritten(progress, outcome),
  });
  proceed(scope);
  if ('verdict' in settled) throw new Refused(settled.verdict, stopText(settled), settled.by);
}

function takeRewritten(progress: Progress, { payload, hook }: Outcome): Objection | null {
  const problems = checkPayload('tool.pre', payload);
  if (problems.length > 0) {
    const reason = `hook "${hook}" rewrote the call: ${problems.join('; ')}`;
    return { reason, by: hook ?? 'policy', hides: false, verdict: 'failed' };
  }
  const { name, args } = payload as JsonObject;
  progress.call = { ...progress.call, name: name as string, args: frozenCopy(args as JsonObject) };
  return null;
}

function stopText({ verdict, reason, outcome }: Stop): string {
  if (outcome.failure !== undefined) return `tool failed: ${reason}`;
  return `tool ${verdict}: ${verdict === 'blocked' ? vetoOf(outcome) : reason}`;
}

/** Every guard once more, for a call that something outside the chain changed after it had been judged. */
async function judgeAgain(
  scope: Scope,
  progress: Progress,
  judged: Outcome,
  left: Sandbox | null,
): Promise<Sandbox | null> {
  const payload = callPayload(scope, progress.call, left);
  const outcome = await fire(scope, 'tool.pre', payload, { callId: progress.call.id, recheck: true, judged });
  proceed(scope);
  await settle(scope, progress, outcome);
  return tighterOf(left, sandboxAfterHooks(outcome));
}

/** From here on nobody can change the arguments without making another call of it. */
function withValidArguments(progress: Progress, { tool, args }: Ready): Ready {
  const frozen = frozenCopy(args);
  progress.call = { ...progress.call, args: frozen };
  return { tool, args: frozen };
}

/** The tool and arguments that fit it. A tool that was not on the request is not there, whatever the model says. */
function ready({ state }: Scope, { name, args }: ToolCall, offered: ReadonlySet<string>): Ready {
  const tool = offered.has(name) ? state.tools.get(name) : undefined;
  if (tool === undefined) {
    const names = [...offered].filter((known) => state.tools.has(known));
    const others = names.length === 0 ? 'there are no tools' : `the tools are ${names.join(', ')}`;
    const taken = withheldReason(state, name);
    if (taken !== null) throw new Refused('hidden', `unknown tool "${name}"; ${others}`, taken);
    throw new Refused('unknown_tool', `unknown tool "${name}"${didYouMean(name, names)}; ${others}`);
  }
  const checked = checkArguments(tool.parameters, coerced(tool.parameters, args));
  if (checked.ok) return { tool, args: checked.args };
  throw new Refused(
    'invalid_arguments',
    `invalid arguments for tool "${name}": ${checked.problems.join('; ')}`,
  );
}

/** By what a tool that exists was taken from this agent, or null. The model is told no more than of one that does not. */
function withheldReason({ tools, withheld }: Scope['state'], name: string): string | null {
  return tools.has(name) ? 'completion.pre' : (withheld.get(name) ?? null);
}

function malformed({ name, malformed: text = '' }: ToolCall): string {
  const reading = readJson(text);
  const why = reading.ok || text.trim() === '' ? '' : ` (${reading.message})`;
  return `invalid arguments for tool "${name}": want a JSON object, got ${clip(text, 200) || 'nothing'}${why}`;
}

async function interceptBefore(scope: Scope, { name, args }: ToolCall): Promise<JsonObject> {
  const { interceptors, id: sessionId, turns: turn } = scope.state;
  if (interceptors === null) return args;
  const settled = await withTimeout(scope.signal, 0, (signal) =>
    interceptors.runBeforeHooks(name, args, { sessionId, turn, signal }),
  );
  proceed(scope);
  if (settled.kind !== 'value') throw new Refused('blocked', `tool blocked: ${unsettled(settled)}`);
  const said = settled.value as { blocked: boolean; reason?: string; modifiedInput?: ToolInput };
  if (said.blocked) throw new Refused('blocked', `tool blocked: ${said.reason}`);
  return said.modifiedInput === undefined ? args : (said.modifiedInput as JsonObject);
}

async function execute(
  scope: Scope,
  tool: Tool,
  args: JsonObject,
  limit: number,
  sandbox: Sandbox | null,
): Promise<ToolAnswer> {
  const own = tool.timeoutMs ?? 0;
  const ms = own > 0 ? own : scope.state.config.limits.toolMs;
  const context = contextFor(scope, tool, sandbox);
  const settled = await withTimeout(scope.signal, ms, (signal) =>
    // A copy: what a tool does to its arguments stays with it.
    tool.run(structuredClone(args), context.open(signal)),
  );
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
  const settled = await withTimeout(scope.signal, 0, (signal) =>
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
): Promise<Ended> {
  const payload: JsonObject = {
    call_id: id,
    name,
    content,
    is_error: isError,
    result,
    args,
    kind: kindOf(scope, name),
    ...sessionFields(scope.state),
  };
  const outcome = await fire(scope, 'tool.post', payload, { callId: id });
  const { failure, hook } = outcome;
  const hidden = (message: string, by: string | null): Ended => ({
    ...errorOf(message, limit),
    verdict: 'hidden',
    by,
  });
  if (failure !== undefined) {
    return hidden(`tool result hidden: hook "${failure.hook}" failed: ${failure.message}`, failure.hook);
  }
  const veto = vetoOf(outcome);
  if (veto !== null) return hidden(`tool result ${veto}`, hook);
  const problems = checkPayload('tool.post', outcome.payload);
  if (problems.length > 0) {
    return hidden(`tool result hidden: hook "${hook}" rewrote it: ${problems.join('; ')}`, hook);
  }
  if (outcome.action === 'modify') {
    ignoreRewrites(scope, outcome, payload, ['content', 'result', 'is_error']);
  }
  const after = outcome.payload as { content: string; result: Json; is_error: boolean };
  // What no hook touched has been cut already.
  const kept = after.content === content ? content : cut(after.content, limit);
  const verdict = isError ? 'failed' : 'ran';
  return { content: kept, result: after.result, isError: after.is_error, verdict, by: null };
}

function unsettled(
  settled: { kind: 'thrown'; thrown: unknown } | { kind: 'failed'; failure: { message: string } },
): string {
  return settled.kind === 'thrown' ? describeThrown(settled.thrown) : settled.failure.message;
}

/** Stops here if the run was aborted. */
function proceed({ signal }: Scope): void {
  if (signal.aborted) throw new Refused('aborted', 'tool not run: the run was aborted');
}
