/**
 * examples/10-who-did-it, as a company would use it: identity, rules by person, chains of agents three deep and side by side,
 * narrowed scopes, limits across agents and processes, the whole audit, failures, tenants.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { delegationOptions, loadAgent, offeredTools } from '../../src/agent/config/index.ts';
import { parseScript } from '../../src/agent/providers/scripted-file.ts';
import type { Actor } from '../../src/engine/who.ts';
import { recordSession, type SessionOptions } from '../../src/exports/agent.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy, type PolicyOptions } from '../../src/policy/open-policy.ts';
import { FileRunStore } from '../../src/policy/stores/file-run-store.ts';
import { openPolicies } from '../../src/policy/tenants.ts';
import { type AuditRow, auditTape } from '../../src/tape/audit.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { call, play } from '../support/agent.ts';
import { tempProject } from '../support/temp-project.ts';
import { NOWHERE } from '../support/who.ts';

const EXAMPLE = new URL('../../examples/10-who-did-it', import.meta.url).pathname;

const BOB: Actor = { id: 'bob', tenant: 'acme', scopes: ['tickets', 'money'] };
const ANN: Actor = { id: 'ann', tenant: 'acme', scopes: ['tickets', 'deploy'] };
const CLEO: Actor = { id: 'cleo', tenant: 'globex', scopes: ['tickets', 'money'] };

function copy(): string {
  const dir = tempProject();
  cpSync(EXAMPLE, dir, { recursive: true });
  return dir;
}

const open = (options: PolicyOptions = {}) => openPolicy(copy(), { places: NOWHERE, ...options });

/** Plays completions for somebody and gives the audit of it. */
async function audited(
  actor: Actor | null,
  completions: Parameters<typeof play>[0]['completions'],
  options: PolicyOptions = {},
  more: Partial<SessionOptions> = {},
): Promise<{ rows: AuditRow[]; path: string; hooks: Parameters<typeof replayTape>[1] }> {
  const policy = await open(options);
  const agent = await loadAgent(policy);
  const sessionId = machineHost.uuid();
  const path = join(tempProject(), 'tape.jsonl');
  const tape = openTape(path, {
    session: sessionId,
    hooks: policy.hooks,
    policy: policy.digest,
    host: machineHost,
  });
  await play({
    policy,
    actor,
    tools: offeredTools(agent).offered,
    ...delegationOptions(agent),
    config: { sessionId },
    recorder: tape.recorder,
    onEvent: recordSession(tape),
    completions,
    ...more,
  });
  await tape.close();
  return { rows: [...auditTape(path)], path, hooks: { hooks: policy.hooks } };
}

const short = (rows: readonly AuditRow[]) =>
  rows.map(({ actor, agent, tool, verdict }) => [actor, agent, tool, verdict].join(' | '));
const one = (name: string, args: object) => ({ tool_calls: [call(name, args as never)] });
const DONE = { text: 'Done.' };

describe('examples/10-who-did-it', () => {
  it('plays its script for Bob, and the audit tells it', async () => {
    const parsed = parseScript(readFileSync(join(EXAMPLE, 'script.yaml'), 'utf8'), 'script.yaml');
    if (!parsed.ok) throw new Error('the script does not parse');
    const { rows, path, hooks } = await audited(BOB, parsed.script.completions as never);
    expect(short(rows)).toEqual([
      'bob |  | read_ticket | ran',
      'bob |  | refund | ran',
      'bob |  | refund | blocked',
      'bob |  | deploy | blocked',
      'bob | releaser | deploy | blocked',
      'bob |  | delegate | ran',
    ]);
    expect(rows[2]?.reason).toContain('50 of 150 are left today');
    expect(rows[0]).toMatchObject({
      tenant: 'acme',
      facts: { role: 'support', for_tenant: 'acme', tier: 'interactive', chain: [] },
    });
    expect(await replayTape(path, hooks)).toMatchObject({ differences: [] });
    expect(await replayTape(path)).toMatchObject({ differences: [] });
  });

  it.each<[string, Actor | null, string, object, string | null]>([
    ['an engineer reads', ANN, 'read_ticket', { number: 7 }, null],
    ['an engineer does not refund', ANN, 'refund', { number: 7, amount: 1 }, 'ann may not use refund'],
    ['support refunds', BOB, 'refund', { number: 7, amount: 1 }, null],
    ['nobody does anything', null, 'read_ticket', { number: 7 }, 'nobody is behind this call'],
    [
      'a stranger does nothing',
      { id: 'eve', tenant: 'acme' },
      'read_ticket',
      { number: 7 },
      'eve is not known here',
    ],
    [
      'a person of another tenant is a stranger',
      { ...BOB, tenant: 'globex' },
      'read_ticket',
      { number: 7 },
      'bob is not known here',
    ],
    [
      'a person without the scope does not',
      { ...BOB, scopes: ['tickets'] },
      'refund',
      { number: 7, amount: 1 },
      'needs money',
    ],
    ['a tool that no table knows is nobody’s', BOB, 'shell', {}, 'bob may not use shell'],
    ['a job in the background reads', { ...ANN, tier: 'background' }, 'read_ticket', { number: 7 }, null],
    [
      'what no limit is stated for is not done',
      { ...ANN, tier: 'other' },
      'read_ticket',
      { number: 7 },
      'ann may make 0 calls a minute',
    ],
    [
      'deployment is not for the first agent',
      ANN,
      'deploy',
      { version: '1' },
      'is the work of the agent releaser',
    ],
  ])('%s', async (_, actor, name, args, why) => {
    const policy = await open();
    const agent = await loadAgent(policy);
    const scopes = agent.tools.find((tool) => tool.name === name)?.scopes;
    const payload = { id: '1', name, args, kind: 'model', ...(scopes !== undefined && { scopes }) };
    const { action, reason } = await policy.decide('tool.pre', payload as never, { actor });
    expect(action).toBe(why === null ? 'allow' : 'block');
    if (why !== null) expect(reason).toContain(why);
  });

  it('an engineer deploys by way of the releaser, whose scopes end where the person’s do', async () => {
    const by = (actor: Actor) =>
      audited(actor, [
        one('delegate', { agent: 'releaser', prompt: 'x' }),
        one('deploy', { version: '1' }),
        { text: 'r' },
        DONE,
      ]);
    expect(short((await by(ANN)).rows)[0]).toBe('ann | releaser | deploy | ran');
    expect(short((await by({ ...ANN, scopes: ['tickets'] })).rows)[0]).toBe(
      'ann | releaser | deploy | refused',
    );
  });

  it('knows the whole chain three deep, and what was taken on the way', async () => {
    const { rows, path, hooks } = await audited(ANN, [
      one('delegate', { agent: 'clerk', prompt: '1' }),
      one('delegate', { agent: 'clerk', prompt: '2' }),
      one('delegate', { agent: 'clerk', prompt: '3' }),
      { tool_calls: [call('read_ticket', { number: 1 }), call('deploy', { version: '1' })] },
      { text: '3' },
      { text: '2' },
      { text: '1' },
      DONE,
    ]);
    expect(short(rows).slice(0, 2).sort()).toEqual([
      'ann | clerk > clerk > clerk | deploy | hidden',
      'ann | clerk > clerk > clerk | read_ticket | ran',
    ]);
    expect(await replayTape(path, hooks)).toMatchObject({ differences: [] });
    expect(await replayTape(path)).toMatchObject({ differences: [] });
  });

  it('one limit holds for agents side by side', async () => {
    const reads = { tool_calls: Array.from({ length: 3 }, () => call('read_ticket', { number: 1 })) };
    const { rows } = await audited(BOB, [
      { tool_calls: [1, 2, 3].map((n) => call('delegate', { agent: 'clerk', prompt: String(n) })) },
      reads,
      reads,
      reads,
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
      DONE,
    ]);
    const verdicts = rows.filter(({ tool }) => tool === 'read_ticket').map(({ verdict }) => verdict);
    expect(verdicts).toHaveLength(9);
    expect(verdicts.filter((verdict) => verdict === 'ran')).toHaveLength(4);
  });

  it('limits and budgets hold across processes that share the store', async () => {
    const place = join(tempProject(), 'store');
    const dir = copy();
    const policies = await Promise.all(
      [0, 1].map(() => openPolicy(dir, { places: NOWHERE, store: new FileRunStore(place) })),
    );
    const refund = {
      id: '1',
      name: 'refund',
      args: { number: 1, amount: 60 },
      kind: 'model',
      scopes: ['money'],
    };
    const said = [];
    for (const at of [0, 1, 0, 1])
      said.push((await policies[at]!.decide('tool.pre', refund as never, { actor: BOB })).action);
    expect(said).toEqual(['allow', 'allow', 'block', 'block']);
  });

  it('a directory that is down, slow or wrong opens nothing, and works again when it is back', async () => {
    const directory: { answer: () => unknown } = { answer: () => BOB };
    const policy = await open({ identify: async () => directory.answer() as never, identifyMs: 50 });
    const payload = { id: '1', name: 'read_ticket', args: { number: 7 }, kind: 'model' } as never;
    const ask = async () => (await policy.decide('tool.pre', payload, { claim: 'token' })).action;
    expect(await ask()).toBe('allow');
    for (const answer of [
      () => Promise.reject(new Error('down')),
      () => new Promise(() => {}),
      () => ({ user: 'bob' }),
      () => '<html>502</html>',
      () => ({ ...BOB, scopes: [{ admin: true }] }),
    ]) {
      directory.answer = answer;
      expect(await ask()).toBe('block');
    }
    directory.answer = () => BOB;
    expect(await ask()).toBe('allow');
  });

  it('people may come from a directory and the rule stays: down or wrong means what the tenant says, and it works again when it is back', async () => {
    const dir = copy();
    const people = parse(readFileSync(join(dir, '.harness/data/people.yaml'), 'utf8'));
    const right: RequestListener = (_, response) => response.end(JSON.stringify(people));
    let answer = right;
    const server = createServer((request, response) => answer(request, response));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    rmSync(join(dir, '.harness/data/people.yaml'));
    const harness = join(dir, 'harness.md');
    const tables = `network: {allowed_domains: [127.0.0.1]}\ndata: {tables: {people: {url: "http://127.0.0.1:${port}/", ttl: 10s}}}\n`;
    writeFileSync(harness, readFileSync(harness, 'utf8').replace('---\n', `---\n${tables}`));
    const state = tempProject();
    let time = 1_000_000;
    const now = () => time;
    const env = (name: string) => (name === 'XDG_STATE_HOME' ? state : undefined);
    const host = { ...machineHost, now, elapsed: now, env };
    const policy = await openPolicy(dir, { places: NOWHERE, trust: 'all', host });
    const payload = { id: '1', name: 'read_ticket', args: { number: 7 }, kind: 'model' } as never;
    const said = async () => {
      time += 61_000;
      const of = (actor: Actor) => policy.decide('tool.pre', payload, { actor });
      return [(await of(BOB)).action, (await of(CLEO)).action, (await of({ ...BOB, id: 'eve' })).action];
    };
    expect(await said()).toEqual(['allow', 'allow', 'block']);
    for (const wrong of [
      (request) => request.socket.destroy(),
      (_, response) => response.writeHead(503).end(),
      (_, response) => response.end('<html>502</html>'),
      (_, response) => response.end('{"bob": {"tenant": "acme", "role": "root"}}'),
    ] satisfies RequestListener[]) {
      answer = wrong;
      // Globex lets work go on when it cannot be told, Acme does not; Eve says she is of Acme.
      expect(await said()).toEqual(['block', 'allow', 'block']);
    }
    answer = right;
    expect(await said()).toEqual(['allow', 'allow', 'block']);
  });

  it('what it means that the rule fails is the tenant’s to say', async () => {
    const policy = await open();
    const payload = { id: '1', name: 'refund', args: {}, kind: 'model', scopes: ['money'] } as never;
    expect(await policy.decide('tool.pre', payload, { actor: BOB })).toMatchObject({ action: 'block' });
    expect(await policy.decide('tool.pre', payload, { actor: CLEO })).toMatchObject({ action: 'allow' });
  });

  it('tenants in one process use up nothing of each other', async () => {
    const places = { acme: copy(), globex: copy() };
    const policies = openPolicies({ dirOf: (tenant) => places[tenant as 'acme'], places: NOWHERE });
    const refund = {
      id: '1',
      name: 'refund',
      args: { number: 1, amount: 150 },
      kind: 'model',
      scopes: ['money'],
    };
    const spend = async (actor: Actor) =>
      (await (await policies.for(actor.tenant!)).decide('tool.pre', refund as never, { actor })).action;
    expect([await spend(BOB), await spend(BOB), await spend(CLEO), await spend(CLEO)]).toEqual([
      'allow',
      'block',
      'allow',
      'block',
    ]);
  });
});
