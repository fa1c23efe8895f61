/**
 * The two contracts a command hook can be written to. Each turns how a process ended into a reply, and both leave the
 * raw exit code in the trace.
 *
 * - `exit2`: 0 goes on, 2 blocks whatever stdout says, anything else is a failure. Text on stdout is context.
 * - `git`: 0 allows, anything else blocks; a JSON object on stdout is the answer and wins over the exit code.
 */

import { clip, describeValue, type Json, type JsonObject, nearest } from '../../base/index.ts';
import { type Effect, eventSpec, type Failure, type Hook, isGate, type Reply } from '../../engine/index.ts';
import type { ProcessResult } from '../../machine/index.ts';
import { type Answer, objectsAmid, readAnswer } from './answer-text.ts';
import { exitFault, faultOf, outputFault, remarksOf } from './process-fault.ts';
import { type ParsedReply, reasonIn, understand, unreadVeto } from './spoken.ts';

export interface CommandContract {
  readonly name: 'exit2' | 'git';
  readonly interpret: (result: ProcessResult, hook: Hook, event: string) => Reply;
}

export const exit2: CommandContract = {
  name: 'exit2',
  interpret: (result, hook, event) => reminderIfIgnored(interpretExit2(result, hook, event), hook, event),
};
export const git: CommandContract = { name: 'git', interpret: interpretGit };

/** A block on an event that nothing can block prevents nothing. The model is told all the same, as the specification says. */
function reminderIfIgnored(reply: Reply, hook: Hook, event: string): Reply {
  const { decision } = reply;
  if (decision?.action !== 'block' || eventSpec(event)?.honours.block !== false) return reply;
  const told: Effect = { kind: 'context', hook: hook.name, text: decision.reason };
  return { ...reply, effects: [...(reply.effects ?? []), told] };
}

const BLOCK_EXIT = 2;

function interpretExit2(result: ProcessResult, hook: Hook, event: string): Reply {
  const warnings = remarksOf(result);
  const answer = readAnswer(result.stdout);
  if (result.exitCode === BLOCK_EXIT) return exitBlock(result, answer, hook, warnings);
  const fault = faultOf(result) ?? (result.exitCode === 0 ? outputFault(result) : exitFault(result));
  if (fault !== null) return { failure: fault, warnings };

  const lost = lostDecision(result, answer, event, (object) => vetoes(understand(object)));
  if (lost !== null) return heeded(lost, warnings);
  if (answer.kind === 'nothing') return { decision: { action: 'allow' }, warnings };
  if (answer.kind === 'text') return withContext(answer.text, hook, warnings);
  if (answer.kind === 'broken') {
    // Where nothing can be stopped, no decision can have been lost: it is text for the model. A result can be hidden, and so
    // under strict this is no clean answer.
    if (!isGate(event))
      return withContext(answer.text, hook, [...warnings, answer.message], { unclear: answer.message });
    return { failure: invalid(answer.message, 'COMMAND_BAD_JSON'), warnings };
  }
  const spoken = understand(answer.object);
  if (!spoken.ok) {
    if (spoken.stranger && !isGate(event)) return withContext(result.stdout.trim(), hook, warnings);
    return { failure: invalid(spoken.message), warnings };
  }
  const effects = [
    ...spoken.context.map((text): Effect => ({ kind: 'context', hook: hook.name, text })),
    ...spoken.output.map((text): Effect => ({ kind: 'output', hook: hook.name, text })),
  ];
  return { decision: spoken.decision, effects, warnings: [...warnings, ...spoken.warnings] };
}

/** Whether an object read by the contract would have stopped something, or was misspelt and meant to. */
function vetoes(spoken: ParsedReply): boolean {
  return spoken.ok ? spoken.decision.action !== 'allow' : !spoken.stranger;
}

interface Lost {
  /** The objects that say no, or were meant to. */
  readonly vetoes: readonly JsonObject[];
  readonly message: string;
}

/** A decision among other text, or on stderr. It must not be taken for silence. */
function lostDecision(
  { stderr }: ProcessResult,
  answer: Answer,
  event: string,
  isVeto: (object: JsonObject) => boolean,
): Lost | null {
  if (!isGate(event) || answer.kind === 'object' || answer.kind === 'broken') return null;
  const found = (text: string, message: string): Lost | null => {
    const vetoes = objectsAmid(text).filter(isVeto);
    return vetoes.length === 0 ? null : { vetoes, message };
  };
  return answer.kind === 'text'
    ? found(answer.text, 'stdout holds a decision among other text: nothing else may be there')
    : found(stderr, 'a decision was written to stderr: it belongs on stdout');
}

/** The strictest decision that can be read counts: a guard that said no beside a line of log has said no. */
function heeded({ vetoes: found, message }: Lost, warnings: readonly string[]): Reply {
  const decisions = found.map(understand).flatMap((spoken) => (spoken.ok ? [spoken.decision] : []));
  const decision = decisions.find(({ action }) => action === 'block') ?? decisions[0];
  if (decision === undefined) return { failure: invalid(message, 'COMMAND_BAD_JSON'), warnings };
  return { decision, warnings: [...warnings, message] };
}

/** An exit with 2. Why: what its JSON says, else stderr, else stdout. Text that is not the reason is context. */
function exitBlock(
  { stderr, stdout }: ProcessResult,
  answer: Answer,
  hook: Hook,
  warnings: readonly string[],
): Reply {
  const objects = answer.kind === 'object' ? [answer.object] : objectsAmid(stdout);
  const said = objects.map(reasonIn).find((reason) => reason !== null) ?? stderr.trim();
  const plain = answer.kind === 'text' || answer.kind === 'broken' ? answer.text : '';
  const reason = short(said || plain || 'the hook blocked this and gave no reason');
  const context: Effect = { kind: 'context', hook: hook.name, text: plain };
  const beside = answer.kind === 'text' && objects.length === 0 && said !== '';
  return { decision: { action: 'block', reason }, ...(beside && { effects: [context] }), warnings };
}

function interpretGit(result: ProcessResult, hook: Hook, event: string): Reply {
  const warnings = remarksOf(result);
  const fault = faultOf(result);
  if (fault !== null) return { failure: fault, warnings };
  const unusable = outputFault(result);
  const answer = unusable === null ? readAnswer(result.stdout) : { kind: 'nothing' as const };
  // An object that answers nothing does not overrule an exit code that does.
  const speaks = answer.kind === 'object' && (result.exitCode === 0 || knownKeys(answer.object).length > 0);
  if (answer.kind === 'object' && speaks) return structured(answer.object, hook, warnings);
  if (result.exitCode !== 0) {
    const reason = short(result.stderr.trim() || `Hook exited with code ${result.exitCode}`);
    return { decision: { action: 'block', reason }, warnings };
  }
  if (unusable !== null) return { failure: unusable, warnings };
  if (answer.kind === 'broken') return { failure: invalid(answer.message, 'COMMAND_BAD_JSON'), warnings };
  const stops = (object: JsonObject) =>
    object.continue === false || unreadVeto(object, ANSWER_KEYS) !== undefined;
  const lost = lostDecision(result, answer, event, stops);
  if (lost !== null) return { failure: invalid(lost.message, 'COMMAND_BAD_JSON'), warnings };
  const effects: Effect[] =
    answer.kind === 'text' ? [{ kind: 'output', hook: hook.name, text: answer.text }] : [];
  return { decision: { action: 'allow' }, effects, warnings };
}

const RESULT_KEYS = ['reason', 'output', 'additionalContext'] as const;

const ANSWER_KEYS = ['continue', ...RESULT_KEYS] as const;

function knownKeys(object: JsonObject): readonly string[] {
  return ANSWER_KEYS.filter((key) => Object.hasOwn(object, key));
}

/** `{continue, reason, output, additionalContext}`. What is not of its type is not taken for something else. */
export function structured(object: JsonObject, hook: Hook, before: readonly string[]): Reply {
  // A misspelt `continue: false` must not pass for an allow; keys that look like nothing of ours are the hook's own.
  for (const key of Object.keys(object)) {
    const meant = knownKeys(object).includes(key) ? undefined : nearest(key, ANSWER_KEYS);
    if (meant === undefined || Object.hasOwn(object, meant)) continue;
    return { failure: invalid(`unknown key "${key}" (did you mean ${meant}?)`), warnings: before };
  }
  const unread = unreadVeto(object, ANSWER_KEYS);
  if (unread !== undefined) {
    return { failure: invalid(`no decision is read from "${unread}": want continue`), warnings: before };
  }
  const goesOn: Json | undefined = object.continue;
  if (goesOn !== undefined && typeof goesOn !== 'boolean') {
    const message = `continue wants a boolean, got ${describeValue(goesOn)}`;
    return { failure: invalid(message), warnings: before };
  }
  const misfits = RESULT_KEYS.filter((key) => object[key] !== undefined && typeof object[key] !== 'string');
  const warnings = [...before, ...misfits.map((key) => `${key} wants a string and was ignored`)];
  const said = (key: (typeof RESULT_KEYS)[number]) => {
    const value = object[key];
    return typeof value === 'string' ? value : undefined;
  };
  const effects: Effect[] = [];
  const output = said('output');
  const context = said('additionalContext');
  if (output !== undefined) effects.push({ kind: 'output', hook: hook.name, text: output });
  if (context !== undefined && context.trim() !== '') {
    effects.push({ kind: 'context', hook: hook.name, text: context });
  }
  if (goesOn !== false) return { decision: { action: 'allow' }, effects, warnings };
  const reason = short(said('reason')?.trim() || 'Hook returned continue: false');
  return { decision: { action: 'block', reason }, effects, warnings };
}

function withContext(
  text: string,
  hook: Hook,
  warnings: readonly string[],
  more: { readonly unclear?: string } = {},
): Reply {
  return {
    decision: { action: 'allow' },
    effects: [{ kind: 'context', hook: hook.name, text }],
    warnings,
    ...more,
  };
}

function invalid(message: string, code = 'HOOK_INVALID_RETURN'): Failure {
  return { kind: 'invalid_return', code, message };
}

/** A reason goes to the model and into every record: a whole log is none. */
const LONGEST_REASON = 4000;

function short(reason: string): string {
  if (reason.length <= LONGEST_REASON) return reason;
  return `${clip(reason, LONGEST_REASON)} (${reason.length} characters)`;
}
