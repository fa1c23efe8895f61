/**
 * Tables from elsewhere, over a real server: fetched for the hooks that name them, kept for their time, on the tape by digest;
 * and what it means that the server is down, slow, wrong, or back again.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy, type PolicyOptions } from '../../src/policy/open-policy.ts';
import { Backtest } from '../../src/tape/backtest/backtest-tape.ts';
import { MemoryTapeStore } from '../../src/tape/memory-store.ts';
import { type OpenTapeOptions, openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { directory, files, json, machine, ON_ALL, opened, said } from '../support/tables.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { NOWHERE, saying, toolCall } from '../support/who.ts';

describe('a table from elsewhere', () => {
  it('is fetched for the hook that names it, and kept for its time', async () => {
    const { url, asked } = await directory();
    const host = machine();
    const policy = await opened(files(`url: "${url}/people", ttl: 30s`), { host });
    expect(policy.problems).toEqual([]);
    expect(asked).toEqual([]);
    expect(await said(policy)).toBe('block: tier gold');
    expect(await said(policy)).toBe('block: tier gold');
    host.time += 29_000;
    await said(policy);
    expect(asked).toHaveLength(1);
    host.time += 2000;
    await said(policy);
    expect(asked).toEqual(['/people', '/people']);
  });

  it('is not fetched for hooks that do not name it, nor where their condition says no', async () => {
    const { url, asked } = await directory();
    const front = `${ON_ALL}\nwhen: payload["name"] == "other"`;
    const policy = await opened({
      ...files(`url: "${url}/"`, { front }),
      '.harness/data/rooms.json': '{"a": 1}',
      '.harness/hooks/rooms.md': hookFile(saying('allow() if data.rooms["a"] == 1 else block("?")')),
    });
    expect(await said(policy)).toBe('allow: null');
    expect(asked).toEqual([]);
  });

  it('is there in conditions, and for a script that hands `data` on', async () => {
    const { url } = await directory();
    const front = `${ON_ALL}\nwhen: 'data.people["bob"]["tier"] == "gold"'`;
    expect(await said(await opened(files(`url: "${url}/"`, { front, script: saying('block("c")') })))).toBe(
      'block: c',
    );
    const script =
      'def f(d):\n    return d.people["bob"]["tier"]\ndef handle(event, payload):\n    return block(f(data))';
    expect(await said(await opened(files(`url: "${url}/"`, { script })))).toBe('block: gold');
  });

  it('that a script reaches under a name nobody could see is an error of the hook that says so', async () => {
    const { url } = await directory();
    const script = saying('block(getattr(data.rooms, "x", "") + str(getattr(data.rooms, "people", "none")))');
    const tree = { ...files(`url: "${url}/"`, { script }), '.harness/data/rooms.json': '{"a": 1}' };
    expect(await said(await opened(tree))).toContain('block');
    // `data` before a bare name: then any of them may be meant.
    const handed = saying('block(str(getattr(data, "people")["bob"]["tier"]))');
    expect(await said(await opened(files(`url: "${url}/"`, { script: handed })))).toBe('block: gold');
  });

  it('is shared by the processes of a user, each of which asks again only when it is old', async () => {
    const { url, asked } = await directory();
    const state = tempProject();
    const tree = files(`url: "${url}/"`);
    expect(await said(await opened(tree, { host: machine(state) }))).toBe('block: tier gold');
    expect(await said(await opened(tree, { host: machine(state) }))).toBe('block: tier gold');
    expect(asked).toHaveLength(1);
    const [name] = readdirSync(join(state, 'harness/tables'));
    const file = join(state, 'harness/tables', name!);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // What somebody changed in it is none of the server's words.
    writeFileSync(file, readFileSync(file, 'utf8').replace('gold', 'free'));
    expect(await said(await opened(tree, { host: machine(state) }))).toBe('block: tier gold');
    expect(asked).toHaveLength(2);
  });

  it('calls at once wait for one answer', async () => {
    const { url, asked } = await directory();
    const policy = await opened(files(`url: "${url}/"`));
    expect(new Set(await Promise.all([1, 2, 3, 4].map(() => said(policy))))).toEqual(
      new Set(['block: tier gold']),
    );
    expect(asked).toHaveLength(1);
  });

  it('by key is one for each value of the actor, and nobody without one has it', async () => {
    const { url, asked } = await directory();
    const policy = await opened(files(`url: "${url}/{key}.json?t={key}", key: tenant`));
    expect(await said(policy, { id: 'ann', tenant: 'ac/me?' })).toBe('block: tier gold');
    expect(await said(policy, { id: 'ann', tenant: 'globex' })).toBe('block: tier gold');
    expect(await said(policy, { id: 'bob', tenant: 'globex' })).toBe('block: tier gold');
    expect(asked).toEqual(['/ac%2Fme%3F.json?t=ac%2Fme%3F', '/globex.json?t=globex']);
    expect(await said(policy, { id: 'bob' })).toContain(
      'it is looked up by tenant, which the actor does not have',
    );
    expect(await said(policy)).toContain('it is looked up by tenant');
  });
});

const NOT_IT: readonly [string, RequestListener, string][] = [
  ['is down', (request) => request.socket.destroy(), 'socket hang up'],
  ['answers an error', (_, response) => response.writeHead(503).end('{}'), 'status 503'],
  [
    'has none',
    (_, response) => response.writeHead(404).end('{"bob": {"tier": "gold"}}'),
    'the answer has status 404',
  ],
  ['answers a page', (_, response) => response.end('<html>502</html>'), 'the answer is a page'],
  ['answers half of it', (_, response) => response.end('{"bob": {"tier": '), 'not usable JSON'],
  [
    'answers a key twice',
    (_, response) => response.end('{"bob": {}, "bob": {"tier": "gold"}}'),
    'not usable JSON',
  ],
  ['answers another shape', json({ bob: { tier: 7 } }), 'people.bob.tier'],
  [
    'answers 50 MB',
    (_, response) => response.end(Buffer.alloc(50 * 1024 * 1024, 32)),
    'larger than 1048576 bytes',
  ],
  [
    'sends elsewhere',
    (_, response) => response.writeHead(302, { location: 'http://localhost:1/people' }).end(),
    'not in network.allowed_domains',
  ],
  [
    'sends in circles',
    (_, response) => response.writeHead(302, { location: '/again' }).end(),
    'more than 5 redirects',
  ],
];

const SCHEMA = {
  '.harness/data/people.schema.json':
    '{"type": "object", "additionalProperties": {"type": "object", "properties": {"tier": {"type": "string"}}, "required": ["tier"]}}',
};

describe('a directory that', () => {
  it.each(NOT_IT)('%s opens nothing, and works again when it is back', async (_, answer, why) => {
    const made = await directory();
    const right = made.answer;
    const host = machine();
    const policy = await opened({ ...files(`url: "${made.url}/", ttl: 10s`), ...SCHEMA }, { host });
    expect(await said(policy)).toBe('block: tier gold');
    made.answer = answer;
    host.time += 10_000;
    const refused = await said(policy);
    expect(refused).toMatch(/^block: .*the table people is not available/s);
    expect(refused).toContain(why);
    made.answer = right;
    host.time += 1000;
    expect(await said(policy)).toBe('block: tier gold');
  });

  it('does not answer is waited for a bounded time, and by the calls after that not at all', async () => {
    const made = await directory();
    made.answer = () => {};
    const policy = await opened(files(`url: "${made.url}/"`, { front: `${ON_ALL}\ntimeout_ms: 100` }), {
      host: { ...machine(), elapsed: machineHost.elapsed },
    });
    for (let at = 0; at < 3; at++) expect(await said(policy)).toContain('no complete answer within 50 ms');
    expect(made.asked).toHaveLength(1);
  });

  const down = async (
    table: string,
    parts: NonNullable<Parameters<typeof files>[1]> = {},
    options: PolicyOptions = {},
  ) => {
    const made = await directory();
    made.answer = (request) => request.socket.destroy();
    return opened(files(`url: "${made.url}/"${table}`, parts), options);
  };
  const OPEN = `${ON_ALL}\non_error: allow`;

  it.each([
    ['block', '', 'block'],
    ['allow', '', 'allow'],
    ['stale 10m', '', 'block'],
    ['', '', 'allow'],
    ['', 'strict: true\n', 'block'],
    ['allow', 'strict: true\n', 'allow'],
  ])(
    'is down means `%s` (%j), whatever the hook says of its own failures: %s',
    async (word, more, action) => {
      const policy = await down(word === '' ? '' : `, unavailable: ${word}`, { more, front: OPEN });
      expect(await said(policy)).toMatch(new RegExp(`^${action}`));
    },
  );

  it('a guard that may be off is marked, and one below a strict layer is not', async () => {
    const policy = await down(', unavailable: allow');
    expect(policy.problems.map(({ code }) => code)).toContain('GUARD_MAY_BE_OFF');
    expect(await said(policy)).toBe('allow: null');
    const user = tempProject({
      'harness.md': '---\nstrict: true\nnetwork: {allowed_domains: [127.0.0.1]}\n---\n',
    });
    const below = await down(', unavailable: allow', {}, { places: { managed: null, user } });
    expect(below.problems.map(({ code }) => code)).toContain('GUARD_LOOSENED');
    expect(await said(below)).toContain('block');
  });

  it('is down leaves it to an expression over other tables, where the table itself says nothing', async () => {
    const made = await directory();
    made.answer = (request) => request.socket.destroy();
    const front = `${ON_ALL}\non_error: data.tenants[actor["tenant"]]`;
    const policy = await opened({
      ...files(`url: "${made.url}/"`, { front }),
      '.harness/data/tenants.json': '{"acme": "block", "globex": "allow"}',
    });
    const of = async (tenant: string) => (await said(policy, { id: 'a', tenant })).slice(0, 5);
    expect([await of('acme'), await of('globex'), await of('other')]).toEqual(['block', 'allow', 'block']);
  });

  it('is down may mean something else for each key', async () => {
    const policy = await down(', key: tenant, unavailable: {globex: allow, "*": block}');
    const of = async (tenant: string) => (await said(policy, { id: 'a', tenant })).slice(0, 5);
    expect([await of('acme'), await of('globex'), await of('*')]).toEqual(['block', 'allow', 'block']);
    expect(await said(policy)).toContain('block');
  });

  it.each([
    ['allow', 'block'],
    ['block', 'allow'],
  ])('is down for two tables, of which one says %s and one %s, means the stricter', async (one, other) => {
    const more = `    rooms: {url: "http://127.0.0.1:1/", unavailable: ${other}}\n`;
    const script = saying('block(data.people["bob"]["tier"] + data.rooms["x"])');
    expect(await said(await down(`, unavailable: ${one}`, { more, script }))).toMatch(/^block/);
  });

  it('a condition that reads it does not keep the guard away', async () => {
    const policy = await down('', { front: `${ON_ALL}\nwhen: 'data.people["bob"]["tier"] == "free"'` });
    expect(await said(policy)).toContain('block: ');
  });

  it('is down leaves the last answer for as long as `stale` says, and that is said', async () => {
    const made = await directory();
    const host = machine();
    const state = tempProject();
    const tree = files(`url: "${made.url}/", ttl: 10s, unavailable: stale 1m`);
    const policy = await opened(tree, { host });
    await said(policy);
    made.answer = (request) => request.socket.destroy();
    host.time += 69_000;
    const outcome = await policy.decide('tool.pre', toolCall());
    expect(outcome.reason).toBe('tier gold');
    expect(outcome.effects).toContainEqual(
      expect.objectContaining({ kind: 'log', message: expect.stringContaining('is an older one') }),
    );
    host.time += 2000;
    expect(await said(policy)).toContain('not available');
    // Another process, whose clock was set back: an answer from the future is none.
    made.answer = json({ bob: { tier: 'gold' } });
    const later = machine(state);
    later.time = 9_000_000;
    expect(await said(await opened(tree, { host: later }))).toBe('block: tier gold');
    made.answer = (request) => request.socket.destroy();
    expect(await said(await opened(tree, { host: machine(state) }))).toContain('not available');
  });
});

describe('a table that is stated wrongly', () => {
  it.each([
    ['url: "http://example.com/"', 'wanted https'],
    ['url: "file:///etc/passwd"', 'https address'],
    ['url: "https://{key}.example.com/", key: tenant', 'not in the host'],
    ['url: "https://example.com/{key}"', '{key} wants a key'],
    ['url: "https://example.com/", ttl: soon', 'want a time'],
    ['url: "https://example.com/", unavailable: maybe', 'want block, allow or a time'],
    ['url: "https://example.com/", unavailable: stale-10m', 'want block, allow or a time'],
    ['url: "https://example.com/", unavailable: {acme: allow}', 'want a key'],
    ['ttl: 1m', 'url'],
    ['url: "https://example.com/", key: shoe_size', 'key'],
  ])('%s blocks the hooks that read it, whatever they say of failures', async (table, why) => {
    const policy = await opened(files(table, { front: `${ON_ALL}\non_error: allow` }));
    expect(policy.problems.map(({ message }) => message).join('\n')).toContain(why);
    expect(await said(policy)).toContain('block');
  });

  it('outside of the domains that scripts may reach is never fetched; trust in the folder is asked for those', async () => {
    const { url, asked } = await directory();
    const tree = files(`url: "${url}/"`);
    const none = { ...tree, 'harness.md': tree['harness.md'].replace('[127.0.0.1]', '[example.com]') };
    expect(await said(await opened(none))).toContain('is an IP address');
    expect(await said(await opened(tree, { trust: { untrusted: ['project'] } }))).toContain('block');
    expect(asked).toEqual([]);
  });

  it('beside a data file of that name is neither, and one of a lower layer is not read', async () => {
    const { url, asked } = await directory();
    const both = await opened({
      ...files(`url: "${url}/"`),
      '.harness/data/people.json': '{"bob": {"tier": "free"}}',
    });
    expect(await said(both)).toContain('as well');
    const user = tempProject({
      'data/people.json': '{"bob": {"tier": "of the user"}}',
      'harness.md': '---\nstrict: true\n---\n',
    });
    const below = await opened(files(`url: "${url}/"`), { places: { managed: null, user } });
    expect(below.problems.map(({ message }) => message).join()).toContain('a higher layer has one');
    expect(await said(below)).toBe('block: tier of the user');
    expect(asked).toEqual([]);
  });
});

describe('tables of several layers', () => {
  const layer = (url: string) =>
    `---\nnetwork: {allowed_domains: [127.0.0.1]}\ndata:\n  tables:\n    people: {url: "${url}"}\n---\n`;

  it('one of a higher layer is not replaced by one below it', async () => {
    const { url, asked } = await directory();
    const user = tempProject({ 'harness.md': layer(`${url}/of-user`) });
    const policy = await opened(files(`url: "${url}/of-project"`), { places: { managed: null, user } });
    expect(await said(policy)).toBe('block: tier gold');
    expect(asked).toEqual(['/of-user']);
  });

  it('one of a lower layer is not there for hooks above it', async () => {
    const { url, asked } = await directory();
    const user = tempProject({ 'hooks/h.md': files('')['.harness/hooks/h.md'] });
    const policy = await opened(
      { 'harness.md': layer(`${url}/of-project`) },
      { places: { managed: null, user } },
    );
    expect(await said(policy)).toMatch(/^block: (?!tier)/);
    expect(asked).toEqual([]);
  });
});

describe('on the tape', () => {
  async function recorded(target: string | MemoryTapeStore, more: Partial<OpenTapeOptions> = {}) {
    const made = await directory({ bob: { tier: 'gold' }, filler: 'x'.repeat(5000) });
    const host = machine();
    const dir = tempProject(files(`url: "${made.url}/", ttl: 10s, unavailable: stale 1m`));
    const tape = () => openPolicy(dir, { places: NOWHERE, trust: 'all', host });
    const first = await tape();
    const out = openTape(target, { session: 's', hooks: first.hooks, policy: first.digest, host, ...more });
    const policy = await openPolicy(dir, { places: NOWHERE, trust: 'all', host, recorder: out.recorder });
    await said(policy);
    await said(policy);
    made.answer = (request) => request.socket.destroy();
    host.time += 20_000;
    await said(policy);
    host.time += 100_000;
    expect(await said(policy)).toContain('not available');
    await out.close();
    return { policy, asked: made.asked };
  }

  it('stands its digest, its text once beside the tapes, and a replay is exact without the server', async () => {
    const path = join(tempProject(), 'runs', 't.jsonl');
    const { policy, asked } = await recorded(path);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('xxxxx');
    const contents = readdirSync(join(dirname(path), 'contents'));
    expect(contents).toHaveLength(1);
    expect(text.split(contents[0]!)).toHaveLength(4);
    const before = asked.length;
    expect(await replayTape(path, { hooks: policy.hooks })).toMatchObject({ decisions: 4, differences: [] });
    expect(await replayTape(path)).toMatchObject({ differences: [] });
    expect(await new Backtest(policy.hooks).run(path)).toMatchObject({
      same: 4,
      changed: [],
      notReplayable: [],
    });
    expect(asked).toHaveLength(before);
    // The text is held against its digest, and without it nothing is made up.
    const file = join(dirname(path), 'contents', contents[0]!);
    writeFileSync(file, readFileSync(file, 'utf8').replace('gold', 'free'));
    expect((await replayTape(path, { hooks: policy.hooks })).differences).toHaveLength(3);
    rmSync(file);
    expect((await replayTape(path, { hooks: policy.hooks })).differences).toHaveLength(3);
  });

  it('of a store that keeps no texts, the text stands on the tape itself', async () => {
    const store = new MemoryTapeStore();
    const { policy } = await recorded(store);
    const source = { store, session: 's' };
    expect(await replayTape(source, { hooks: policy.hooks })).toMatchObject({
      decisions: 4,
      differences: [],
    });
  });

  it('that holds digests only keeps no text anywhere', async () => {
    const path = join(tempProject(), 'runs', 't.jsonl');
    await recorded(path, { payloads: 'digest' });
    expect(readdirSync(dirname(path))).not.toContain('contents');
    expect(readFileSync(path, 'utf8')).not.toContain('xxxxx');
  });
});
