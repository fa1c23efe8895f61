import { describe, expect, it } from 'vitest';
import type { Adapter } from './adapter.ts';
import { canaryAnswer, canaryPayload, canaryToken } from './canary.ts';
import { ADAPTERS } from './load-adapter.ts';
import { isUnreadable } from './read-native.ts';

const adapters: readonly Adapter[] = await Promise.all(
  Object.values(ADAPTERS).map(async (load) => (await load()).adapter),
);
const ROWS = adapters.flatMap((adapter) =>
  adapter.events.map((row) => [adapter.agent, row.native, adapter, row] as const),
);

describe('the canary', () => {
  it.each(ROWS)('%s %s: the payload is read as that event', (_agent, _event, adapter, row) => {
    const call = adapter.read(canaryPayload(adapter, row, '/p'), row.native);
    if (isUnreadable(call)) throw new Error(call.problem);
    expect({ row: call.row, session: call.session }).toEqual({ row, session: 'harness-canary' });
  });

  it.each(ROWS.filter(([, , { observeOnly }, row]) => row.honours.block && observeOnly === undefined))(
    '%s %s: the answer holds the token',
    (_agent, _event, adapter, row) => {
      const call = adapter.read(canaryPayload(adapter, row, '/p'), row.native);
      if (isUnreadable(call)) throw new Error(call.problem);
      const { stdout, stderr } = canaryAnswer(adapter, call, 'token-1');
      expect(stdout + stderr).toContain('token-1');
    },
  );

  it('is a word of few letters, or none', () => {
    const of = (value: string | undefined) => canaryToken(() => value);
    expect([of('abc-1'), of(undefined), of(''), of('A b'), of('a'.repeat(65))]).toEqual([
      'abc-1',
      null,
      null,
      null,
      null,
    ]);
  });
});
