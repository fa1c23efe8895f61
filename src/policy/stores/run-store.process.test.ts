import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runStoreCases } from '../../../test/support/run-store-cases.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { AreaState } from '../../engine/stores/area-state.ts';
import { MemoryRunStore } from '../../engine/stores/memory-run-store.ts';
import { STORE_LIMITS } from '../../engine/stores/run-store.ts';
import { tryLock } from '../../machine/file-lock.ts';
import { FileRunStore } from './file-run-store.ts';
import { journalProblem } from './journal.ts';

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

  it.each([
    ['zeroed', '\0'.repeat(40)],
    ['no JSON', 'not json'],
    ['cut off before its key', '["kept","oth'],
  ])('a line that is %s is skipped, and every key goes on', (_name, line) => {
    const dir = tempProject({ 'user.jsonl': `${head()}["set","k",1]\n${line}\n["set","n",2]\n` });
    const area = new FileRunStore(dir).user();
    expect(area.get('k')).toEqual({ ok: true, value: 1 });
    expect(area.incr('n')).toEqual({ ok: true, value: 3 });
    expect(area.reserve('r', 1, 1000, 0)).toMatchObject({ ok: true });
    expect(journalProblem(join(dir, 'user.jsonl'))).toContain('has 1 damaged line,');
  });

  it('a line that is damaged after its key blocks that key alone, until it is written anew', () => {
    const lines = `["set","k",1]\n["set","k",2#\n["once","o"#\n["set","n",2]\n`;
    const dir = tempProject({ 'user.jsonl': head() + lines });
    const area = new FileRunStore(dir).user();
    const failed = { ok: false, error: { code: 'STORE_FAILED', message: expect.stringContaining('"k"') } };
    expect(area.get('k')).toMatchObject(failed);
    expect(area.incr('k')).toMatchObject(failed);
    expect(area.once('o')).toMatchObject({ ok: false });
    expect(area.get('n')).toEqual({ ok: true, value: 2 });
    expect(area.once('p')).toEqual({ ok: true, value: true });
    expect(journalProblem(join(dir, 'user.jsonl'))).toContain('Guards that count "k", "o" are blocked');
    expect(area.set('k', 5).ok).toBe(true);
    expect(new FileRunStore(dir).user().get('k')).toEqual({ ok: true, value: 5 });
    expect(journalProblem(join(dir, 'user.jsonl'))).toContain('Guards that count "o" are blocked');
  });

  it('a line whose end a loss of power zeroed is lost, and the value before it counts', () => {
    const zeroes = '\0'.repeat(40);
    const lines = `["set","k",1]\n["set","k",${zeroes}\n["once","o"${zeroes}\n["set","n",2]\n`;
    const dir = tempProject({ 'user.jsonl': head() + lines });
    const area = new FileRunStore(dir).user();
    expect(journalProblem(join(dir, 'user.jsonl'))).toContain('has 2 damaged lines');
    expect(area.incr('k')).toEqual({ ok: true, value: 2 });
    expect(area.once('o')).toEqual({ ok: true, value: true });
    expect(area.get('n')).toEqual({ ok: true, value: 2 });
  });

  it('a damaged grant blocks its limit for the window of the limit, also after the journal was written anew', () => {
    const lines = `["clock",0,0,0,"a",1]\n["kept","r",1000,1,\0\0\0\n`;
    const dir = tempProject({ 'user.jsonl': head() + lines });
    const at = (now: number) => new FileRunStore(dir, { steady: { now: () => now, boot: 'a' } }).user();
    expect(at(10).reserve('r', 5, 1000, 10)).toMatchObject({ ok: false, error: { code: 'STORE_FAILED' } });
    for (let i = 0; i < 600; i++) at(20).set('n', i);
    expect(at(30).reserve('r', 5, 1000, 30)).toMatchObject({ ok: false, error: { code: 'STORE_FAILED' } });
    expect(at(30).reserve('other', 5, 1000, 30)).toMatchObject({ ok: true });
    expect(at(2000).reserve('r', 5, 1000, 2000)).toMatchObject({ ok: true });
  });

  it('a journal whose first line is zeroed goes on with the lines that are there', () => {
    const dir = tempProject({ 'user.jsonl': `${'\0'.repeat(4096)}]\n["set","k",7]\n` });
    expect(new FileRunStore(dir).user().incr('k')).toEqual({ ok: true, value: 8 });
    expect(new FileRunStore(dir).user().get('k')).toEqual({ ok: true, value: 8 });
    expect(journalProblem(join(dir, 'user.jsonl'))).toContain('damaged');
    const empty = tempProject({ 'user.jsonl': '\0'.repeat(4096) });
    expect(new FileRunStore(empty).user().incr('k')).toEqual({ ok: true, value: 1 });
    expect(new FileRunStore(empty).user().get('k')).toEqual({ ok: true, value: 1 });
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
