/**
 * What a hook's `handle` returned, as a reply: decisions, their dict form, and the rest, which is no opinion and worth a
 * warning.
 */

import { clip, didYouMean, type Json } from '../../base/index.ts';
import { checkReminder, type Effect, type Hook, type Reply } from '../../engine/index.ts';
import { DEFAULT_REASONS, DecisionValue } from '../../script/index.ts';
import { Dict, List, repr, StarlarkError, toJson, type Value } from '../../starlark/index.ts';

const ALLOW: Reply = { decision: { action: 'allow' } };

export function interpret(returned: unknown, hook: Hook): Reply {
  // A decision is the decision it holds, without a new object on the way.
  if (returned instanceof DecisionValue)
    return returned.context === null ? returned : withContext(returned, hook);
  if (returned instanceof Dict) return withEffects(fromDict(returned), returned, hook);
  return allowWith(`handle returned ${valueText(returned as Value)}, not a decision: treated as allow()`);
}

function withContext({ decision, context }: DecisionValue, hook: Hook): Reply {
  return { decision, effects: contextEffects(context!, hook) };
}

function contextEffects(text: string, hook: Hook): Effect[] {
  return text.trim() === '' ? [] : [{ kind: 'context', hook: hook.name, text }];
}

/** What the dict form says beside its action: `context` for the model, and reminders with all their keys. */
function withEffects(reply: Reply, dict: Dict, hook: Hook): Reply {
  const context = dict.get('context');
  const reminders = [dict.get('reminder'), ...listed(dict.get('reminders'))].filter(
    (one) => one !== undefined,
  );
  if (context === undefined && reminders.length === 0) return reply;
  const warnings = [...(reply.warnings ?? [])];
  const effects: Effect[] = [];
  if (typeof context === 'string') effects.push(...contextEffects(context, hook));
  else if (context !== undefined && context !== null)
    warnings.push(`the context is ${valueText(context)}, not a string: not delivered`);
  for (const given of reminders) {
    const checked = checkReminder(plain(given));
    if (checked.ok) effects.push({ kind: 'reminder', hook: hook.name, reminder: checked.reminder });
    else warnings.push(`not delivered: ${checked.message}`);
  }
  return { ...reply, effects, warnings };
}

function listed(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return value instanceof List ? value.items : [value];
}

function plain(value: Value): unknown {
  try {
    return toJson(value);
  } catch (thrown) {
    if (thrown instanceof StarlarkError) return null;
    throw thrown;
  }
}

type FromDict = (dict: Dict) => Reply;

const ACTIONS: Readonly<Record<string, FromDict>> = {
  allow: () => ALLOW,
  block: (dict) => replyWithReason(dict, 'block'),
  ask: (dict) => replyWithReason(dict, 'ask'),
  permit: (dict) => replyWithReason(dict, 'permit'),
  modify: (dict) => carrying(dict, 'payload', (payload) => ({ action: 'modify', payload })),
  delegate: (dict) => carrying(dict, 'request', (request) => ({ action: 'delegate', request })),
};

function fromDict(dict: Dict): Reply {
  const action = dict.get('action');
  if (typeof action === 'string' && Object.hasOwn(ACTIONS, action)) return ACTIONS[action]!(dict);
  if (action === undefined) return allowWith('handle returned a dict without "action": treated as allow()');
  const hint = typeof action === 'string' ? didYouMean(action, Object.keys(ACTIONS)) : '';
  return allowWith(`handle returned the unknown action ${valueText(action)}: treated as allow()${hint}`);
}

/** A veto stays a veto, whatever its reason looks like. */
function replyWithReason(dict: Dict, action: keyof typeof DEFAULT_REASONS): Reply {
  const reason = dict.get('reason');
  if (typeof reason === 'string' && reason.trim() !== '')
    return { decision: { action, reason: reason.trim() } };
  const decision = { action, reason: DEFAULT_REASONS[action] } as const;
  if (reason === undefined || typeof reason === 'string') return { decision };
  return { decision, warnings: [`the reason of ${action} is ${valueText(reason)}, not a string`] };
}

/** A rewrite that does not say to what is no rewrite: letting the call pass unchanged would be a guess. */
function carrying(
  dict: Dict,
  key: string,
  make: (json: Json) => (Reply & { decision: unknown })['decision'],
): Reply {
  const value = dict.get(key);
  if (value === undefined) return invalid(`handle returned an action without its "${key}"`);
  try {
    return { decision: make(toJson(value) as Json) } as Reply;
  } catch (thrown) {
    if (thrown instanceof StarlarkError) return invalid(`the "${key}" handle returned: ${thrown.message}`);
    throw thrown;
  }
}

function invalid(message: string): Reply {
  return { failure: { kind: 'invalid_return', code: 'HOOK_INVALID_RETURN', message } };
}

function allowWith(warning: string): Reply {
  return {
    decision: { action: 'allow' },
    warnings: [warning],
    unclear: warning.replace(/: treated as allow\(\)/, ''),
  };
}

function valueText(value: Value): string {
  return value === null ? 'None' : clip(repr(value), 60);
}
