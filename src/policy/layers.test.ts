/**
 * Where policy is found, how folders rank, and what becomes of folders that nobody should rely on.
 */
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

  it('do not hold one folder twice', () => {
    const dir = tempProject({ '.harness/hooks/a.md': HOOK });
    const { layers } = findLayers(dir, { managed: null, user: dir });
    expect(layers.map(({ name }) => name)).toEqual(['user']);
  });
});
