/**
 * Where policy is found, how folders rank, and what becomes of folders that nobody should rely on.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { findLayers } from './layers.ts';
import { openPolicy } from './open-policy.ts';

const NONE = { managed: null, user: null };
const HOOK = hookFile('def handle(event, payload):\n    return allow()');

describe('the layers of a folder', () => {
  it('are managed, user, then project folders from outside in, each of less authority than the one before', () => {
    const dir = tempProject({
      'managed/hooks/a.md': HOOK,
      'user/hooks/a.md': HOOK,
      'work/.harness/hooks/a.md': HOOK,
      'work/packages/app/.harness/hooks/a.md': HOOK,
      'work/packages/app/src/index.ts': '',
    });
    const places = { managed: join(dir, 'managed'), user: join(dir, 'user') };
    const { layers, problems } = findLayers(join(dir, 'work/packages/app/src'), places);
    expect(layers.map(({ name, rank }) => [name, rank])).toEqual([
      ['managed', 1],
      ['user', 2],
      ['project', 3],
      ['project:packages/app', 4],
    ]);
    expect(problems).toEqual([]);
  });

  it('are the same, with the same digest, wherever the project stands', async () => {
    const shallow = tempProject({ '.harness/hooks/a.md': HOOK });
    const deep = join(tempProject({ 'some/way/down/.harness/hooks/a.md': HOOK }), 'some/way/down');
    const [one, two] = await Promise.all([shallow, deep].map((dir) => openPolicy(dir, { places: NONE })));
    expect(two!.digest).toEqual(one!.digest);
  });

  it("are those of a fleet only on a machine with its marker: root's below the managed one, a user's above the user", () => {
    const unpacked = 'a'.repeat(32);
    const current = JSON.stringify({ version: 1, unpacked, whenStale: 'keep', maxAgeMs: null });
    const dir = tempProject({
      'managed/hooks/a.md': HOOK,
      'user/hooks/a.md': HOOK,
      'shared/current.json': current,
      [`shared/${unpacked}/.harness/hooks/a.md`]: HOOK,
      'own/current.json': current,
      [`own/${unpacked}/.harness/hooks/a.md`]: HOOK,
    });
    const place = (name: string) => ({ marker: join(dir, `${name}.json`), folder: join(dir, name) });
    const fleet = { managed: place('shared'), user: place('own') };
    const look = () =>
      findLayers('/', { managed: join(dir, 'managed'), user: join(dir, 'user'), fleet }).layers.map(
        ({ name, rank, broken }) => [name, rank, broken === undefined],
      );
    expect(look()).toEqual([
      ['managed', 1, true],
      ['user', 2, true],
    ]);
    for (const { marker } of [fleet.managed, fleet.user]) writeFileSync(marker, '{}');
    // What is root's is taken from root alone: anybody else's folder blocks.
    const isRoot = process.getuid?.() === 0;
    expect(look()).toEqual([
      ['managed', 1, isRoot],
      ['managed:fleet', 1.2, isRoot],
      ['fleet', 1.5, true],
      ['user', 2, true],
    ]);
    rmSync(join(dir, 'own'), { recursive: true });
    expect(look()[2]).toEqual(['fleet', 1.5, false]);
  });

  it('do not hold one folder twice', () => {
    const dir = tempProject({ '.harness/hooks/a.md': HOOK });
    const { layers } = findLayers(dir, { managed: null, user: dir });
    expect(layers.map(({ name }) => name)).toEqual(['user']);
  });
});
