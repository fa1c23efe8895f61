/**
 * One process for many tenants: no policy, limit, count or record of one is visible to another.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../src/engine/stores/memory-run-store.ts';
import type { RunStore } from '../../src/engine/stores/run-store.ts';
import { loadAgentProject } from '../../src/exports/agent.ts';
import { FileRunStore } from '../../src/policy/stores/file-run-store.ts';
import { openPolicies } from '../../src/policy/tenants.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { NOWHERE, saying, toolCall } from '../support/who.ts';

const LIMIT = hookFile(
  saying(
    'allow() if rate.limit("calls", 2, per="1h") else block("%s over, %d" % (data.who, state.incr("n")))',
  ),
);

const store = new MemoryRunStore();

const tenantsAt = (names: readonly string[], user: Record<string, string> = {}) => {
  const dir = tempProject(
    Object.fromEntries(
      names.flatMap((name) => [
        [`${name}/.harness/hooks/limit.md`, LIMIT],
        [`${name}/.harness/data/who.json`, JSON.stringify(name)],
      ]),
    ),
  );
  const above = tempProject(user);
  return openPolicies({
    dirOf: (tenant) => join(dir, tenant),
    places: { managed: null, user: Object.keys(user).length === 0 ? null : above },
  });
};

describe('policies.for(tenant)', () => {
  it('keeps limits, counts, data and policies apart', async () => {
    const policies = tenantsAt(['acme', 'other']);
    const fire = async (tenant: string) => {
      const { action, reason } = await (await policies.for(tenant)).decide('tool.pre', toolCall());
      return reason ?? action;
    };
    const said: string[] = [];
    for (const tenant of ['acme', 'acme', 'acme', 'other', 'acme', 'other', 'other'])
      said.push(await fire(tenant));
    expect(said).toEqual([
      'allow',
      'allow',
      'acme over, 1',
      'allow',
      'acme over, 2',
      'allow',
      'other over, 1',
    ]);
    expect((await policies.for('acme')).digest.digest).not.toBe((await policies.for('other')).digest.digest);
    expect(await policies.for('acme')).toBe(await policies.for('acme'));
  });

  it('counts for each what a guard above all of them counts', async () => {
    const policies = tenantsAt(['acme', 'other'], {
      'hooks/most.md': hookFile(
        saying('allow() if rate.limit("k", 1, per="1h") and state.once("x") else block("over")'),
      ),
    });
    const fire = async (tenant: string) =>
      (await (await policies.for(tenant)).decide('tool.pre', toolCall())).action;
    expect([await fire('acme'), await fire('acme'), await fire('other')]).toEqual([
      'allow',
      'block',
      'allow',
    ]);
  });

  it('reads what stands above all of them once', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `t${at}`);
    const common = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`hooks/common${at}.md`, hookFile(saying('allow()'))]),
    );
    const policies = tenantsAt(names, common);
    const open = await Promise.all(names.map((name) => policies.for(name)));
    const shared = open.flatMap(({ hooks }) => hooks.filter(({ name }) => name.startsWith('common')));
    expect(new Set(shared).size).toBe(20);
    expect(open.every(({ authored }) => authored === 21)).toBe(true);
  });

  it.each(['', '..', '../acme', 'a/b', 'A', 'a..b', '.hidden', 'x'.repeat(65), 'a\n', 'a\0'])(
    'refuses what is no name: %j',
    async (name) => {
      await expect(tenantsAt(['acme']).for(name)).rejects.toThrow('is not allowed');
    },
  );

  it.each<[string, (dir: string) => () => RunStore]>([
    ['object', () => () => store],
    ['folder', (dir) => () => new FileRunStore(join(dir, 'state'))],
  ])('refuses to give two tenants one store: one %s', async (_, storeIn) => {
    const dir = tempProject({ 'a/.harness/hooks/x.md': LIMIT, 'b/.harness/hooks/x.md': LIMIT });
    const policies = openPolicies({
      dirOf: (tenant) => join(dir, tenant),
      storeOf: storeIn(dir),
      places: NOWHERE,
    });
    await policies.for('a');
    await expect(policies.for('b')).rejects.toThrow('given one store');
    policies.forget('a');
    await expect(policies.for('a')).resolves.toMatchObject({ empty: false });
  });

  it('the tools and agents of a tenant come with its policy', async () => {
    const tool = '---\nparameters: {}\nscript: |\n  def run(args):\n      return "x"\n---\n\nDoes it.\n';
    const dir = tempProject({ 'a/.harness/hooks/x.md': LIMIT, 'a/.harness/tools/do_it.md': tool });
    const policy = await openPolicies({ dirOf: (tenant) => join(dir, tenant), places: NOWHERE }).for('a');
    const agent = await loadAgentProject(policy);
    expect(agent.policy).toBe(policy);
    expect(agent.tools.map(({ name }) => name)).toContain('do_it');
  });

  it('closes the gates of a tenant that has no policy', async () => {
    const policies = tenantsAt(['acme']);
    expect(await (await policies.for('nobody')).decide('tool.pre', toolCall())).toMatchObject({
      action: 'block',
    });
  });
});
