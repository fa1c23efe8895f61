/** What agents, tools and payloads say of who is behind a call is never who is behind it, whichever agent it comes from. */
import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../src/agents/load-adapter.ts';
import { isUnreadable } from '../../src/agents/read-native.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { fixturesOf } from '../support/adapters.ts';
import { hookFile } from '../support/temp-project.ts';
import { policyOf } from '../support/who.ts';

const ROOT = { id: 'root', tenant: 'acme', tier: 'gold', scopes: ['*', 'admin'] };
const CLAIMS = { actor: ROOT, caller: { name: 'admin', depth: 0, chain: [], scopes: ['admin'] } };
const ANN = { id: 'ann' };

const loaded = await Promise.all(Object.values(ADAPTERS).map((load) => load()));
const NATIVE = loaded.flatMap(({ adapter }) =>
  Object.entries(fixturesOf(adapter.agent)).map(
    ([name, payload]) => [adapter.agent, name, adapter, payload] as const,
  ),
);

/** The claims at the top and in everything below that is an object. */
function forged(value: Json): Json {
  if (Array.isArray(value)) return value.map(forged);
  if (!isJsonObject(value)) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, forged(each)]));
  return { ...inside, ...CLAIMS } as JsonObject;
}

const TELL = hookFile(
  'def handle(event, payload):\n    said = [actor, caller["name"], caller.get("scopes")]\n    if type(payload) == "dict":\n        said += [payload["actor"], payload["caller"]["name"]]\n    annotate(said = said)\n    return allow()',
);
const events = [...new Set(NATIVE.flatMap(([, , adapter]) => adapter.events.map(({ event }) => event)))];
const policy = await policyOf(
  Object.fromEntries(
    events.map((event, at) => [`.harness/hooks/h${at}.md`, TELL.replace(/event: .*/, `event: ${event}`)]),
  ),
);

describe('a payload that says who is behind it', () => {
  it.each(NATIVE)('of %s: %s', async (_agent, _name, adapter, payload) => {
    const call = adapter.read(forged(payload as Json) as JsonObject, null);
    // Then the call is denied, which nobody is behind either.
    if (isUnreadable(call)) return;
    for (const each of call.payloads) {
      for (const actor of [ANN, null]) {
        const { effects } = await policy.decide(call.row.event, each as never, { actor });
        const said = effects.flatMap((effect) => (effect.kind === 'annotate' ? [effect.facts.said] : []));
        expect(said.length).toBeGreaterThan(0);
        for (const one of said as Json[][]) {
          expect(one.slice(0, 3)).toEqual([actor, '', null]);
          if (one.length > 3) expect(one.slice(3)).toEqual([actor, '']);
        }
      }
    }
  });
});
