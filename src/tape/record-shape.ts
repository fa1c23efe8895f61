/**
 * Whether a record that was read has what its kind has, as far as readers rely on it. A tape may come from anywhere; what is
 * beyond this may say anything, and is shown as it is.
 */
import { isJsonObject } from '../base/index.ts';
import type { TapeRecord } from './entry.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const object: Check = isJsonObject;
const absentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const having =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isJsonObject(value)) return false;
    for (const name in fields) if (!fields[name]!(value[name])) return false;
    return true;
  };

const POLICY_HOOK = having({ name: text, event: text, source: text, frontEnd: text });

const POLICY = having({ digest: text, hooks: listOf(POLICY_HOOK) });

const END = {
  hook: text,
  effects: absentOr(listOf(having({ kind: text }))),
  readings: absentOr(listOf(having({ kind: text }))),
  warnings: absentOr(listOf(() => true)),
  failure: absentOr(object),
  result: absentOr(text),
  policy: absentOr(text),
  state: absentOr(text),
};

const FIRED = { dispatch: number, event: text, same: absentOr(object) };

const NUMBERED = having({ dispatch: number });
const FIRED_WHOLE = having(FIRED);

/** Of a decision: what was fired, or its number alone. */
export const isValidFired: Check = (value) =>
  isJsonObject(value) && (value.event === undefined ? NUMBERED : FIRED_WHOLE)(value);

export const isValidDecision: Check = having({
  action: text,
  hooks: absentOr(listOf(having(END))),
  failure: absentOr(object),
});

const CHECKS: { readonly [T in TapeRecord['type']]?: Check } = {
  decision: having({ in: isValidFired, out: isValidDecision }),
  dispatch: having(FIRED),
  hook_call: having({ dispatch: number, hook: text }),
  run: having({ run: number }),
  'policy.changed': having({ policy: absentOr(POLICY) }),
  session: having({ kind: text }),
};

export function isValidRecord(record: TapeRecord): boolean {
  const check = Object.hasOwn(CHECKS, record.type) ? CHECKS[record.type] : undefined;
  if (check !== undefined && !check(record)) return false;
  return record.type !== 'session' || record.kind !== 'hook' || POLICY_HOOK(record.data);
}

/** Of the policy in a header. */
export function isValidPolicy(policy: unknown): boolean {
  return POLICY(policy);
}
