/**
 * Takes secrets out of a record before it leaves the process: those the host and the environment name, and whatever the
 * redactor of tapes would take out too. Works on the values inside the record, keys included, so that what is written stays
 * JSON whatever a secret looks like.
 */
import type { Json } from '../../base/index.ts';
import type { HookCall } from '../../engine/index.ts';
import {
  createRedactor,
  createValueRedactor,
  REDACTED,
  secretVariables,
  type ValueRedactor,
} from '../../secrets/index.ts';

/** What the host calls a secret, and the values of the variables that hold one. */
export function secretsOf({ host, run }: Pick<HookCall, 'host' | 'run'>): string[] {
  return [...run.services.secrets(), ...secretVariables(host).map(({ value }) => value)];
}

/** JSON text of `value` without secrets, `secrets` among them. */
export function redactedJson(value: Json, secrets: readonly string[]): string {
  return JSON.stringify(redactorFor(secrets).value(value));
}

/** The secrets of a process seldom change: the last redactor is kept. */
let last: { readonly secrets: readonly string[]; readonly redactor: ValueRedactor } | null = null;

function redactorFor(secrets: readonly string[]): ValueRedactor {
  if (last !== null && last.secrets.length === secrets.length) {
    const { secrets: before } = last;
    if (secrets.every((secret, at) => secret === before[at])) return last.redactor;
  }
  const redactor = createValueRedactor({
    redactor: createRedactor({ values: secrets.map((value) => ({ name: 'secret', value })) }),
    replacement: {
      value: () => REDACTED,
      text: (_rule, _text, shown) => shown,
      mark: () => REDACTED,
      tooDeep: () => REDACTED,
    },
  });
  last = { secrets, redactor };
  return redactor;
}
