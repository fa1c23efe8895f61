/**
 * The decision a command printed as a JSON object. Known are the keys of the Harness Framework and those that existing
 * hook scripts of coding agents print; a key that is neither, or of the wrong type, is never taken for "go on".
 */
import { didYouMean, isJsonObject, type Json, type JsonObject, kindOf, nearest } from '../../base/index.ts';
import type { Decision } from '../../engine/index.ts';

export type ParsedReply =
  | {
      readonly ok: true;
      readonly decision: Decision;
      readonly context: readonly string[];
      readonly output: readonly string[];
      readonly warnings: readonly string[];
    }
  /** `stranger`: no key of it is known, so it may not have been meant as a decision at all. */
  | { readonly ok: false; readonly stranger: boolean; readonly message: string };

type WantedType = 'a string' | 'a boolean' | 'an object' | 'anything';

const KEYS: Readonly<Record<string, WantedType>> = {
  continue: 'a boolean',
  decision: 'a string',
  message: 'a string',
  reason: 'a string',
  stopReason: 'a string',
  systemMessage: 'a string',
  suppressOutput: 'a boolean',
  additionalContext: 'a string',
  hookSpecificOutput: 'an object',
};

const SPECIFIC_KEYS: Readonly<Record<string, WantedType>> = {
  hookEventName: 'a string',
  permissionDecision: 'a string',
  permissionDecisionReason: 'a string',
  additionalContext: 'a string',
  updatedInput: 'an object',
  updatedToolOutput: 'anything',
};

type Answer = 'allow' | 'ask' | 'block';

const ANSWERS: Readonly<Record<string, Answer>> = {
  block: 'block',
  deny: 'block',
  ask: 'ask',
  // Waits for somebody to decide later, which is an ask to the person here.
  defer: 'ask',
  allow: 'allow',
  approve: 'allow',
};

/** How other protocols say no. Where ours does not read such a key, it must not be taken for "go on" either. */
const VETO_KEYS = [
  'continue',
  'decision',
  'permissionDecision',
  'action',
  'behavior',
  'block',
  'blocked',
  'deny',
  'denied',
  'allow',
  'allowed',
  'approve',
  'approved',
  'permission',
  'verdict',
];

/** The first key that is not among `known` and looks as if a decision were in it; undefined where there is none. */
export function unreadVeto(object: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(object).find((key) => {
    if (known.includes(key)) return false;
    if (VETO_KEYS.some((veto) => veto.toLowerCase() === key.toLowerCase())) return true;
    const meant = nearest(key, VETO_KEYS);
    return meant !== undefined && known.includes(meant) && !Object.hasOwn(object, meant);
  });
}

const NO_REASON = 'the hook gave no reason';

export function understand(object: JsonObject): ParsedReply {
  const specific = isJsonObject(object.hookSpecificOutput) ? object.hookSpecificOutput : {};
  const problem = misfit(object, KEYS, '') ?? misfit(specific, SPECIFIC_KEYS, 'hookSpecificOutput.');
  if (problem !== null) return { ok: false, stranger: false, message: problem };
  const known = Object.keys(object).filter((key) => Object.hasOwn(KEYS, key));
  const strange = Object.keys(object).filter((key) => !Object.hasOwn(KEYS, key));
  if (known.length === 0 && strange.length > 0) {
    const message = `no decision in it: unknown key ${hinted(strange[0]!)}`;
    return { ok: false, stranger: true, message };
  }
  const unread = unreadVeto(object, Object.keys(KEYS)) ?? unreadVeto(specific, Object.keys(SPECIFIC_KEYS));
  if (unread !== undefined) {
    const message = `no decision is read from ${hinted(unread)}: want decision, continue or hookSpecificOutput.permissionDecision`;
    return { ok: false, stranger: false, message };
  }

  const words: Answer[] = object.continue === false ? ['block'] : [];
  for (const said of [object.decision, specific.permissionDecision]) {
    if (typeof said !== 'string') continue;
    const word = Object.hasOwn(ANSWERS, said) ? ANSWERS[said] : undefined;
    if (word === undefined) {
      const hint = didYouMean(said, Object.keys(ANSWERS));
      return { ok: false, stranger: false, message: `unknown decision ${JSON.stringify(said)}${hint}` };
    }
    words.push(word);
  }
  const decision = decide(words, object, specific);
  const message = text(object.message);
  return {
    ok: true,
    decision,
    context: [text(object.additionalContext), text(specific.additionalContext)].filter(isText),
    // A message beside a decision is its reason; alone it is something to show.
    output: [text(object.systemMessage), decision.action === 'allow' ? message : null].filter(isText),
    warnings: [
      ...strange.map((key) => `unknown key ${hinted(key)} in the JSON on stdout was ignored`),
      ...(words.length === 0 && reasonIn(object) !== null && object.message === undefined
        ? ['a reason without a decision was ignored']
        : []),
    ],
  };
}

/** Why it objects, in whichever key it said so; null if in none of them. */
export function reasonIn(object: JsonObject): string | null {
  const specific = isJsonObject(object.hookSpecificOutput) ? object.hookSpecificOutput : {};
  return (
    text(object.message) ??
    text(specific.permissionDecisionReason) ??
    text(object.reason) ??
    text(object.stopReason)
  );
}

/** The strictest word counts. */
function decide(words: readonly Answer[], object: JsonObject, specific: JsonObject): Decision {
  const reason = reasonIn(object) ?? NO_REASON;
  if (words.includes('block')) return { action: 'block', reason };
  if (words.includes('ask')) return { action: 'ask', reason };
  if (specific.updatedInput !== undefined)
    return { action: 'modify', payload: { args: specific.updatedInput } };
  if (specific.updatedToolOutput !== undefined) {
    return { action: 'modify', payload: { result: specific.updatedToolOutput } };
  }
  return { action: 'allow' };
}

function misfit(object: JsonObject, keys: Readonly<Record<string, WantedType>>, path: string): string | null {
  for (const [key, wanted] of Object.entries(keys)) {
    const value = object[key];
    if (value === undefined || value === null || wanted === 'anything') continue;
    if (kindOf(value) !== wanted) return `${path}${key} wants ${wanted}, got ${kindOf(value)}`;
  }
  return null;
}

function hinted(key: string): string {
  return `${JSON.stringify(key)}${didYouMean(key, Object.keys(KEYS))}`;
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function isText(value: string | null): value is string {
  return value !== null;
}
