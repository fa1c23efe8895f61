/**
 * What every store of run state promises, as tests: a store passes when all of these do. `make` opens the same store anew
 * each time it is called with the same place, as another process would.
 */
import { describe, expect, it } from 'vitest';
import type { Steady } from '../../src/engine/stores/area-clock.ts';
import type { RunArea, RunStore, Stored } from '../../src/engine/stores/run-store.ts';
import { STORE_LIMITS } from '../../src/engine/stores/run-store.ts';

export interface StoreUnderTest {
  /** A place that holds nothing yet. */
  readonly place: () => string;
  /** Two of one place are two processes with one store. */
  readonly open: (place: string, steady?: Steady | null) => RunStore;
}

async function given<T>(stored: Stored<T> | Promise<Stored<T>>): Promise<T> {
  const said = await stored;
  if (!said.ok) throw said.error;
  return said.value;
}

const SECOND = 1000;

export function runStoreCases(name: string, { place, open }: StoreUnderTest): void {
  const session = (id = 's1'): RunArea => open(place(), null).session(id);

  describe(`${name}: values`, () => {
    it('are what was set, and undefined before and after', async () => {
      const area = session();
      expect(await given(area.get('k'))).toBeUndefined();
      await given(area.set('k', { a: [1, null, 'é'] }));
      expect(await given(area.get('k'))).toEqual({ a: [1, null, 'é'] });
      expect(await given(area.delete('k'))).toBe(true);
      expect(await given(area.delete('k'))).toBe(false);
      expect(await given(area.get('k'))).toBeUndefined();
    });

    it('are nobody else’s to change', async () => {
      const area = session();
      const mine = { list: [1] };
      await given(area.set('k', mine));
      mine.list.push(2);
      ((await given(area.get('k'))) as { list: number[] }).list.push(3);
      expect(await given(area.get('k'))).toEqual({ list: [1] });
    });

    it('count up from what is no number too', async () => {
      const area = session();
      expect(await given(area.incr('n'))).toBe(1);
      expect(await given(area.incr('n', 2.5))).toBe(3.5);
      await given(area.set('n', 'text'));
      expect(await given(area.incr('n', -1))).toBe(-1);
    });

    it('of one session are not those of another, nor those of the user', async () => {
      const store = open(place(), null);
      for (const [i, area] of [store.session('a'), store.session('b'), store.user()].entries()) {
        expect(await given(area.incr('n', i + 1))).toBe(i + 1);
        expect(await given(area.once('x'))).toBe(true);
      }
    });

    it('are listed by how their keys begin', async () => {
      const area = session();
      for (const key of ['a/1', 'a/2', 'b/1']) await given(area.set(key, key));
      expect(await given(area.entries('a/'))).toEqual(
        new Map([
          ['1', 'a/1'],
          ['2', 'a/2'],
        ]),
      );
      expect((await given(area.entries(''))).size).toBe(3);
    });

    it('change together', async () => {
      const area = session();
      await given(area.set('gone', 1));
      await given(
        area.apply([
          { op: 'incr', key: 'n', by: 2 },
          { op: 'incr', key: 'n', by: 3 },
          { op: 'set', key: 'k', value: [] },
          { op: 'delete', key: 'gone' },
        ]),
      );
      expect(Object.fromEntries(await given(area.entries('')))).toEqual({ n: 5, k: [] });
      const refused = await area.apply([
        { op: 'set', key: 'k', value: 1 },
        { op: 'incr', key: 'n', by: Number.NaN },
      ]);
      expect(refused.ok).toBe(false);
      expect(await given(area.get('k'))).toEqual([]);
    });

    it.each<[string, (area: RunArea) => unknown]>([
      ['a key that is too long', (area) => area.set('k'.repeat(STORE_LIMITS.keyCharacters + 1), 1)],
      ['a value that is too long', (area) => area.set('k', 'x'.repeat(STORE_LIMITS.valueCharacters + 1))],
      ['a value that is no JSON', (area) => area.set('k', (() => 1) as never)],
      ['a number that is none', (area) => area.incr('k', Number.NaN)],
      ['a limit that is none', (area) => area.reserve('k', Number.NaN, SECOND, 0)],
      ['a time that is none', (area) => area.reserve('k', 1, SECOND, Number.NaN)],
      ['a time without end', (area) => area.reserve('k', 1, SECOND, Number.POSITIVE_INFINITY)],
      ['a window of no length', (area) => area.reserve('k', 1, 0, 0)],
      ['an amount of nothing', (area) => area.reserve('k', 1, SECOND, 0, 0)],
    ])('%s is refused with the reason', async (_name, act) => {
      expect(await act(session())).toMatchObject({ ok: false, error: { code: 'STORE_LIMIT' } });
    });
  });

  describe(`${name}: once`, () => {
    it('is yes the first time, and no to all who ask later', async () => {
      const where = place();
      const [one, other] = [open(where, null).user(), open(where, null).user()];
      expect(await given(one.once('approval 1'))).toBe(true);
      expect(await given(other.once('approval 1'))).toBe(false);
      expect(await given(other.once('approval 2'))).toBe(true);
      expect(await given(one.once('approval 2'))).toBe(false);
    });

    it('of several who take one thing away, one is told yes', async () => {
      const where = place();
      const areas = Array.from({ length: 5 }, () => open(where, null).user());
      await given(areas[0]!.set('yes', 'to call 1'));
      const taken = await Promise.all(areas.map((area) => given(area.delete('yes'))));
      expect(taken.filter((yes) => yes)).toHaveLength(1);
    });
  });

  describe(`${name}: rates`, () => {
    it('grant up to the limit within any window, and say when there is room again', async () => {
      const area = session();
      const ask = (now: number) => area.reserve('calls', 3, 10 * SECOND, now);
      expect(await ask(0)).toMatchObject({ ok: true, left: 2, retryAfter: 0 });
      expect(await ask(4 * SECOND)).toMatchObject({ ok: true, left: 1 });
      expect(await ask(5 * SECOND)).toMatchObject({ ok: true, left: 0 });
      expect(await ask(6 * SECOND)).toEqual({
        ok: false,
        left: 0,
        retryAfter: 4 * SECOND,
        token: null,
        error: null,
      });
      // The first has left the window; the other two are still in it.
      expect(await ask(10 * SECOND)).toMatchObject({ ok: true, left: 0 });
      expect(await ask(13 * SECOND)).toMatchObject({ ok: false, retryAfter: SECOND });
      expect(await ask(14 * SECOND)).toMatchObject({ ok: true });
    });

    it('of one key say nothing about another', async () => {
      const area = session();
      expect(await area.reserve('a', 1, SECOND, 0)).toMatchObject({ ok: true });
      expect(await area.reserve('b', 1, SECOND, 0)).toMatchObject({ ok: true });
      expect(await area.reserve('a', 1, SECOND, 0)).toMatchObject({ ok: false });
    });

    it('give back what did not count, once', async () => {
      const area = session();
      const first = await area.reserve('calls', 1, SECOND, 0);
      expect(await area.reserve('calls', 1, SECOND, 0)).toMatchObject({ ok: false });
      expect(await given(area.settle(first.token!, true))).toBe(false);
      expect(await area.reserve('calls', 1, SECOND, 0)).toMatchObject({ ok: false });
      expect(await given(area.settle(first.token!, false))).toBe(true);
      expect(await given(area.settle(first.token!, false))).toBe(false);
      expect(await area.reserve('calls', 1, SECOND, 0)).toMatchObject({ ok: true });
      expect(await given(area.settle('no such token', false))).toBe(false);
    });

    it('count amounts', async () => {
      const area = session();
      expect(await area.reserve('tokens', 100, SECOND, 0, 60)).toMatchObject({ ok: true, left: 40 });
      expect(await area.reserve('tokens', 100, SECOND, 1, 60)).toMatchObject({
        ok: false,
        left: 40,
        retryAfter: 999,
      });
      expect(await area.reserve('tokens', 100, SECOND, 2, 40)).toMatchObject({ ok: true, left: 0 });
      // More than the whole limit never fits.
      expect(await area.reserve('tokens', 100, SECOND, 3, 101)).toMatchObject({
        ok: false,
        retryAfter: null,
      });
      expect(await area.reserve('none', 0, SECOND, 0)).toMatchObject({ ok: false, left: 0 });
    });

    it('are one for all who share the store', async () => {
      const where = place();
      const areas = Array.from({ length: 4 }, () => open(where, null).user());
      const asked = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => areas[i % 4]!.reserve('calls', 10, SECOND, 0)),
      );
      expect(asked.filter(({ ok }) => ok)).toHaveLength(10);
      const tokens = asked.flatMap(({ token }) => (token === null ? [] : [token]));
      expect(new Set(tokens).size).toBe(10);
      // Given back through another process than the one that took it.
      expect(await given(areas[3]!.settle(tokens[0]!, false))).toBe(true);
      expect(await areas[1]!.reserve('calls', 10, SECOND, 0)).toMatchObject({ ok: true, left: 0 });
    });

    it('hold when the time of day is set back, and no longer than a window', async () => {
      const area = session();
      const ask = (now: number) => area.reserve('calls', 1, 10 * SECOND, now);
      expect(await ask(1_000_000)).toMatchObject({ ok: true });
      expect(await ask(500_000)).toMatchObject({ ok: false, retryAfter: 10 * SECOND });
      expect(await ask(1_009_000)).toMatchObject({ ok: false });
      expect(await ask(1_010_000)).toMatchObject({ ok: true });
    });

    it('are not freed when the time of day is set forward, if the machine has a clock that cannot be set', async () => {
      let running = 0;
      const area = open(place(), { now: () => running, boot: 'a' }).user();
      const ask = (now: number) => area.reserve('calls', 1, 10 * SECOND, now);
      expect(await ask(0)).toMatchObject({ ok: true });
      running = 2 * SECOND;
      expect(await ask(3_600_000)).toMatchObject({ ok: false, retryAfter: 8 * SECOND });
      expect(await ask(-3_600_000)).toMatchObject({ ok: false, retryAfter: 8 * SECOND });
      running = 10 * SECOND;
      expect(await ask(0)).toMatchObject({ ok: true });
    });

    it('of very many grants stay in bounds, and never grant more than the limit', async () => {
      const area = session();
      const limit = STORE_LIMITS.grants * 2;
      let granted = 0;
      const most = limit + 10;
      for (let i = 0; i < most; i += 20) {
        // Twenty at a time, so that it does not take long.
        const { ok } = await area.reserve('calls', limit, 60 * SECOND, i, 20);
        if (ok) granted += 20;
      }
      expect(granted).toBe(limit);
      expect(await area.reserve('calls', limit, 60 * SECOND, 61 * SECOND, 20)).toMatchObject({ ok: true });
    });
  });
}
