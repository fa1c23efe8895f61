/**
 * `policy`: the policy a hook is part of, as data. For rules about rules: that every tool has its audit hook, that no hook lacks
 * a priority.
 */
import type { JsonObject } from '../../base/index.ts';
import type { PolicyContents } from '../../engine/index.ts';
import { builtin, fail, Module, type Thread, type Value, wrapJson } from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';

/** Whether a script may ask for it: only then is it put together. */
export function readsPolicy(script: string): boolean {
  return /\bpolicy\s*\.\s*(?:hooks|tools)\b/.test(script);
}

function listed(part: keyof PolicyContents) {
  const name = `policy.${part}`;
  return builtin(
    name,
    '',
    (thread: Thread): Value => {
      const { contents } = scriptCallOf(thread).hook;
      if (contents === undefined)
        return fail(`${name}: this hook is part of no policy that was read from files`);
      const items: readonly JsonObject[] = contents[part]();
      thread.spend(items.length);
      thread.charge(32 + 48 * items.length);
      return wrapJson(items);
    },
    { pure: false },
  );
}

export const POLICY = new Module(
  'policy',
  new Map<string, Value>([
    ['hooks', listed('hooks')],
    ['tools', listed('tools')],
  ]),
);
