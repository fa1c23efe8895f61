/**
 * One process for many tenants: no policy, limit, count or record of one is visible to another.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../src/hooks/stores/memory-run-store.ts';
import { openPolicies } from '../../src/policy/tenants.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { saying, toolCall } from '../support/who.ts';

const LIMIT = hookFile(
  saying(
    'allow() if rate.limit("calls", 2, per="1h") else block("%s over, %d" % (data.who, state.incr("n")))',
  ),
);

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

  it('reads what stands above all of them once', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `t${at}`);
    const common = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`hooks/common${at}.md`, hookFile(saying('allow()'))]),
    );
    const policies = tenantsAt(names, common);
    const open = await Promise.all(names.map((name) => policies.for(name)));
    const bodies = new Set(
      open.flatMap(({ hooks }) =>
        hooks.filter(({ name }) => name.startsWith('common')).map(({ body }) => body),
      ),
    );
    expect(bodies.size).toBe(20);
    expect(open.every(({ authored }) => authored === 21)).toBe(true);
  });

  it.each(['', '..', '../acme', 'a/b', 'A', 'a..b', '.hidden', 'x'.repeat(65), 'a\n', 'a\0'])(
    'refuses what is no name: %j',
    async (name) => {
      await expect(tenantsAt(['acme']).for(name)).rejects.toThrow('is not allowed');
    },
  );

  it('refuses to give two tenants one store', async () => {
    const dir = tempProject({ 'a/.harness/hooks/x.md': LIMIT, 'b/.harness/hooks/x.md': LIMIT });
    const store = new MemoryRunStore();
    const policies = openPolicies({
      dirOf: (tenant) => join(dir, tenant),
      storeOf: () => store,
      places: { managed: null, user: null },
    });
    await policies.for('a');
    await expect(policies.for('b')).rejects.toThrow('given one store');
  });

  it('closes the gates of a tenant that has no policy', async () => {
    const policies = tenantsAt(['acme']);
    expect(await (await policies.for('nobody')).decide('tool.pre', toolCall())).toMatchObject({
      action: 'block',
    });
  });
});
