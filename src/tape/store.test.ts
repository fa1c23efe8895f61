import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisions, hook } from '../../test/support/plain-hook.ts';
import { blockedCall, tapeHeader, writeTape } from '../../test/support/tape.ts';
import { tapeStoreCases } from '../../test/support/tape-store-cases.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { HarnessError } from '../base/errors.ts';
import { Engine } from '../engine/engine.ts';
import { RunState } from '../engine/run-state.ts';
import { tryLock } from '../machine/file-lock.ts';
import { machineHost } from '../machine/host.ts';
import { entryBody } from './chain.ts';
import { FileTapeStore } from './file-store.ts';
import { MemoryTapeStore } from './memory-store.ts';
import { openTape, redactorFor } from './open-tape.ts';
import type { Appended, StoredTape, TapeBatch, TapeStore } from './store.ts';
import { StoreSink } from './store-sink.ts';
import { readTape } from './tape-reader.ts';
import { verifyTape } from './verify.ts';

/** A store that has to be waited for, as one behind a network would. */
class LaterStore implements TapeStore {
  readonly inner = new MemoryTapeStore();
  failsWith: HarnessError | null = null;
  /** Batches that have been kept. */
  kept = 0;
  private line: Promise<unknown> = Promise.resolve();

  append(batch: TapeBatch): Promise<Appended> {
    const appended = this.line.then(async () => {
      await pause();
      if (this.failsWith !== null) return { ok: false, error: this.failsWith } as const;
      this.kept++;
      return this.inner.append(batch);
    });
    this.line = appended;
    return appended;
  }

  async read(session: string, from?: number): Promise<StoredTape | null> {
    await pause();
    const tape = this.inner.read(session, from);
    return tape === null ? null : { ...tape, lines: later(tape.lines as Iterable<never>) };
  }

  async list(filter?: Parameters<TapeStore['list']>[0]) {
    await pause();
    return this.inner.list(filter);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

async function* later<T>(lines: Iterable<T>): AsyncGenerator<T> {
  for (const line of lines) {
    await Promise.resolve();
    yield line;
  }
}

tapeStoreCases('in memory', () => new MemoryTapeStore());
tapeStoreCases('in files', () => new FileTapeStore(tempProject()));
tapeStoreCases('in files, synced', () => new FileTapeStore(tempProject(), { sync: true }));
tapeStoreCases('elsewhere', () => new LaterStore());

const HOOKS = [hook({ name: 'h', body: () => decisions.block('no') })];
const CALL = { id: 'c1', name: 'run_command', args: {} };

function engineOn(store: TapeStore, onBroken?: (error: HarnessError) => void) {
  const tape = openTape(store, {
    session: 's',
    hooks: HOOKS,
    host: machineHost,
    ...(onBroken !== undefined && { onBroken }),
  });
  const run = new RunState();
  return { tape, engine: new Engine({ hooks: HOOKS, host: machineHost, run, recorder: tape.recorder }) };
}

describe('recording into a store that has to be waited for', () => {
  it('gives a decision only once it is kept', async () => {
    const store = new LaterStore();
    const { engine } = engineOn(store);
    const deciding = engine.decide('tool.pre', CALL);
    expect(deciding).toBeInstanceOf(Promise);
    expect(store.kept).toBe(0);
    expect(await deciding).toMatchObject({ action: 'block' });
    expect(store.kept).toBe(1);
  });

  it('keeps the order of decisions that are made meanwhile, and gathers them', async () => {
    const store = new LaterStore();
    const { engine, tape } = engineOn(store);
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => engine.decide('tool.pre', { ...CALL, id: `c${i}` })),
    );
    await tape.close();
    expect(store.kept).toBeLessThan(10);
    const ids: unknown[] = [];
    for await (const { record } of (await readTape({ store, session: 's' })).entries) {
      if (record.type === 'decision' && 'callId' in record.in) ids.push(record.in.callId);
    }
    expect(ids).toEqual(Array.from({ length: 30 }, (_, i) => `c${i}`));
    expect(await verifyTape({ store, session: 's' })).toMatchObject({ ok: true, state: 'closed' });
  });

  it('does not decide unrecorded: a store that fails fails the decision', async () => {
    const store = new LaterStore();
    const { engine, tape } = engineOn(store);
    await engine.decide('tool.pre', CALL);
    store.failsWith = new HarnessError('TAPE_WRITE_FAILED', 'no room');
    await expect(async () => engine.decide('tool.pre', CALL)).rejects.toThrow('no room');
    await expect(async () => engine.decide('tool.pre', CALL)).rejects.toThrow('no room');
    // A note that nobody waits for ends nothing by itself.
    expect(() => tape.note('x', 1)).toThrow('no room');
    await tape.close();
  });

  it('tells the host once, if the host wants to go on', async () => {
    const store = new LaterStore();
    const told: string[] = [];
    const { engine, tape } = engineOn(store, (error) => told.push(error.code));
    store.failsWith = new HarnessError('TAPE_WRITE_FAILED', 'no room');
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ action: 'block' });
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ action: 'block' });
    await tape.close();
    expect(told).toEqual(['TAPE_WRITE_FAILED']);
  });

  it('refuses what comes after the end', async () => {
    const { tape } = engineOn(new LaterStore());
    await tape.close();
    expect(() => tape.note('x', 1)).toThrow(expect.objectContaining({ code: 'TAPE_CLOSED' }));
  });
});

describe('tapes in a folder', () => {
  const batch = (session: string): TapeBatch => ({
    session,
    header: tapeHeader({ session }),
    entries: [entryBody({ type: 'session', kind: 'x', data: 1 }, 0)],
  });

  it('are files that the path alone opens', async () => {
    const dir = tempProject();
    const store = new FileTapeStore(dir);
    await store.append(batch('a-1'));
    expect(readdirSync(dir)).toEqual(['a-1.jsonl']);
    expect(verifyTape(join(dir, 'a-1.jsonl'))).toMatchObject({ ok: true, entries: 2 });
    writeTape(join(dir, 'given another name.jsonl'), blockedCall(1), {
      header: tapeHeader({ session: 'b' }),
    });
    expect(await verifyTape({ store, session: 'b' })).toMatchObject({ ok: true, session: 'b' });
  });

  it('beside what is no tape are found all the same', () => {
    const dir = tempProject({ 'x.jsonl': 'garbage\n', 'y.jsonl': '', 'note.txt': 'hello' });
    mkdirSync(join(dir, 'folder.jsonl'));
    const store = new FileTapeStore(dir);
    store.append(batch('a'));
    expect(store.list().map(({ session }) => session)).toEqual(['a']);
    expect(new FileTapeStore(join(dir, 'not there')).list()).toEqual([]);
  });

  it('a tape that another process holds is waited for a bounded time, then it is a failure', async () => {
    const dir = tempProject();
    const store = new FileTapeStore(dir, { waitMs: 40 });
    await store.append(batch('a'));
    const before = readFileSync(join(dir, 'a.jsonl'));
    const held = tryLock(join(dir, 'a.jsonl')) as { release: () => void };
    expect(await store.append(batch('a'))).toMatchObject({
      ok: false,
      error: { code: 'TAPE_LOCKED', message: expect.stringContaining(`process ${process.pid}`) },
    });
    expect(readFileSync(join(dir, 'a.jsonl'))).toEqual(before);
    const waiting = new FileTapeStore(dir, { waitMs: 100_000 }).append(batch('a'));
    setTimeout(() => held.release(), 20);
    expect(await waiting).toMatchObject({ ok: true, seq: 4 });
  });

  it('a batch that waits for a lock is not overtaken by the next', async () => {
    const store = new FileTapeStore(tempProject());
    await store.append(batch('a'));
    const held = tryLock(store.pathOf('a')) as { release: () => void };
    const note = (data: number) => ({
      ...batch('a'),
      entries: [entryBody({ type: 'session', kind: 'x', data }, 0)],
    });
    const first = store.append(note(2));
    held.release();
    await Promise.all([first, store.append(note(3))]);
    const data = [...readTape(store.pathOf('a')).entries].flatMap(({ record }) =>
      record.type === 'session' && record.kind === 'x' ? [record.data] : [],
    );
    expect(data).toEqual([1, 2, 3]);
  });

  it('a session that may not go unrecorded is not decided when the wait ends', async () => {
    const dir = tempProject();
    const store = new FileTapeStore(dir, { waitMs: 20 });
    const { engine } = engineOn(store);
    await engine.decide('tool.pre', CALL);
    store.close();
    const held = tryLock(store.pathOf('s')) as { release: () => void };
    await expect(async () => engine.decide('tool.pre', CALL)).rejects.toMatchObject({ code: 'TAPE_LOCKED' });
    held.release();
  });

  it('a recorder that found the tape locked once goes on when the lock is free, with every entry in order', async () => {
    const dir = tempProject();
    const store = new FileTapeStore(dir, { waitMs: 20 });
    const sink = new StoreSink(store, {
      header: tapeHeader({ session: 'a' }),
      redact: redactorFor({ host: machineHost }),
      now: () => 1,
      shared: true,
    });
    const note = (data: number) => sink.add({ type: 'session', kind: 'x', data });
    note(1);
    await sink.commit();
    store.close();
    const held = tryLock(store.pathOf('a')) as { release: () => void };
    note(2);
    const [first, second] = [sink.commit(), sink.commit()];
    await expect(first).rejects.toMatchObject({ code: 'TAPE_LOCKED' });
    await expect(second).rejects.toMatchObject({ code: 'TAPE_LOCKED' });
    held.release();
    note(3);
    await sink.commit();
    await sink.close();
    const data = [...readTape(store.pathOf('a')).entries].flatMap(({ record }) =>
      record.type === 'session' && record.kind === 'x' ? [record.data] : [],
    );
    expect(data).toEqual([1, 2, 3]);
    expect(verifyTape(store.pathOf('a')).ok).toBe(true);
  });

  it('a file that is no tape is a failure and stays as it is', async () => {
    const dir = tempProject({ 'a.jsonl': 'hello\n' });
    expect(await new FileTapeStore(dir).append(batch('a'))).toMatchObject({
      ok: false,
      error: { code: 'TAPE_INVALID' },
    });
    expect(readFileSync(join(dir, 'a.jsonl'), 'utf8')).toBe('hello\n');
  });

  it('a folder that cannot be made is a failure', async () => {
    const dir = tempProject({ plain: '' });
    expect(await new FileTapeStore(join(dir, 'plain', 'runs')).append(batch('a'))).toMatchObject({
      ok: false,
      error: { code: 'TAPE_WRITE_FAILED' },
    });
  });

  it('a tape that a killed process left goes on, and says so', async () => {
    const dir = tempProject();
    const store = new FileTapeStore(dir);
    await store.append(batch('a'));
    const path = store.pathOf('a');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -7));
    expect(await store.append(batch('a'))).toMatchObject({ ok: true });
    expect(verifyTape(path)).toMatchObject({ ok: true });
    const kinds = [...readTape(path).entries].map(({ record }) => record.type === 'session' && record.kind);
    expect(kinds).toEqual(['x', 'repaired', 'x', 'closed']);
  });

  it('a folder is looked for by its name each time: behind a link that leads elsewhere by now, and where another one stands', async () => {
    const dir = tempProject({ 'a/x': '', 'b/x': '' });
    const [a, b, link] = ['a', 'b', 'link'].map((name) => join(dir, name)) as [string, string, string];
    symlinkSync(a, link);
    const store = new FileTapeStore(link);
    const append = async () => expect(await store.append(batch('s'))).toMatchObject({ ok: true });
    const tapes = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    await append();
    expect(tapes(a)).toEqual(['s.jsonl']);
    unlinkSync(link);
    symlinkSync(b, link);
    await append();
    expect(tapes(b)).toEqual(['s.jsonl']);
    // The same folder under another name, and another folder under its name.
    renameSync(b, join(dir, 'c'));
    mkdirSync(b);
    unlinkSync(link);
    symlinkSync(join(dir, 'c'), link);
    await append();
    expect(tapes(b)).toEqual([]);
    expect(await verifyTape(join(dir, 'c', 's.jsonl'))).toMatchObject({ ok: true });
  });

  it('a tape that was left is gone on with as it is by then: added to by another process, replaced, deleted', async () => {
    const dir = tempProject();
    const store = new FileTapeStore(dir);
    const path = store.pathOf('a');
    const deeds: (() => void)[] = [
      () => {},
      () => void new FileTapeStore(dir).append(batch('a')),
      () => {
        const [header = ''] = readFileSync(path, 'utf8').split('\n');
        rmSync(path);
        writeFileSync(path, `${header}\n`);
      },
      () => rmSync(path),
    ];
    const entries: unknown[] = [];
    for (const deed of [() => {}, ...deeds]) {
      deed();
      expect(await store.append(batch('a'))).toMatchObject({ ok: true });
      const found = await verifyTape(path);
      expect(found).toMatchObject({ ok: true });
      entries.push((found as { readonly entries?: number }).entries);
    }
    expect(entries).toEqual([2, 4, 8, 2, 2]);
  });
});
