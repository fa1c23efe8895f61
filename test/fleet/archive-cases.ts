/** What every store of a hub has to do. The same cases run on SQLite in memory, on SQLite in a file, and on PostgreSQL. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementBytes } from '../../src/fleet/index.ts';
import {
  type Accepted,
  Archive,
  checkHub,
  DAY_MS,
  type Database,
  dayOf,
  Machines,
  migrate,
  openSchema,
  removeBefore,
} from '../../src/hub/index.ts';
import type { TapeRecord } from '../../src/tape/entry.ts';
import { batchOf, decision, linesOf, PLACE, rawOf, sampleLines } from './tapes.ts';

const NOW = Date.UTC(2026, 5, 1, 12);

/** `open` gives a database with nothing in it. */
export function archiveCases(name: string, open: () => Promise<Database>): void {
  describe(`a hub's store on ${name}`, () => {
    let database: Database;
    let machines: Machines;
    let archive: Archive;
    let machine = '';
    let now = NOW;
    let ids = 0;
    const host = { now: () => now, uuid: () => `machine-${ids++}` };
    const newKey = () => {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') };
    };
    const join = async () => {
      const key = newKey();
      const token = await machines.createJoinToken({ team: 'a' }, 60_000);
      const { machine: id } = await machines.join({ token, name: 'one', publicKey: key.publicKey });
      return { id, ...key };
    };

    beforeAll(async () => {
      database = await open();
      const to = database.dialect.migrations.length;
      expect(await migrate(database)).toEqual({ from: 0, to });
      expect(await migrate(database)).toEqual({ from: to, to });
      machines = new Machines(database, await openSchema(database), host);
      archive = new Archive(database, () => now);
      machine = (await join()).id;
    });
    afterAll(() => database?.close());

    const deliver = async (
      session: string,
      lines: readonly Buffer[],
      from: number,
      branch: number | null = null,
    ) =>
      archive.accept({
        ...{ machine, place: PLACE, session, owner: 'me', folder: '/work/runs', branch },
        batch: batchOf(session, lines, from),
      });
    const stored = async (session: string, branch: number | null = null) => {
      const found = await archive.read({ machine, place: PLACE, session }, branch);
      const parts: Buffer[] = [];
      for await (const segment of found!.segments) parts.push(segment);
      return Buffer.concat(parts);
    };
    const next = (accepted: Accepted) =>
      'tape' in accepted ? [accepted.kind, accepted.tape.next] : [accepted.kind];
    const factsOf = (session: string) =>
      database.all<{ seq: number; event: string; action: string; hook: string | null; tool: string | null }>(
        `SELECT d.seq, d.event, d.action, d.hook, d.tool FROM decisions d JOIN tapes t ON t.id = d.tape
         WHERE t.session = $1 ORDER BY d.seq`,
        [session],
      );

    it('gives back every byte it took, in whatever batches the lines came', async () => {
      const lines = sampleLines('bytes', 30);
      for (const [from, to] of [
        [0, 1],
        [1, 7],
        [7, 32],
      ] as const)
        expect(next(await deliver('bytes', lines.slice(from, to), from))).toEqual(['stored', to]);
      expect((await stored('bytes')).equals(rawOf(lines))).toBe(true);
    });

    it('writes one fact for each decision, with what a search needs', async () => {
      const facts = await factsOf('bytes');
      expect(facts).toHaveLength(30);
      expect(facts[0]).toMatchObject({
        seq: 1,
        event: 'tool.pre',
        action: 'block',
        hook: 'hook_0',
        tool: 'run_command',
      });
    });

    it('a batch that comes twice changes nothing and is answered with the line the hub waits for', async () => {
      const lines = sampleLines('twice', 4);
      await deliver('twice', lines.slice(0, 3), 0);
      expect(next(await deliver('twice', lines.slice(0, 3), 0))).toEqual(['position', 3]);
      expect(next(await deliver('twice', lines.slice(5), 5))).toEqual(['position', 3]);
      expect(next(await deliver('twice', lines.slice(3), 3))).toEqual(['stored', 6]);
      expect((await stored('twice')).equals(rawOf(lines))).toBe(true);
      expect(await factsOf('twice')).toHaveLength(4);
    });

    it('of many deliveries of one batch at the same time exactly one is stored, of a new tape and of a known one', async () => {
      const lines = sampleLines('race', 8);
      for (const [from, to] of [
        [0, 4],
        [4, 10],
      ] as const) {
        const answers = await Promise.all(
          Array.from({ length: 6 }, () => deliver('race', lines.slice(from, to), from)),
        );
        expect(answers.map(({ kind }) => kind).sort()).toEqual([...Array(5).fill('position'), 'stored']);
      }
      expect((await stored('race')).equals(rawOf(lines))).toBe(true);
      expect(await factsOf('race')).toHaveLength(8);
    });

    it('a line that does not follow is named, nothing of its batch is stored, and the tape is quarantined', async () => {
      const lines = sampleLines('broken', 6);
      await deliver('broken', lines.slice(0, 3), 0);
      const changed = lines.map((line, i) =>
        i === 4 ? Buffer.from(line.toString().replace('"ls"', '"rm"')) : line,
      );
      expect(await deliver('broken', changed.slice(3), 3)).toMatchObject({
        kind: 'broken',
        entry: 4,
        tape: { next: 3, state: 'quarantined' },
      });
      expect((await stored('broken')).equals(rawOf(lines.slice(0, 3)))).toBe(true);
      expect((await checkHub(database)).attention.join()).toContain('broken');
      expect(await deliver('broken', lines.slice(3), 3)).toMatchObject({
        kind: 'stored',
        tape: { state: 'open' },
      });
    });

    it('a tape that was written anew is a fork: both branches stay', async () => {
      const old = sampleLines('forked', 5, false);
      const anew = linesOf('forked', [decision(9, 'other'), decision(10, 'other')]);
      await deliver('forked', old, 0);
      expect((await deliver('forked', [anew[1]!], 6)).kind).toBe('fork');
      const grown = sampleLines('forked', 7);
      const other = linesOf(
        'forked',
        Array.from({ length: 8 }, (_, i) => decision(i + 50)),
      );
      expect((await deliver('forked', other.slice(6), 6)).kind).toBe('fork');
      expect(await deliver('forked', anew, 0, 1)).toMatchObject({
        kind: 'stored',
        tape: { branch: 1, next: 4, state: 'forked' },
      });
      expect(next(await deliver('forked', anew, 0, 1))).toEqual(['position', 4]);
      expect((await stored('forked', 0)).equals(rawOf(old))).toBe(true);
      expect((await stored('forked')).equals(rawOf(anew))).toBe(true);
      expect((await deliver('forked', grown.slice(6), 6)).kind).toBe('position');
    });

    it('a decision that waited has the event of its dispatch, also if a batch lies between', async () => {
      const fired = { dispatch: 7, run: 1, event: 'tool.pre', payload: { name: 'fetch' } };
      const records = [
        { type: 'dispatch', ...fired },
        { type: 'decision', in: { dispatch: 7 }, out: { action: 'block' } },
      ] as unknown as TapeRecord[];
      const lines = linesOf('waited', records);
      await deliver('waited', lines.slice(0, 2), 0);
      await deliver('waited', lines.slice(2), 2);
      expect(await factsOf('waited')).toMatchObject([
        { seq: 2, event: 'tool.pre', action: 'block', tool: 'fetch' },
      ]);
    });

    it('takes half surrogates, NUL, far times and odd session names as bytes', async () => {
      const odd = 'a\u0000b \ud800';
      const record = decision(1, 'tool \ud800 \u0000 end', 'block', '\u0000');
      const lines = linesOf(odd, [record]);
      const key = `id-${'0'.repeat(40)}`;
      const batch = batchOf(odd, lines, 0);
      const delivery = {
        machine,
        place: PLACE,
        session: key,
        owner: '',
        folder: '/odd',
        branch: null,
        batch,
      };
      expect(batch.part.broken).toBeNull();
      expect((await archive.accept(delivery)).kind).toBe('stored');
      expect((await stored(key)).equals(rawOf(lines))).toBe(true);
      expect((await factsOf(key))[0]?.tool).toBe('tool \ufffd \ufffd end');
    });

    it('a machine of another id has tapes of its own', async () => {
      const other = (await join()).id;
      const lines = sampleLines('bytes', 2);
      const batch = batchOf('bytes', lines, 0);
      const delivery = {
        machine: other,
        place: PLACE,
        session: 'bytes',
        owner: '',
        folder: '',
        branch: null,
        batch,
      };
      expect(next(await archive.accept(delivery))).toEqual(['stored', 4]);
      expect((await archive.accept({ ...delivery, machine: 'nobody' })).kind).toBe('unknown');
      expect(await archive.tapesOf(other, ['', ''], 10)).toHaveLength(1);
    });

    it('lists where it stands with the tapes of a machine, page by page', async () => {
      const all = await archive.tapesOf(machine, ['', ''], 100);
      const paged = [];
      for (let after: [string, string] = ['', '']; ; ) {
        const [tape] = await archive.tapesOf(machine, after, 1);
        if (tape === undefined) break;
        paged.push(tape);
        after = [tape.place, tape.session];
      }
      expect(paged).toEqual(all);
      expect(all.find(({ session }) => session === 'forked')).toMatchObject({ branch: 1, next: 4 });
    });

    it('a join token works once, for one key, until it expires', async () => {
      const [key, other] = [newKey(), newKey()];
      const token = await machines.createJoinToken({}, 1000);
      const first = await machines.join({ token, name: 'm', publicKey: key.publicKey });
      expect(await machines.join({ token, name: 'm', publicKey: key.publicKey })).toEqual(first);
      await expect(machines.join({ token, name: 'm', publicKey: other.publicKey })).rejects.toThrow(
        'used before',
      );
      const late = await machines.createJoinToken({}, 1000);
      now += 2000;
      await expect(machines.join({ token: late, name: 'm', publicKey: other.publicKey })).rejects.toThrow(
        'expired',
      );
      await expect(machines.join({ token: 'x', name: 'm', publicKey: other.publicKey })).rejects.toThrow(
        'unknown',
      );
      expect(() => machines.join({ token, name: 'm', publicKey: 'AAAA' })).toThrow('Ed25519');
    });

    it('a token needs the machine key, ends after 15 minutes, and a newer one replaces it', async () => {
      const { id, privateKey } = await join();
      const ask = (state: { generation: number; nonce: string; next: string }, key = privateKey) => {
        const statement = { machine: id, challenge: machines.challenge(id), ...state };
        return machines.grant(statement, sign(null, statementBytes(statement), key).toString('base64'));
      };
      const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string];
      await expect(ask({ generation: 0, nonce: '', next: a }, newKey().privateKey)).rejects.toThrow(
        'signature',
      );
      const first = await ask({ generation: 0, nonce: '', next: a });
      expect(await machines.holder(`Bearer ${first.token}`)).toBe(id);
      // The answer was lost: the same nonce is shown again.
      const again = await ask({ generation: 0, nonce: '', next: a });
      expect(again).toMatchObject({ generation: 2, state: 'active' });
      await expect(machines.holder(`Bearer ${first.token}`)).rejects.toThrow('newer token');
      const third = await ask({ generation: 2, nonce: a, next: b });
      expect(third).toMatchObject({ generation: 3, state: 'active' });
      now += 16 * 60 * 1000;
      await expect(machines.holder(`Bearer ${third.token}`)).rejects.toThrow('expired');
      await expect(machines.holder(`Bearer ${third.token}0`)).rejects.toThrow('machine token');
      // A copy of the folder, taken before the last token.
      expect(await ask({ generation: 2, nonce: a, next: c })).toMatchObject({ state: 'suspended' });
      const suspended = (await machines.list()).find((each) => each.id === id);
      expect(suspended).toMatchObject({ state: 'suspended', problem: expect.stringContaining('one key') });
      await machines.setState(id, 'active');
      // A hub whose database was rolled back is behind its machines; they are no copies.
      expect(await ask({ generation: 9, nonce: b, next: 'd'.repeat(32) })).toMatchObject({
        generation: 10,
        state: 'active',
      });
    });

    it('a suspended machine still delivers, and what it delivers is marked', async () => {
      await machines.setState(machine, 'suspended');
      await deliver('marked', sampleLines('marked', 1), 0);
      await machines.setState(machine, 'active');
      const rows = await database.all<{ machine_state: string }>(
        'SELECT machine_state FROM segments s JOIN tapes t ON t.id = s.tape WHERE t.session = $1',
        ['marked'],
      );
      expect(rows).toEqual([{ machine_state: 'suspended' }]);
    });

    it('the check is clean, and finds a changed segment and a missing fact', async () => {
      const clean = await checkHub(database);
      expect(clean.problems).toEqual([]);
      expect(clean.decisions).toBeGreaterThan(40);
      const [row] = await database.all<{ tape: number }>(
        "SELECT d.tape FROM decisions d JOIN tapes t ON t.id = d.tape WHERE t.session = 'race' LIMIT 1",
      );
      const [fact] = await database.all<{ day: number; seq: number }>(
        'SELECT * FROM decisions WHERE tape = $1 AND seq = 3',
        [row!.tape],
      );
      await database.all('DELETE FROM decisions WHERE tape = $1 AND seq = 3', [row!.tape]);
      expect((await checkHub(database)).problems.join()).toMatch(/race.*has 8 decisions and 7 facts/);
      await database.all("INSERT INTO decisions (day, tape, seq, action) VALUES ($1, $2, 3, 'allow')", [
        fact!.day,
        row!.tape,
      ]);
      const [segment] = await database.all<{ body: Uint8Array }>(
        'SELECT body FROM segments WHERE tape = $1 AND from_seq = 0',
        [row!.tape],
      );
      const other = batchOf('race', sampleLines('race', 2, false), 0).body;
      const put = 'UPDATE segments SET body = $2 WHERE tape = $1 AND from_seq = 0';
      await database.all(put, [row!.tape, other]);
      expect((await checkHub(database)).problems.join()).toMatch(/race/);
      await database.all(put, [row!.tape, segment!.body]);
      expect((await checkHub(database)).problems).toEqual([]);
    });

    it('a clock that is set back puts no later line into an earlier day', async () => {
      const lines = sampleLines('clock', 4);
      await deliver('clock', lines.slice(0, 3), 0);
      now -= 2 * DAY_MS;
      await deliver('clock', lines.slice(3), 3);
      now += 2 * DAY_MS;
      const days = await database.all<{ day: number }>(
        "SELECT s.day FROM segments s JOIN tapes t ON t.id = s.tape WHERE t.session = 'clock' ORDER BY s.from_seq",
      );
      expect(days).toEqual([{ day: dayOf(now) }, { day: dayOf(now) }]);
    });

    it('retention removes the first days, says what went, and the rest of a tape is still proven', async () => {
      const lines = sampleLines('long', 20);
      await deliver('long', lines.slice(0, 6), 0);
      const before = await checkHub(database);
      now += 3 * DAY_MS;
      await deliver('long', lines.slice(6), 6);
      const day = dayOf(now);
      const planned = await removeBefore(database, day, now, true);
      expect((await checkHub(database)).entries).toBe(before.entries + 16);
      const gone = await removeBefore(database, day, now, false);
      expect(gone).toEqual(planned);
      expect(gone).toMatchObject({ entries: before.entries, decisions: before.decisions });
      const after = await checkHub(database);
      expect(after.problems).toEqual([]);
      expect(after).toMatchObject({ entries: 16, removals: [{ entries: before.entries }] });
      expect((await stored('long')).equals(rawOf(lines.slice(6)))).toBe(true);
      expect(await removeBefore(database, day, now, false)).toBeNull();
      // The present day stays, whatever is asked.
      expect(await removeBefore(database, day + 9, now, false)).toBeNull();
      // What went is not taken again: the hub still knows where it stands.
      expect(next(await deliver('twice', sampleLines('twice', 4).slice(0, 3), 0))).toEqual(['position', 6]);
    });
  });
}
