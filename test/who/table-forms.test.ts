/**
 * Tables from elsewhere as companies have them: JSON, YAML or CSV, behind a token that is named by its variable and goes to nobody
 * else; and what one was given is not another's.
 */
import { chmodSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineHost } from '../../src/machine/host.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { directory, files, machine, ON_ALL, opened, said } from '../support/tables.ts';
import { tempProject } from '../support/temp-project.ts';
import { NOWHERE, saying, toolCall } from '../support/who.ts';

const text =
  (body: string): RequestListener =>
  (_, response) =>
    response.end(body);

const CSV = 'id,tier,calls\nbob,gold,7\n';
const TYPED =
  '{"type": "object", "additionalProperties": {"type": "object", "properties": {"calls": {"type": "integer"}}}}';
const SHOWS = saying('block(json.encode(data.people["bob"]))');

describe('a table from elsewhere', () => {
  it.each([
    ['/people.csv', '', CSV, { id: 'bob', tier: 'gold', calls: 7 }],
    ['/export?of=people', ', format: csv', CSV, { id: 'bob', tier: 'gold', calls: 7 }],
    ['/people.yaml?v=1', '', 'bob: {tier: gold, calls: 7}\n', { tier: 'gold', calls: 7 }],
    ['/people.yml', '', 'bob:\n  tier: gold\n', { tier: 'gold' }],
    ['/people.csv', ', format: json', '{"bob": {"tier": "gold"}}', { tier: 'gold' }],
  ])('%s%s is read in its form, also in a replay', async (path, more, body, row) => {
    const made = await directory();
    made.answer = text(body);
    const tree = {
      ...files(`url: "${made.url}${path}"${more}`, { script: SHOWS }),
      '.harness/data/people.schema.json': TYPED,
    };
    const host = machine();
    const place = join(tempProject(), 't.jsonl');
    const first = await opened(tree, { host });
    expect(first.problems).toEqual([]);
    const tape = openTape(place, {
      session: 's',
      hooks: first.hooks,
      policy: first.digest,
      host: machineHost,
    });
    const policy = await opened(tree, { host, recorder: tape.recorder });
    const { reason } = await policy.decide('tool.pre', toolCall());
    expect(JSON.parse(reason ?? 'null')).toEqual(row);
    await tape.close();
    made.answer = text('gone');
    expect(await replayTape(place, { hooks: policy.hooks })).toMatchObject({ differences: [] });
  });

  it.each([
    ['csv', 'id,tier\nbob,gold,more\n', 'want 2 values, got 3'],
    ['csv', ' <!doctype html><p>502', 'the answer is a page'],
    ['csv', 'id,calls\nbob,many\n', 'calls: want integer'],
    ['yaml', 'bob: &a [*a]', 'yaml'],
    ['yaml', 'bob: [1', 'yaml'],
  ])('in %s that is none opens nothing: %j', async (form, body, why) => {
    const made = await directory();
    made.answer = text(body);
    const schema = TYPED.replace('"additionalProperties"', '"required": ["bob"], "additionalProperties"');
    const policy = await opened({
      ...files(`url: "${made.url}/", format: ${form}`, { front: ON_ALL }),
      '.harness/data/people.schema.json': schema,
    });
    const answer = await said(policy);
    expect(answer).toMatch(/^block: .*the table people is not available/s);
    expect(answer).toContain(why);
  });

  it('that comes as a page is none, whatever stands in it', async () => {
    const made = await directory();
    made.answer = (_, response) =>
      response.setHeader('content-type', 'Text/HTML; charset=utf-8').end('{"bob": {"tier": "gold"}}');
    expect(await said(await opened(files(`url: "${made.url}/"`)))).toContain('the answer is a page');
  });

  it.each(['.', '..'])('kept by a value that is a step of a path is none: %s', async (tenant) => {
    const { url, asked } = await directory();
    const policy = await opened(files(`url: "${url}/of/{key}/people", key: tenant`));
    expect(await said(policy, { id: 'ann', tenant })).toContain(`which "${tenant}" cannot be`);
    expect(asked).toEqual([]);
  });

  it('that was fetched for one project is not for another that may not reach its host', async () => {
    const { url, asked } = await directory();
    const state = tempProject();
    const tree = files(`url: "${url}/"`);
    expect(await said(await opened(tree, { host: machine(state) }))).toBe('block: tier gold');
    const other = { ...tree, 'harness.md': tree['harness.md'].replace('[127.0.0.1]', '[example.com]') };
    expect(await said(await opened(other, { host: machine(state) }))).toContain('is an IP address');
    expect(asked).toHaveLength(1);
  });
});

describe('a table that another process was given', () => {
  const schema = TYPED.replace('"integer"', '"string"');
  const given = async () => {
    const made = await directory({ bob: { tier: 'gold', calls: 7 } });
    const state = tempProject();
    const tree = files(`url: "${made.url}/"`);
    expect(await said(await opened(tree, { host: machine(state) }))).toBe('block: tier gold');
    made.answer = (request) => request.socket.destroy();
    const here = async (more: Record<string, string> = {}) =>
      said(await opened({ ...tree, ...more }, { host: machine(state) }));
    return { here, folder: join(state, 'harness/tables') };
  };

  it('is held against the schema of this one', async () => {
    const { here } = await given();
    expect(await here()).toBe('block: tier gold');
    expect(await here({ '.harness/data/people.schema.json': schema })).toContain('not available');
  });

  it('is none if others may write where it is kept', async () => {
    const { here, folder } = await given();
    chmodSync(folder, 0o777);
    expect(await here()).toContain('not available');
  });
});

describe('a table behind a token', () => {
  const USER = 'network: {allowed_domains: [127.0.0.1]}\n';
  const user = (environment: string) =>
    tempProject({ 'harness.md': `---\n${USER}environment: ${environment}\n---\n` });
  const listed = () => ({ managed: null, user: user('{name: [DIRECTORY_*]}') });
  const table = (url: string, variable = 'DIRECTORY_TOKEN') =>
    files(`url: "${url}/", token_env: ${variable}`);

  it('is asked for with it, and trust in the folder is asked for it', async () => {
    const { url, tokens } = await directory();
    const host = machine(tempProject(), { DIRECTORY_TOKEN: 'd-1\n' });
    const policy = await opened(table(url), { host, places: listed() });
    expect(await said(policy)).toBe('block: tier gold');
    expect(tokens).toEqual(['Bearer d-1']);
    expect(
      policy.trust.flatMap(({ capabilities }) => capabilities.map(({ kind, what }) => `${kind} ${what}`)),
    ).toContain('variable DIRECTORY_TOKEN');
  });

  it.each([
    ['is not listed by the user', 'OTHER_TOKEN', listed],
    ['is listed by nobody', 'DIRECTORY_TOKEN', () => NOWHERE],
    ['is the key of a model', 'OPENAI_API_KEY', () => ({ managed: null, user: user('{name: ["*"]}') })],
    ['is no name', '"A B"', listed],
  ])('whose variable %s is never asked for', async (_, variable, places) => {
    const { url, asked } = await directory();
    const variables = { OTHER_TOKEN: 'o', DIRECTORY_TOKEN: 'd', OPENAI_API_KEY: 'k' };
    const front = `${ON_ALL}\non_error: allow`;
    const tree = files(`url: "${url}/", token_env: ${variable}`, { front });
    const policy = await opened(tree, { host: machine(tempProject(), variables), places: places() });
    expect(policy.problems.map(({ message }) => message).join()).toContain('token_env');
    expect(await said(policy)).toMatch(/^block/);
    expect(asked).toEqual([]);
  });

  it('that is not set is not available, and says which variable', async () => {
    const { url, asked } = await directory();
    for (const variables of [{}, { DIRECTORY_TOKEN: ' ' }] as Record<string, string>[]) {
      const policy = await opened(table(url), { host: machine(tempProject(), variables), places: listed() });
      expect(await said(policy)).toContain('the variable DIRECTORY_TOKEN, which holds its token, is not set');
    }
    expect(asked).toEqual([]);
  });

  it('of the user’s own layer may name any', async () => {
    const { url, tokens } = await directory();
    const own = tempProject({
      'harness.md': `---\n${USER}data: {tables: {people: {url: "${url}/", token_env: MINE}}}\n---\n`,
    });
    const tree = {
      'harness.md': `---\n${USER}---\n`,
      '.harness/hooks/h.md': files('')['.harness/hooks/h.md'],
    };
    const host = machine(tempProject(), { MINE: 'm' });
    expect(await said(await opened(tree, { host, places: { managed: null, user: own } }))).toBe(
      'block: tier gold',
    );
    expect(tokens).toEqual(['Bearer m']);
  });

  it('that one token was given is not for another, in this process or the next', async () => {
    const { url, tokens } = await directory();
    const state = tempProject();
    const variables: Record<string, string> = { DIRECTORY_TOKEN: 'one' };
    const host = machine(state, variables);
    const policy = await opened(table(url), { host, places: listed() });
    await said(policy);
    variables.DIRECTORY_TOKEN = 'two';
    await said(policy);
    await said(
      await opened(table(url), { host: machine(state, { DIRECTORY_TOKEN: 'three' }), places: listed() }),
    );
    await said(await opened(files(`url: "${url}/"`), { host: machine(state), places: listed() }));
    await said(policy);
    expect(tokens).toEqual(['Bearer one', 'Bearer two', 'Bearer three', undefined]);
  });

  it('does not go with it to the host that a redirect names', async () => {
    const made = await directory();
    const other = await directory();
    made.answer = (_, response) => response.writeHead(302, { location: `${other.url}/people` }).end();
    const host = machine(tempProject(), { DIRECTORY_TOKEN: 'd' });
    expect(await said(await opened(table(made.url), { host, places: listed() }))).toBe('block: tier gold');
    expect([made.tokens, other.tokens]).toEqual([['Bearer d'], [undefined]]);
  });
});
