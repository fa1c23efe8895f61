/**
 * One policy, every host: for one folder the prepared policy, a session and a replay of its tape name the same chain, the same
 * digest and the same outcome. The built command is held against the same table in test/cli/every-host.process.test.ts.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layerOf } from '../../src/engine/layer.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { play, tool } from '../support/agent.ts';
import { tempProject } from '../support/temp-project.ts';
import {
  chainIn,
  MANAGED,
  OTHER_ROWS,
  PROJECT,
  ROWS,
  STANDING,
  USER,
  under,
  verdictOf,
} from '../support/whole-policy.ts';

const host = { ...machineHost, env: (name: string) => (name === 'HARNESS_TRUST' ? 'all' : undefined) };

async function openAll(): Promise<Policy> {
  const dir = tempProject({
    ...under('managed', MANAGED),
    ...under('user', USER),
    ...under('work', PROJECT),
  });
  chmodSync(join(dir, 'work/check.sh'), 0o755);
  const places = { managed: join(dir, 'managed'), user: join(dir, 'user') };
  return openPolicy(join(dir, 'work', STANDING), { places, host });
}

const chainOf = ({ registry }: Policy, event: string) =>
  registry.list(event).map((hook) => `${layerOf(hook).name}/${hook.name}`);

describe('a policy with everything in it', () => {
  it('has every layer and every front end in one chain, built-in hooks last', async () => {
    const policy = await openAll();
    expect(policy.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(policy.layers.map(({ name }) => name)).toEqual([
      'managed',
      'user',
      'project',
      'project:packages/app',
    ]);
    expect(policy.digest.layers?.map(({ name }) => name)).toEqual(policy.layers.map(({ name }) => name));
    const chain = chainOf(policy, 'tool.pre');
    expect(chain.filter((name) => name.endsWith('/guard')).sort()).toEqual([
      'managed/guard',
      'project/guard',
      'project:packages/app/guard',
      'user/guard',
    ]);
    expect(chain.slice(-4).sort()).toEqual([
      'built-in/floor',
      'built-in/permissions',
      'built-in/permissions',
      'built-in/protected',
    ]);
    expect(new Set(policy.registry.list('tool.pre').map(({ frontEnd }) => frontEnd.name))).toEqual(
      new Set([
        'markdown',
        'settings',
        'profile',
        'manifest',
        'patterns',
        'floor',
        'protected',
        'permissions',
      ]),
    );
    expect(chainOf(policy, 'agent.stop').at(-1)).toBe('built-in/exit_policy');
  });

  it.each([...ROWS, ...OTHER_ROWS])('decides: $title', async ({ event, payload, action, hook }) => {
    const policy = await openAll();
    const outcome = await policy.decide(event, payload);
    expect({ action: outcome.action, hook: outcome.hook }).toEqual({ action, hook });
    expect(chainIn(outcome.trace)).toEqual(chainOf(policy, event));
  });

  it('is the same for a session, its tape and a replay of the tape', async () => {
    const policy = await openAll();
    const path = join(tempProject(), 'run.jsonl');
    const { hooks, digest } = policy;
    const tape = openTape(path, { session: 's1', hooks, policy: digest, host });
    const names = [...new Set(ROWS.map(({ payload }) => String(payload.name)))];
    const { fired } = await play({
      policy,
      host,
      workspace: join(policy.dir),
      recorder: tape.recorder,
      tools: names.map((name) => tool(name, () => 'ok')),
      completions: [{ tool_calls: ROWS.map(({ payload }) => payload) as never }, { text: 'done' }],
    });
    tape.close();
    const calls = fired.filter(({ event }) => event === 'tool.pre');
    expect(calls).toHaveLength(ROWS.length);
    for (const { payload, outcome } of calls) {
      const row = ROWS.find(({ title }) => title === (payload as { id: string }).id)!;
      expect(verdictOf(outcome)).toEqual(verdictOf(await policy.decide('tool.pre' as string, row.payload)));
    }
    const stop = fired.find(({ event }) => event === 'agent.stop')!;
    expect(verdictOf(stop.outcome)).toEqual(
      verdictOf(await policy.decide('agent.stop' as string, stop.payload)),
    );
    const { header } = readTape(path);
    expect(header.policy).toEqual(policy.digest);
    expect(
      header.policy.hooks
        .filter(({ event }) => event === 'tool.pre')
        .map(({ layer, name }) => `${layer}/${name}`),
    ).toEqual(chainOf(policy, 'tool.pre'));
    const report = await replayTape(path, { hooks, policy: digest });
    expect(report).toMatchObject({ differences: [], policyChanges: [] });
    expect(report.decisions).toBeGreaterThanOrEqual(ROWS.length);
  });

  it('is another policy, and its tape says so, if a file of any layer changes', async () => {
    const digests = new Set<string>();
    for (const text of ['managed', 'user', 'work/.harness', 'work/packages/app/.harness']) {
      const policy = await openAll();
      const before = policy.digest;
      const dir = join(policy.layers[0]!.dir, '..');
      const { writeFileSync } = await import('node:fs');
      writeFileSync(join(dir, text, 'hooks/more.md'), MANAGED['hooks/guard.md']);
      const places = { managed: join(dir, 'managed'), user: join(dir, 'user') };
      const after = (await openPolicy(policy.dir, { places, host })).digest;
      const changed = after.layers!.filter(({ digest }, i) => digest !== before.layers![i]!.digest);
      expect(changed).toHaveLength(1);
      digests.add(before.digest).add(after.digest);
    }
    expect(digests.size).toBe(5);
  });
});
