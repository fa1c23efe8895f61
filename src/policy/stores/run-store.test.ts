import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runStoreCases } from '../../../test/support/run-store-cases.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { tryLock } from '../../base/file-lock.ts';
import { AreaState } from '../../hooks/stores/area-state.ts';
import { MemoryRunStore } from '../../hooks/stores/memory-run-store.ts';
import { STORE_LIMITS } from '../../hooks/stores/run-store.ts';
import { FileRunStore } from './file-run-store.ts';

const inMemory = new Map<string, MemoryRunStore>();

runStoreCases('in memory', {
  place: () => String(inMemory.size),
  open: (place, steady) => {
    const store = inMemory.get(place) ?? new MemoryRunStore({ steady: steady ?? null });
    inMemory.set(place, store);
    return store;
  },
});

runStoreCases('in files', {
  place: () => tempProject(),
  open: (place, steady) => new FileRunStore(place, { ...(steady !== undefined && { steady }) }),
});

describe('the files of a store', () => {
  it('are for their owner alone, and their names cannot leave the folder', () => {
    const dir = join(tempProject(), 'state');
    const store = new FileRunStore(dir);
    for (const id of ['plain-1', '../../outside', 'a/b', '', '.', 'é', 'x'.repeat(300)]) {
      expect(store.session(id).set('k', id)).toEqual({ ok: true, value: undefined });
      expect(store.session(id).get('k')).toEqual({ ok: true, value: id });
    }
    store.user().incr('n');
    expect(readdirSync(dir).sort()).toEqual(['sessions', 'user.jsonl']);
    expect(readdirSync(join(dir, 'sessions'))).toHaveLength(7);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, 'user.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('a folder that others can write is refused', () => {
    const dir = join(tempProject(), 'open');
    mkdirSync(dir);
    // Past what the mask of the process takes away.
    chmodSync(dir, 0o777);
    expect(new FileRunStore(dir).user().get('k')).toMatchObject({
      ok: false,
      error: { code: 'STORE_FAILED', message: expect.stringContaining('can be written by others') },
    });
  });

  it.each([
    ['garbage', 'garbage\n'],
    ['a journal with a damaged line', `${head()}["set","k",1]\nnot json\n`],
    ['a journal of a later version', '{"harness":"run state","id":"0123456789abcdef","version":2}\n'],
    ['something without lines', 'x'.repeat(100)],
  ])('%s is refused and stays as it is', (_name, content) => {
    const dir = tempProject({ 'user.jsonl': content });
    const area = new FileRunStore(dir).user();
    for (const said of [area.get('k'), area.set('k', 1), area.reserve('k', 1, 1000, 0)]) {
      expect(said).toMatchObject({ ok: false, error: { code: 'STORE_FAILED' } });
    }
    expect(readFileSync(join(dir, 'user.jsonl'), 'utf8')).toBe(content);
  });

  it('a link in the place of a journal is refused', () => {
    const dir = tempProject({ target: head() });
    symlinkSync(join(dir, 'target'), join(dir, 'user.jsonl'));
    expect(new FileRunStore(dir).user().set('k', 1)).toMatchObject({ ok: false });
    expect(readFileSync(join(dir, 'target'), 'utf8')).toBe(head());
  });

  it.each([
    ['in the middle of a line', `${head()}["set","k",1]\n["set","k",`],
    ['in the middle of its head', '{"harness":"run st'],
  ])('one that was cut off %s goes on', (_name, content) => {
    const dir = tempProject({ 'user.jsonl': content });
    const before = content.includes('"k",1') ? 1 : undefined;
    expect(new FileRunStore(dir).user().get('k')).toEqual({ ok: true, value: before });
    expect(new FileRunStore(dir).user().incr('k')).toEqual({ ok: true, value: (before ?? 0) + 1 });
    expect(new FileRunStore(dir).user().get('k')).toEqual({ ok: true, value: (before ?? 0) + 1 });
  });

  it('are written anew when most of their lines say nothing any more, also under the eyes of another process', () => {
    const dir = tempProject();
    const [one, other] = [new FileRunStore(dir).user(), new FileRunStore(dir).user()];
    one.once('first');
    const file = join(dir, 'user.jsonl');
    let largest = 0;
    for (let i = 1; i <= 5000; i++) {
      const area = i % 2 === 0 ? one : other;
      expect(area.incr('n')).toEqual({ ok: true, value: i });
      largest = Math.max(largest, statSync(file).size);
    }
    expect(largest).toBeLessThan(20_000);
    expect(one.once('first')).toEqual({ ok: true, value: false });
    expect(readdirSync(dir)).toEqual(['user.jsonl']);
  });

  it('a lock that is not given back is waited for a bounded time, then it is a failure', () => {
    const dir = tempProject();
    const area = new FileRunStore(dir, { waitMs: 30 }).user();
    area.set('k', 1);
    const locked = tryLock(join(dir, 'user.jsonl'));
    expect('release' in locked).toBe(true);
    expect(area.set('k', 2)).toMatchObject({
      ok: false,
      error: { code: 'STORE_BUSY', message: expect.stringContaining(`${process.pid}`) },
    });
    expect(area.reserve('k', 10, 1000, 0)).toMatchObject({ ok: false, error: { code: 'STORE_BUSY' } });
    // Reading takes no lock.
    expect(area.get('k')).toEqual({ ok: true, value: 1 });
    (locked as { release: () => void }).release();
    expect(area.set('k', 2).ok).toBe(true);
  });
});

it('rates go on after the machine was started again, by the time of day', () => {
  const dir = tempProject();
  const before = new FileRunStore(dir, { steady: { now: () => 900_000, boot: 'a' } }).user();
  expect(before.reserve('calls', 1, 10_000, 1_000_000)).toMatchObject({ ok: true });
  const after = new FileRunStore(dir, { steady: { now: () => 1000, boot: 'b' } }).user();
  expect(after.reserve('calls', 1, 10_000, 1_004_000)).toMatchObject({ ok: false, retryAfter: 6000 });
});

it('rates in memory go by a clock that nobody sets, if nothing else is said', () => {
  const area = new MemoryRunStore().user();
  expect(area.reserve('calls', 1, 10_000, 1_000_000)).toMatchObject({ ok: true });
  for (const set of [2_000_000, 0])
    expect(area.reserve('calls', 1, 10_000, set)).toMatchObject({ ok: false });
});

describe('the state of an area', () => {
  it('is bounded in the number of its keys, and what is there goes on', () => {
    const store = new MemoryRunStore();
    const area = store.user();
    const many = Array.from(
      { length: STORE_LIMITS.keys },
      (_, i) => ({ op: 'set', key: String(i), value: 1 }) as const,
    );
    expect(area.apply(many)).toMatchObject({ ok: true });
    expect(area.set('one more', 1)).toMatchObject({ ok: false, error: { code: 'STORE_LIMIT' } });
    expect(area.incr('7')).toEqual({ ok: true, value: 2 });
    expect(area.delete('7')).toEqual({ ok: true, value: true });
    expect(area.set('one more', 1).ok).toBe(true);
  });

  it('is the same after its own snapshot', () => {
    const state = new AreaState();
    state.apply(['clock', 50, 50, null, '', 9]);
    state.apply(['set', 'k', [1]]);
    state.apply(['once', 'x']);
    state.apply(['kept', 'r', 100, 9, 20, 3]);
    state.apply(['kept', 'r', 100, 8, -60, 1]);
    const again = new AreaState();
    for (const line of state.snapshot()) again.apply(line);
    expect([...again.snapshot()]).toEqual([...state.snapshot()]);
    expect(again).toMatchObject({ grants: 9, clock: { time: 50 } });
    expect([...again.rates.get('r')!.grants]).toEqual([{ id: 9, at: 20, amount: 3 }]);
  });
});

function head(): string {
  return '{"harness":"run state","id":"0123456789abcdef","version":1}\n';
}
