/**
 * A search for differences finds every planted one, whatever the seed, and none between policies that decide alike.
 */
import { describe, expect, it } from 'vitest';
import { classes, diff, PLANTED } from '../../../test/support/planted-differences.ts';

describe('a search for calls that two policies decide differently', () => {
  it.each(PLANTED)('finds %s with every seed', async (_what, old, next, kind) => {
    for (const seed of [1, 2, 3]) expect(classes(await diff(old, next, 3000, seed))).toContain(kind);
  });

  it.each([...new Map(PLANTED.map(([, old]) => [JSON.stringify(old), old])).values()])(
    'finds none between a policy and its copy (%#)',
    { timeout: 120_000 },
    async (files) => {
      const result = await diff(files, files, 3000);
      expect(result.groups).toEqual([]);
      expect(result.tries).toBe(3000);
    },
  );
});
