/** Machines send their tapes to a hub over real HTTP: what arrives, what is refused, and what happens while the hub is away. */
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentStatus,
  Enrolled,
  isAcknowledged,
  placeOf,
  runAgent,
  STATUS,
  shipOnce,
  unsentEntries,
  warningsOf,
} from '../../src/fleet/index.ts';
import { openAdmin, type RunningHub } from '../../src/hub/index.ts';
import { tryLock } from '../../src/machine/file-lock.ts';
import { exchangeBytes } from '../../src/machine/http.ts';
import { hashLine } from '../../src/tape/chain.ts';
import { readSigningKey, writeKeyPair, writeSignedHead } from '../../src/tape/sign.ts';
import { remove } from '../support/remove.ts';
import { joinToken, scratch, startHub, TestMachine } from './machine.ts';
import { decision, linesOf, packed, rawOf, sampleLines } from './tapes.ts';

const root = scratch();
const dir = join(root, 'hub');
let hub: RunningHub;
let machine: TestMachine;

beforeAll(async () => {
  hub = await startHub(dir);
  machine = new TestMachine(root, 'one');
  await machine.join(hub.url, await joinToken(dir));
});
afterAll(async () => {
  await hub.close();
  await remove(root);
});

const send = (path: string, body: Uint8Array | string | null, headers: Record<string, string> = {}) =>
  exchangeBytes(
    {
      method: body === null ? 'GET' : 'POST',
      url: hub.url + path,
      headers,
      body,
      timeoutMs: 60_000,
      maxBytes: 1e6,
    },
    new AbortController().signal,
  );
const check = async () => {
  const admin = await openAdmin({ dir });
  return admin.check().finally(() => admin.close());
};
const verifiedOf = async (session: string) =>
  (await machine.verify()).find((each) => each.session === session)!;

describe('shipping', () => {
  it('the hub has every byte of every tape after one pass, and a second pass sends nothing', async () => {
    machine.write('a', sampleLines('a', 40));
    machine.write('b', sampleLines('b', 3, false));
    expect(await machine.ship()).toMatchObject({ tapes: 2, entries: 44, problems: [] });
    expect(await machine.ship()).toMatchObject({ tapes: 0, entries: 0, bytes: 0 });
    const results = await machine.verify();
    expect(results).toMatchObject([
      { session: 'a', ok: true, entries: 41, missing: 0 },
      { session: 'b', ok: true, entries: 3, missing: 0 },
    ]);
    expect(await check()).toMatchObject({ ok: true, tapes: 2, decisions: 43 });
  });

  it('a tape that grew is sent on from the last acknowledged byte', async () => {
    const lines = sampleLines('grown', 10);
    machine.write('grown', lines.slice(0, 4));
    await machine.ship();
    machine.write('grown', lines);
    expect(isAcknowledged(machine.host, machine.file('grown'))).toBe(false);
    expect(await machine.ship(false)).toMatchObject({ entries: 8, bytes: rawOf(lines.slice(4)).length });
    expect(await verifiedOf('grown')).toMatchObject({ ok: true, entries: 11 });
  });

  it('a line without its end waits until it is whole', async () => {
    const lines = sampleLines('torn', 2);
    writeFileSync(machine.file('torn'), rawOf(lines).subarray(0, -10));
    expect(await machine.ship()).toMatchObject({ entries: 2 });
    machine.write('torn', lines);
    expect(await machine.ship()).toMatchObject({ entries: 1 });
    expect(await verifiedOf('torn')).toMatchObject({ ok: true });
  });

  it('what was acknowledged here is only a copy: without it the hub is asked and nothing is sent twice', async () => {
    rmSync(join(machine.enrolled.folder, 'acknowledged.json'));
    expect(await machine.ship(false)).toMatchObject({ entries: 0, problems: [] });
    expect(isAcknowledged(machine.host, machine.file('a'))).toBe(true);
  });

  it('a tape longer than a batch arrives whole', async () => {
    const lines = linesOf('long', [
      decision(1, 'x'.repeat(3_000_000)),
      ...Array.from({ length: 20_000 }, (_, i) => decision(i + 2)),
    ]);
    machine.write('long', lines);
    expect(await machine.ship()).toMatchObject({ entries: 20_002 });
    expect(await verifiedOf('long')).toMatchObject({ ok: true, entries: 20_002 });
    machine.remove('long');
  });

  it('a tape that was written anew, or lost lines that the hub has, is a fork: both branches stay', async () => {
    machine.write('fork', sampleLines('fork', 6, false));
    await machine.ship();
    machine.write('fork', linesOf('fork', [decision(77)]));
    expect(await machine.ship()).toMatchObject({ entries: 2 });
    expect(await verifiedOf('fork')).toMatchObject({ ok: true, entries: 2 });
    truncateSync(machine.file('fork'), rawOf(linesOf('fork', [decision(77)], false)).length);
    expect(await machine.ship(false)).toMatchObject({ entries: 1 });
    const found = await check();
    expect(found.ok).toBe(true);
    expect(found.attention.filter((line) => line.includes('fork'))).toHaveLength(3);
  });

  it('a broken tape is put aside with the entry that breaks it; what stands before is sent, and other tapes go on', async () => {
    const lines = sampleLines('bad', 8);
    lines[5] = Buffer.from(lines[5]!.toString().replace('"ls"', '"rm"'));
    machine.write('bad', lines);
    machine.write('good', sampleLines('good', 2));
    const shipped = await machine.ship();
    expect(shipped).toMatchObject({ entries: 4 + 3, problems: [{ file: machine.file('bad') }] });
    expect(shipped.problems[0]!.problem).toContain('entry 5 was changed');
    expect(await machine.ship(false)).toMatchObject({ entries: 0, problems: [] });
    expect(unsentEntries(machine.enrolled, machine.host).problems).toHaveLength(1);
    expect((await check()).attention.join('\n')).toContain('bad');
    // Mended by hand: it goes on.
    machine.write('bad', sampleLines('bad', 9));
    expect(await machine.ship()).toMatchObject({ entries: 6, problems: [] });
    expect(await check()).toMatchObject({ ok: true });
  });

  it('the last bytes of a tape that a process is writing wait for the next write', async () => {
    const lines = sampleLines('living', 5, false);
    machine.write('living', lines.slice(0, 3));
    const lock = tryLock(machine.file('living'));
    if ('heldBy' in lock) throw new Error(lock.heldBy);
    try {
      expect(await machine.ship()).toMatchObject({ entries: 0 });
      machine.write('living', lines);
      expect(await machine.ship()).toMatchObject({ entries: 2 });
    } finally {
      lock.release();
    }
    expect(await machine.ship()).toMatchObject({ entries: 3 });
  });

  it('the signed head of a tape arrives with it', async () => {
    const lines = sampleLines('signed', 3);
    machine.write('signed', lines);
    const key = join(root, 'key');
    writeKeyPair(key);
    const head = { tape: 2, session: 'signed', entries: 4, head: hashLine(lines.at(-1)!) };
    await machine.ship();
    writeSignedHead(machine.file('signed'), head, readSigningKey(key));
    await machine.ship();
    expect(await machine.ship()).toMatchObject({ entries: 0 });
    const { store } = hub;
    expect(readFileSync(`${store}-wal`).includes('"algorithm":"ed25519"')).toBe(true);
  });

  it('a hub that was rolled back to an older record gets the rest again', async () => {
    await hub.close();
    copyFileSync(join(dir, 'hub.db'), join(root, 'old.db'));
    hub = await startHub(dir, Number(new URL(hub.url).port));
    machine.write('later', sampleLines('later', 12));
    machine.write('b', sampleLines('b', 9));
    await machine.ship();
    await hub.close();
    copyFileSync(join(root, 'old.db'), join(dir, 'hub.db'));
    hub = await startHub(dir, Number(new URL(hub.url).port));
    expect(await machine.ship()).toMatchObject({ tapes: 2, entries: 13 + 7, problems: [] });
    expect((await machine.verify()).every(({ ok }) => ok)).toBe(true);
    expect(await check()).toMatchObject({ ok: true });
  });

  it('while the hub is away tapes wait in their files, and the status says since when', async () => {
    const { port } = new URL(hub.url);
    await hub.close();
    machine.write('away', sampleLines('away', 7));
    const before = readFileSync(machine.file('away'));
    await expect(shipOnce({ enrolled: machine.enrolled, host: machine.host, pauses: [] })).rejects.toThrow(
      'did not take the request',
    );
    const first = machine.enrolled.read<AgentStatus>(STATUS)!.failingSince;
    await expect(shipOnce({ enrolled: machine.enrolled, host: machine.host, pauses: [] })).rejects.toThrow();
    expect(machine.enrolled.read<AgentStatus>(STATUS)).toMatchObject({
      failingSince: first,
      error: expect.any(String),
    });
    expect(unsentEntries(machine.enrolled, machine.host)).toMatchObject({ tapes: 1, entries: 8 });
    expect(isAcknowledged(machine.host, machine.file('away'))).toBe(false);
    expect(readFileSync(machine.file('away')).equals(before)).toBe(true);
    hub = await startHub(dir, Number(port));
    expect(await shipOnce({ enrolled: machine.enrolled, host: machine.host, pauses: [] })).toMatchObject({
      entries: 8,
      state: 'active',
    });
    expect(machine.enrolled.read<AgentStatus>(STATUS)).toMatchObject({ failingSince: null });
    expect(isAcknowledged(machine.host, machine.file('away'))).toBe(true);
  });

  it('the agent sends what is written while it runs, and only one runs on a machine', async () => {
    const over = new AbortController();
    const { enrolled, host } = machine;
    let sent = () => {};
    const seen = new Promise<void>((resolve) => {
      sent = resolve;
    });
    const ended = runAgent({ enrolled, host, signal: over.signal, onPass: () => sent() });
    await expect(shipOnce({ enrolled, host })).rejects.toThrow('runs already');
    machine.write('meanwhile', sampleLines('meanwhile', 2));
    await seen;
    over.abort();
    await ended;
    expect(await verifiedOf('meanwhile')).toMatchObject({ ok: true, entries: 3 });
  });

  it('an answer that is not one of a hub acknowledges nothing', async () => {
    const answers = ['<html>200</html>', '{"next":99,"branch":0,"head":"00","state":"open"}', ''];
    const stranger = createServer((request, response) => {
      request.resume().on('end', () => {
        const { pathname } = new URL(request.url!, 'http://x');
        if (pathname === '/v1/tapes') response.end('{"tapes":[],"page":1000}');
        else response.end(answers[0]);
      });
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const { enrolled, host, file } = machine;
    machine.write('strange', sampleLines('strange', 2));
    const astray = new Enrolled(enrolled.folder, { ...enrolled.enrolment, hub: `http://127.0.0.1:${port}` });
    for (; answers.length > 0; answers.shift())
      await expect(shipOnce({ enrolled: astray, host, pauses: [] })).rejects.toThrow('not one of a hub');
    stranger.close();
    expect(isAcknowledged(host, file.call(machine, 'strange'))).toBe(false);
    expect(await machine.ship()).toMatchObject({ entries: 3 });
  });

  it('a machine whose token was lost on the way asks with the same nonce, and is no copy of itself', async () => {
    const lost = new TestMachine(root, 'lost');
    await lost.join(hub.url, await joinToken(dir));
    const { enrolled } = lost;
    // The hub grants; the answer does not arrive.
    const cut = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', async () => {
        const headers = { 'content-type': 'application/json' };
        const answer = await send(request.url!, Buffer.concat(pieces), headers);
        if (request.url === '/v1/token') response.destroy();
        else response.end(answer.body);
      });
    });
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve));
    const { port } = cut.address() as AddressInfo;
    lost.enrolled = new Enrolled(enrolled.folder, { ...enrolled.enrolment, hub: `http://127.0.0.1:${port}` });
    await expect(lost.ship()).rejects.toThrow();
    await expect(lost.ship()).rejects.toThrow();
    cut.close();
    lost.enrolled = enrolled;
    const client = lost.client();
    await client.tapes();
    expect(client.state).toBe('active');
    expect(enrolled.grant().generation).toBe(3);
  });

  it('a changed file is told from what the hub has', async () => {
    const bytes = readFileSync(machine.file('a'));
    bytes[bytes.indexOf('"ls"') + 1] = 0x78;
    writeFileSync(machine.file('a'), bytes);
    expect(await verifiedOf('a')).toMatchObject({ ok: false, problem: expect.stringContaining('differs') });
    machine.write('a', sampleLines('a', 40));
  });

  it('a copy of the machine folder is found out: both are suspended, and tapes still arrive', async () => {
    const twin = new TestMachine(root, 'twin');
    await twin.join(hub.url, await joinToken(dir));
    await twin.ship();
    const grant = twin.enrolled.grant();
    const renew = async () => {
      twin.enrolled.saveGrant({ ...twin.enrolled.grant(), until: 0 });
      const client = twin.client();
      await client.tapes();
      return client.state;
    };
    expect(await renew()).toBe('active');
    twin.enrolled.saveGrant(grant);
    expect(await renew()).toBe('suspended');
    twin.write('marked', sampleLines('marked', 1));
    expect(await twin.ship()).toMatchObject({ entries: 2 });
  });
});

describe('a machine that the hub has doubts about', () => {
  const seenAs = async (name: string) => {
    const admin = await openAdmin({ dir });
    const machines = await admin.machines().finally(() => admin.close());
    return machines.find((each) => each.id === name)!;
  };

  it.each([
    ['ahead', 1],
    ['behind', -1],
  ])('a machine whose clock is a day off is served, and its offset is shown: %s', async (name, days) => {
    const away = new TestMachine(root, `clock-${name}`);
    away.host.now = () => Date.now() + days * 86_400_000;
    await away.join(hub.url, await joinToken(dir));
    away.write('clock', sampleLines('clock', 2));
    const { enrolled, host } = away;
    expect(await shipOnce({ enrolled, host, pauses: [] })).toMatchObject({ entries: 3, state: 'active' });
    const results = await away.verify();
    expect(results).toMatchObject([{ ok: true, entries: 3 }]);
    const doubts = warningsOf(await seenAs(enrolled.enrolment.machine), Date.now());
    expect(doubts).toEqual([expect.stringMatching(/^its clock is -?8(?:639|640)\d s off$/)]);
    expect(doubts[0]!.includes('-')).toBe(days < 0);
  });

  it('a revoked machine delivers, marked, and gets no policy', async () => {
    const gone = new TestMachine(root, 'revoked');
    await gone.join(hub.url, await joinToken(dir), 'a'.repeat(64));
    const id = gone.enrolled.enrolment.machine;
    const admin = await openAdmin({ dir });
    await admin.setState(id, 'revoked').finally(() => admin.close());
    gone.write('late', sampleLines('late', 2));
    expect(await gone.ship()).toMatchObject({ entries: 3, problems: [] });
    await expect(gone.pull()).rejects.toThrow('this machine is revoked');
    expect(warningsOf(await seenAs(id), Date.now())).toContain('it is revoked');
    expect(await check()).toMatchObject({ ok: true });
  });
});

describe('what the hub refuses', () => {
  const place = placeOf('/nowhere');
  const token = () => ({ authorization: `Bearer ${machine.enrolled.grant().token}` });

  it.each([
    ['no token', 401, {}, packed(sampleLines('x', 1))],
    ['a forged token', 401, { authorization: 'Bearer a.1.99999999999999.00' }, packed(sampleLines('x', 1))],
  ])('%s is answered with %i', async (_, status, headers, body) => {
    expect((await send(`/v1/tapes/${place}/x?from=0`, body, headers)).status).toBe(status);
  });

  it.each([
    ['a body that is not gzip', 400, Buffer.from('plain text'), 'x?from=0'],
    ['a place that is none', 400, packed([]), '../no-place/x?from=0'],
    ['a path that leads out of the tapes', 404, packed([]), '../../x?from=0'],
    ['a number that is none', 400, packed(sampleLines('x', 1)), 'x?from=-1'],
    ['a last line without its end', 400, gzipSync(Buffer.from('{}')), 'x?from=0'],
    ['a gzip bomb', 413, gzipSync(Buffer.alloc(80 * 1024 * 1024, 10)), 'x?from=0'],
    [
      'a line longer than a batch may be',
      413,
      gzipSync(Buffer.concat([Buffer.alloc(70 * 1024 * 1024, 120), Buffer.from('\n')])),
      'x?from=0',
    ],
    ['more lines than a batch may have', 413, gzipSync(Buffer.alloc(100_000, 10)), 'x?from=0'],
    ['lines that are no tape', 422, gzipSync(Buffer.from('{"a":1}\n')), 'x?from=0'],
    ['deep JSON', 422, gzipSync(Buffer.from(`${'['.repeat(1_000_000)}\n`)), 'x?from=0'],
    ['a tape of another session', 422, packed(sampleLines('y', 1)), 'x?from=0'],
    [
      'a batch that does not begin where the hub stands',
      409,
      packed(sampleLines('x', 3).slice(2)),
      'x?from=2',
    ],
  ])('%s is answered with %i, and the hub is unharmed', async (_, status, body, path) => {
    const response = await send(`/v1/tapes/${place}/${path}`, body, token());
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body.toString()).error).toBeTypeOf('string');
    expect((await send('/readyz', null)).status).toBe(200);
  });

  it('a machine that floods gets 429, and another machine is served', async () => {
    const { hostname, port } = new URL(hub.url);
    const slow = Array.from({ length: 2 }, () => {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /v1/tapes/${place}/slow?from=0 HTTP/1.1\r\nHost: hub\r\nAuthorization: ${token().authorization}\r\nContent-Length: 1000\r\n\r\n`,
      );
      return socket;
    });
    const body = packed(sampleLines('flood', 1));
    await expect
      .poll(async () => (await send(`/v1/tapes/${place}/flood?from=0`, body, token())).status)
      .toBe(429);
    const other = new TestMachine(root, 'calm');
    await other.join(hub.url, await joinToken(dir));
    other.write('calm', sampleLines('calm', 1));
    expect(await other.ship()).toMatchObject({ entries: 2 });
    for (const socket of slow) socket.destroy();
    await expect
      .poll(async () => (await send(`/v1/tapes/${place}/flood?from=0`, body, token())).status)
      .not.toBe(429);
  });

  it('administration needs the token of the folder', async () => {
    expect((await send('/v1/admin/machines', null, token())).status).toBe(401);
    expect((await send('/v1/admin/join-tokens', '{}', { 'content-type': 'application/json' })).status).toBe(
      401,
    );
  });

  it('a hub does not listen beyond loopback, and a folder has one hub', async () => {
    const { serveHub } = await import('../../src/hub/index.ts');
    await expect(serveHub({ place: { dir }, host: '0.0.0.0', port: 0 })).rejects.toThrow(
      'not a loopback address',
    );
    await expect(serveHub({ place: { dir }, host: '127.0.0.1', port: 0 })).rejects.toThrow('running hub');
  });
});
