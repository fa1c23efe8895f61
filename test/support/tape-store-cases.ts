/**
 * What every store of tapes promises, as tests: a store passes when all of these do.
 */
import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { machineHost } from '../../src/machine/host.ts';
import { entryBody, MAX_LINE_BYTES } from '../../src/tape/chain.ts';
import type { Entry, TapeRecord } from '../../src/tape/entry.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { TapeStats } from '../../src/tape/stats.ts';
import type { Line, StoredTape, TapeBatch, TapeStore } from '../../src/tape/store.ts';
import { chapters } from '../../src/tape/stories.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { decisions, hook } from './plain-hook.ts';
import { blockedCall, failedCall, tapeHeader } from './tape.ts';

const CALL = { id: 'c1', name: 'run_command', args: { command: 'ls' } };

function batchOf(session: string, records: readonly TapeRecord[], more: Partial<TapeBatch> = {}): TapeBatch {
  const entries = records.map((record) => entryBody(record, 1_700_000_000_000));
  return { session, header: tapeHeader({ session }), entries, ...more };
}

async function linesOf(tape: StoredTape | null): Promise<string[]> {
  const lines: string[] = [];
  for await (const { bytes, whole } of tape!.lines as AsyncIterable<Line>) {
    expect(whole).toBe(true);
    lines.push(bytes.toString('utf8'));
  }
  return lines;
}

async function entriesOf(store: TapeStore, session: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of (await readTape({ store, session })).entries) entries.push(entry);
  return entries;
}

export function tapeStoreCases(name: string, open: () => TapeStore): void {
  describe(`${name}: append`, () => {
    it('makes a tape that is proven, and goes on with it', async () => {
      const store = open();
      const at = { store, session: 'a' };
      expect(await store.append(batchOf('a', blockedCall(1)))).toMatchObject({ ok: true, seq: 4 });
      const first = await verifyTape(at);
      expect(first).toMatchObject({ ok: true, state: 'closed', entries: 4, session: 'a' });
      expect(await store.append(batchOf('a', failedCall(2)))).toMatchObject({ ok: true, seq: 8 });
      expect(await verifyTape(at)).toMatchObject({ ok: true, entries: 8 });
      const seqs = (await entriesOf(store, 'a')).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 8 }, (_, i) => i + 1));
    });

    it('goes on only with a tape that has the entry the caller remembers', async () => {
      const store = open();
      const first = await store.append(batchOf('a', blockedCall(1)));
      if (!first.ok) throw first.error;
      const after = { seq: first.seq, head: first.head };
      for (let i = 0; i < 2; i++)
        expect(await store.append(batchOf('a', failedCall(2), { after }))).toMatchObject({ ok: true });
      const changed = { ok: false, error: { code: 'RECORD_CHANGED' } };
      for (const [session, seq, head] of [
        ['a', first.seq, 'f'.repeat(64)],
        ['a', first.seq - 1, first.head],
        ['a', 1000, first.head],
        ['b', first.seq, first.head],
      ] as const)
        expect(await store.append(batchOf(session, [], { after: { seq, head } }))).toMatchObject(changed);
      expect(await verifyTape({ store, session: 'a' })).toMatchObject({ ok: true, entries: 12 });
      expect(await store.read('b')).toBeNull();
    });

    it('with more to come leaves the tape open, and closed after the last', async () => {
      const store = open();
      await store.append(batchOf('a', blockedCall(1), { more: true }));
      expect(await verifyTape({ store, session: 'a' })).toMatchObject({
        ok: true,
        state: 'open',
        entries: 3,
      });
      await store.append(batchOf('a', blockedCall(2), { more: true }));
      expect(await store.append(batchOf('a', []))).toMatchObject({ ok: true, seq: 7 });
      expect(await verifyTape({ store, session: 'a' })).toMatchObject({
        ok: true,
        state: 'closed',
        entries: 7,
      });
    });

    it('keeps batches in the order they were given, awaited or not', async () => {
      const store = open();
      const notes = Array.from(
        { length: 20 },
        (_, i): TapeRecord => ({ type: 'session', kind: 'n', data: i }),
      );
      await Promise.all(notes.map((note) => store.append(batchOf('a', [note]))));
      const kept = (await entriesOf(store, 'a')).flatMap(({ record }) =>
        record.type === 'session' && record.kind === 'n' ? [record.data] : [],
      );
      expect(kept).toEqual(notes.map((_, i) => i));
      expect(await verifyTape({ store, session: 'a' })).toMatchObject({ ok: true, entries: 40 });
    });

    it('takes all of a batch or nothing', async () => {
      const store = open();
      await store.append(batchOf('a', blockedCall(1)));
      const long = { before: '', record: `"${'x'.repeat(MAX_LINE_BYTES)}"` };
      const batch = batchOf('a', blockedCall(2));
      expect(await store.append({ ...batch, entries: [...batch.entries, long] })).toMatchObject({
        ok: false,
        error: { code: 'TAPE_WRITE_FAILED' },
      });
      expect(await verifyTape({ store, session: 'a' })).toMatchObject({ ok: true, entries: 4 });
    });

    it('keeps sessions apart, whatever they are called', async () => {
      const store = open();
      const names = ['a', 'A', '../a', 'a/b', '', '.', '..', 'é', 'x'.repeat(300), 'a\nb', 'con'];
      for (const name of names) await store.append(batchOf(name, blockedCall(1, `echo ${name}`)));
      for (const session of names) {
        expect(await verifyTape({ store, session })).toMatchObject({ ok: true, session, entries: 4 });
      }
      expect((await store.list()).map(({ session }) => session).sort()).toEqual([...names].sort());
    });
  });

  describe(`${name}: read`, () => {
    it('gives the lines from an entry on; 0 is the header', async () => {
      const store = open();
      await store.append(batchOf('a', blockedCall(1)));
      const all = await linesOf(await store.read('a'));
      expect(all).toHaveLength(5);
      expect(JSON.parse(all[0]!)).toEqual(tapeHeader({ session: 'a' }));
      expect(await linesOf(await store.read('a', 3))).toEqual(all.slice(3));
      expect(await linesOf(await store.read('a', 99))).toEqual([]);
    });

    it('of a session that is not there is null, and reading it says so', async () => {
      const store = open();
      expect(await store.read('nobody')).toBeNull();
      for (const read of [readTape, verifyTape, replayTape] as const) {
        await expect(async () => read({ store, session: 'nobody' })).rejects.toMatchObject({
          code: 'TAPE_INVALID',
          message: 'the store has no tape of session nobody',
        });
      }
    });
  });

  it(`${name}: list gives the newest first, and what a filter asks for`, async () => {
    const store = open();
    expect(await store.list()).toEqual([]);
    for (const [i, host] of ['cli', 'adapter', 'cli'].entries()) {
      const session = `s${i}-${host}`;
      const header = tapeHeader({ session, host, started: `2026-01-0${i + 1}T00:00:00.000Z` });
      await store.append({ ...batchOf(session, blockedCall(1)), header });
    }
    const listed = async (filter: Parameters<TapeStore['list']>[0]) =>
      (await store.list(filter)).map(({ session }) => session);
    expect(await listed({})).toEqual(['s2-cli', 's1-adapter', 's0-cli']);
    expect(await listed({ host: 'cli' })).toEqual(['s2-cli', 's0-cli']);
    expect(await listed({ session: 's1' })).toEqual(['s1-adapter']);
    expect(await listed({ since: Date.parse('2026-01-02T00:00:00Z') })).toEqual(['s2-cli', 's1-adapter']);
    expect(await listed({ before: Date.parse('2026-01-02T00:00:00Z') })).toEqual(['s0-cli']);
    expect((await store.list({ session: 's0' }))[0]).toEqual({
      session: 's0-cli',
      host: 'cli',
      engine: 'harness 0.1.0',
      started: '2026-01-01T00:00:00.000Z',
      policy: 'd'.repeat(64),
      version: 2,
    });
  });

  describe(`${name}: a session`, () => {
    const hooks = [
      hook({
        name: 'counts',
        body: (_seen, { run }) => void run.metrics.set('calls', (run.metrics.get('calls') ?? 0) + 1),
      }),
      hook({
        name: 'blocks',
        priority: 1,
        body: async (_seen, { run }) => decisions.block(`call ${run.metrics.get('calls')}`),
      }),
    ];

    it('is recorded, shown, counted and replayed', async () => {
      const store = open();
      const tape = openTape(store, { session: 's', hooks, host: machineHost });
      const engine = new Engine({ hooks, host: machineHost, run: new RunState(), recorder: tape.recorder });
      for (let i = 0; i < 3; i++) {
        expect(await engine.decide('tool.pre', { ...CALL, id: `c${i}` })).toMatchObject({
          reason: `call ${i + 1}`,
        });
        await tape.call({ callId: `c${i}`, tool: 'run_command', verdict: 'blocked', by: 'blocks' });
      }
      await tape.annotate({ ticket: 7 }, 'c0');
      await tape.close();
      const at = { store, session: 's' };
      expect(await verifyTape(at)).toMatchObject({ ok: true, state: 'closed' });
      expect(await replayTape(at, { hooks })).toMatchObject({ decisions: 3, differences: [] });
      expect(await replayTape(at)).toMatchObject({ decisions: 3, differences: [], unfinished: 0 });
      const stats = new TapeStats();
      for (const entry of await entriesOf(store, 's')) stats.add(entry);
      expect([stats.decisions, stats.calls.get('blocked')]).toEqual([3, 3]);
      const told: string[] = [];
      for (const chapter of chapters(await entriesOf(store, 's'))) {
        told.push(
          chapter.kind === 'decision' ? chapter.story.turns.length.toString() : chapter.entry.record.kind,
        );
      }
      expect(told).toEqual(['run', '2', 'call', '2', 'call', '2', 'call', 'annotate', 'closed']);
    });

    it('of many short processes is one chain', async () => {
      const store = open();
      for (let process = 0; process < 4; process++) {
        const tape = openTape(store, { session: 's', hooks, host: machineHost, shared: true });
        const engine = new Engine({ hooks, host: machineHost, run: new RunState(), recorder: tape.recorder });
        await engine.decide('tool.pre', { ...CALL, id: `c${process}` });
        // A process that is killed now has lost nothing: no close.
      }
      const at = { store, session: 's' };
      expect(await verifyTape(at)).toMatchObject({ ok: true, state: 'closed' });
      expect(await replayTape(at, { hooks })).toMatchObject({ decisions: 4, differences: [], unfinished: 0 });
    });

    it('that goes on under another policy says so, and which layer it is', async () => {
      const store = open();
      const before = [{ name: 'project', digest: 'c'.repeat(64) }];
      const first = openTape(store, { session: 's', hooks, host: machineHost, shared: true, layers: before });
      await first.note('x', 1);
      const layers = [
        { name: 'user', digest: 'a'.repeat(64) },
        { name: 'project', digest: 'b'.repeat(64) },
      ];
      const { policy } = first.header;
      const second = openTape(store, {
        session: 's',
        hooks: hooks.slice(1),
        host: machineHost,
        shared: true,
        layers,
        lastPolicy: policy.digest,
      });
      await second.note('x', 2);
      const changed = (await entriesOf(store, 's')).filter(({ record }) => record.type === 'policy.changed');
      expect(changed.map(({ record }) => record)).toMatchObject([
        { from: policy.digest, to: second.header.policy.digest, accepted: true, policy: { layers } },
      ]);
      const report = await replayTape({ store, session: 's' }, { hooks, policy: second.header.policy });
      expect(report.policyChanges).toEqual(['the layer project has changed', 'the layer user is new']);
    });
  });
}
