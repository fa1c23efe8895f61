/**
 * What the answers of Harn handlers mean, by event. Each protocol is a list of the keys it knows and a function from an
 * answer to a decision; an answer it does not know is refused loudly, with the nearest key.
 */
import { didYouMean, type Json, kindOf, sameJson } from '../../../base/index.ts';
import { type Decision, isGate, isTruthy } from '../../../engine/index.ts';
import { type Dict, InvalidReturn, isDict } from './effects.ts';
import { harnEvent } from './events.ts';
import type { HarnView } from './view.ts';

export interface ProtocolAnswer {
  readonly event: string;
  /** What the handler was shown; null if that is unknown. */
  readonly seen: HarnView | null;
  /** Goes to the trace. */
  readonly warn: (message: string) => void;
}

export interface Protocol {
  /** A list of effects is an answer. */
  readonly lists: boolean;
  /** Keys of a dict that decide something, for hints and for refusing others. */
  readonly keys: readonly string[];
  /** Answers beside nothing and a dict. */
  readonly plain: (value: unknown, answered: ProtocolAnswer) => Decision | null;
  readonly dict: (dict: Dict, answered: ProtocolAnswer) => Decision;
}

const ALLOW: Decision = { action: 'allow' };
const none = () => null;

export function decide(protocol: Protocol, control: unknown, answered: ProtocolAnswer): Decision {
  if (control === undefined || control === null) return ALLOW;
  if (!isDict(control)) {
    const decision = protocol.plain(control, answered);
    if (decision !== null) return decision;
    throw new InvalidReturn(
      `a ${nameOf(answered)} handler cannot return ${kindOf(control)}${expectedText(protocol)}`,
    );
  }
  const strange = Object.keys(control).filter((key) => !protocol.keys.includes(key));
  const hints = strange.map((key) => `unknown key ${JSON.stringify(key)}${didYouMean(key, protocol.keys)}`);
  if (strange.length === Object.keys(control).length) {
    const what = hints.length === 0 ? 'an empty dict decides nothing' : hints.join(', ');
    throw new InvalidReturn(
      `a ${nameOf(answered)} handler returned a dict it cannot: ${what}${expectedText(protocol)}`,
    );
  }
  for (const hint of hints) answered.warn(hint);
  return protocol.dict(control, answered);
}

const preTool: Protocol = {
  lists: false,
  keys: ['deny', 'args'],
  plain: none,
  dict: (dict, answered) => {
    const denied = denial(dict.deny, answered);
    if (denied !== null) return denied;
    if (isAbsent(dict.args)) return ALLOW;
    const args = json(dict.args, 'args');
    if (!isDict(args)) throw new InvalidReturn(`args wants a dict, got ${kindOf(args)}`);
    const before = (answered.seen?.tool as HarnView | undefined)?.args;
    const same = before !== undefined && sameJson(args, json(before, 'args'));
    return same ? ALLOW : { action: 'modify', payload: { args } };
  },
};

const postTool: Protocol = {
  lists: false,
  keys: ['result', 'truncated', 'dropped_bytes', 'denial'],
  plain: (value) => (typeof value === 'string' ? { action: 'modify', payload: { content: value } } : null),
  dict: (dict, answered) => {
    if (dict.result === undefined) throw new InvalidReturn('a dict without result rewrites nothing');
    const result = json(dict.result, 'result');
    const rewritten: Record<string, Json> = typeof result === 'string' ? { content: result } : { result };
    return {
      action: 'modify',
      payload: { ...rewritten, ...truncation(dict, answered), ...denialRecord(dict) },
    };
  },
};

/** How much is gone, over all hooks. A truncation that does not say how much would hide that something is missing. */
function truncation(dict: Dict, { seen }: ProtocolAnswer): Record<string, Json> {
  const { truncated, dropped_bytes: dropped } = dict;
  if (isAbsent(truncated) && isAbsent(dropped)) return {};
  if (truncated !== true || !Number.isSafeInteger(dropped) || (dropped as number) <= 0) {
    throw new InvalidReturn('truncated: true goes with dropped_bytes, a whole number above 0');
  }
  const before = (seen?.result as HarnView | undefined)?.dropped_bytes;
  return { truncated: true, dropped_bytes: (dropped as number) + (typeof before === 'number' ? before : 0) };
}

function denialRecord(dict: Dict): Record<string, Json> {
  const { denial: given } = dict;
  if (isAbsent(given)) return {};
  if (!isAbsent(dict.truncated)) throw new InvalidReturn('a result is either denied or truncated');
  if (!isDict(given) || !isText(given.kind) || !isText(given.message)) {
    throw new InvalidReturn('denial wants {kind, message}, both texts');
  }
  return { is_error: true, denial: { kind: given.kind, message: given.message } };
}

const preStep: Protocol = {
  lists: false,
  keys: ['deny', 'reason', 'action', 'args', 'modify'],
  plain: (value) => (value === 'Allow' ? ALLOW : null),
  dict: (dict, answered) => {
    const denied = stepDenial(dict, answered);
    if (denied !== null) return denied;
    const given = dict.args ?? dict.modify;
    if (isAbsent(given)) return ALLOW;
    const args = json(given, 'args');
    if (!Array.isArray(args)) throw new InvalidReturn(`args of a step wants a list, got ${kindOf(args)}`);
    return { action: 'modify', payload: { args } };
  },
};

const postStep: Protocol = {
  lists: false,
  keys: ['output', 'result', 'modify', 'deny'],
  plain: (value) => (value === 'Pass' ? ALLOW : null),
  dict: (dict, answered) => {
    const denied = denial(dict.deny, answered);
    if (denied !== null) return denied;
    const key = (['output', 'result', 'modify'] as const).find((name) => dict[name] !== undefined);
    return key === undefined ? ALLOW : { action: 'modify', payload: { output: json(dict[key], key) } };
  },
};

/** A veto is understood here so that the pipeline can say that it was ignored. */
const watchPersona: Protocol = {
  lists: false,
  keys: ['deny', 'reason', 'action'],
  plain: none,
  dict: (dict, answered) => stepDenial(dict, answered) ?? ALLOW,
};

const session: Protocol = {
  lists: true,
  keys: ['block', 'reason', 'decision', 'modify'],
  plain: (value, answered) => {
    if (typeof value !== 'boolean') return null;
    return value ? ALLOW : { action: 'block', reason: `${nameOf(answered)} hook returned false` };
  },
  dict: (dict, answered) => {
    const decided = isAbsent(dict.decision) ? null : permission(dict, answered);
    if (decided !== null) return decided;
    if (isTruthy(dict.block as Json)) return { action: 'block', reason: reasonOf(dict, answered) };
    if (!isAbsent(dict.modify)) return { action: 'modify', payload: sessionRewrite(dict.modify, answered) };
    if (isAbsent(dict.block) && isAbsent(dict.decision)) {
      throw new InvalidReturn('a reason alone decides nothing; want {block: true, reason}');
    }
    return ALLOW;
  },
};

const VERDICT_WORDS: Readonly<Record<string, 'permit' | 'block' | 'ask'>> = {
  allow: 'permit',
  deny: 'block',
  ask: 'ask',
};

/** Null if the decision has no say: outside of `permission_asked` an "allow" is nothing, and the rest would be lost. */
function permission(dict: Dict, answered: ProtocolAnswer): Decision | null {
  const said = typeof dict.decision === 'string' ? dict.decision.trim().toLowerCase() : '';
  if (!Object.hasOwn(VERDICT_WORDS, said)) {
    const hint = didYouMean(said, Object.keys(VERDICT_WORDS));
    throw new InvalidReturn(
      `decision wants "allow", "deny" or "ask", got ${JSON.stringify(dict.decision)}${hint}`,
    );
  }
  const action = VERDICT_WORDS[said]!;
  if (answered.event === 'permission.asked') return { action, reason: reasonOf(dict, answered) };
  const ignored = `decision counts on permission_asked only, not on ${nameOf(answered)}`;
  const lost = action !== 'permit' && !isTruthy(dict.block as Json);
  if (lost && isGate(answered.event)) throw new InvalidReturn(`${ignored}; want {block: true, reason}`);
  answered.warn(ignored);
  return null;
}

function sessionRewrite(given: unknown, { event }: ProtocolAnswer): Json {
  if (event === 'turn.start' && isDict(given) && typeof given.prompt === 'string') return given.prompt;
  return json(given, 'modify');
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  'tool.pre': preTool,
  'tool.post': postTool,
  'step.pre': preStep,
  'step.post': postStep,
};

export function protocolOf(event: string): Protocol {
  return PROTOCOLS[event] ?? (harnEvent(event)?.surface === 'persona' ? watchPersona : session);
}

/** `{deny: reason}`. A reason that is blank is still a refusal; nothing and false are none. */
function denial(deny: unknown, answered: ProtocolAnswer): Decision | null {
  if (isAbsent(deny) || deny === false) return null;
  if (typeof deny !== 'string' && deny !== true) {
    throw new InvalidReturn(`deny wants a reason, got ${kindOf(deny)}`);
  }
  return { action: 'block', reason: isText(deny) ? deny : defaultReason(answered) };
}

function stepDenial(dict: Dict, answered: ProtocolAnswer): Decision | null {
  const denied = denial(dict.deny, answered);
  if (denied !== null) return denied;
  if (dict.action !== undefined && dict.action !== 'deny') {
    throw new InvalidReturn(`action wants "deny", got ${JSON.stringify(dict.action)}`);
  }
  if (dict.action === undefined && isAbsent(dict.reason)) return null;
  return { action: 'block', reason: reasonOf(dict, answered) };
}

function reasonOf(dict: Dict, answered: ProtocolAnswer): string {
  return isText(dict.reason) ? dict.reason : defaultReason(answered);
}

function defaultReason(answered: ProtocolAnswer): string {
  return `${nameOf(answered)} hook gave no reason`;
}

/** Data only: what a handler hands back goes to records and to other hooks. */
function json(value: unknown, what: string): Json {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return JSON.parse(text) as Json;
  } catch {
    // Cycles and big integers; said below.
  }
  throw new InvalidReturn(`${what} is no JSON data`);
}

function nameOf({ event }: ProtocolAnswer): string {
  return harnEvent(event)?.name ?? event;
}

function expectedText({ keys, lists }: Protocol): string {
  return `; want nothing, a dict with ${keys.join(', ')}, or a reminder${lists ? ' or a list of them' : ''}`;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
