/** Where a call happens, as hooks read it: on which events, from what, and that no hook changes it. */
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { openPolicy } from '../policy/open-policy.ts';
import { hostFolder, isLocationEvent, possibleFolders, relativeTo } from './call-place.ts';
import { CATALOG, type EventSpec } from './catalog.ts';
import { Engine } from './engine.ts';
import { RunState } from './run-state.ts';

const SESSION = {
  id: 's',
  transcriptPath: null,
  cwd: '/work/app/src',
  workspace: '/work/app',
  workspaces: ['/work/lib'],
};
const PLACE = { cwd: '/work/app/src', workspace: '/work/app', workspaces: ['/work/lib'] };
const TELLS =
  'log.info(json.encode([payload.get("cwd"), payload.get("workspace"), payload.get("workspaces")]))';

const placed = Object.entries<EventSpec>(CATALOG)
  .filter(([, spec]) => isLocationEvent(spec))
  .map(([event, { honours }]) => ({
    event,
    rewrites: honours.modify === 'overlay',
  }));

async function policyOf(event: string, ...scripts: readonly string[]) {
  const files = scripts.map((script, i) => [
    `.harness/hooks/h${i}.md`,
    hookFile(
      `def handle(event, payload):\n    ${script}\n    return allow()`,
      `event: ${event}\npriority: ${i + 1}`,
    ),
  ]);
  const dir = tempProject(Object.fromEntries(files));
  return openPolicy(dir, { places: { managed: null, user: null } });
}

async function told(event: string, session: object, ...scripts: readonly string[]) {
  const policy = await policyOf(event, ...scripts);
  const run = new RunState(undefined, { id: '', transcriptPath: null, cwd: null, ...session });
  const engine = new Engine({ hooks: policy.hooks, host: policy.host, run });
  const { effects, trace } = await engine.decide(event, {
    id: '1',
    call_id: '1',
    name: 'x',
    args: {},
    agent: 'a',
    prompt: '',
    result: '',
    content: '',
    step: 's',
  });
  const logged = effects.flatMap((effect) => (effect.kind === 'log' ? [JSON.parse(effect.message)] : []));
  return { place: logged.at(-1), warnings: trace[0]?.warnings ?? [] };
}

describe('where a call happens', () => {
  it('is told on each event that carries a call', () => {
    expect(placed.map(({ event }) => event).sort()).toEqual([
      'delegation.post',
      'delegation.post_verify',
      'delegation.pre',
      'permission.asked',
      'permission.replied',
      'step.post',
      'step.pre',
      'tool.post',
      'tool.pre',
    ]);
  });

  it.each(placed)('$event: a hook reads cwd, workspace and workspaces', async ({ event }) => {
    expect((await told(event, SESSION, TELLS)).place).toEqual(Object.values(PLACE));
  });

  it.each(placed.filter(({ rewrites }) => rewrites))(
    '$event: a hook that gives another place is told that it cannot, and the next hook reads the same place',
    async ({ event }) => {
      const forges = 'return modify({"cwd": "/", "workspace": "/", "workspaces": ["/"]})';
      const { place, warnings } = await told(event, SESSION, forges, TELLS);
      expect(place).toEqual(Object.values(PLACE));
      expect(warnings).toEqual(
        ['cwd', 'workspace', 'workspaces'].map(
          (key) => `"${key}" says where the call happens and was not rewritten`,
        ),
      );
    },
  );

  it('a hook that gives the whole payload back says nothing about the place', async () => {
    const { place, warnings } = await told('tool.pre', SESSION, 'return modify(payload)', TELLS);
    expect([place, warnings]).toEqual([Object.values(PLACE), []]);
  });

  it('is not told where the host knows no folder, and nothing is blocked for that', async () => {
    const { place } = await told('tool.pre', {}, TELLS);
    expect(place).toEqual([null, null, null]);
  });
});

describe('the folder of a call', () => {
  it.each([
    ['/a', undefined, '/a'],
    ['/a/', '.', '/a'],
    ['/a', './b/', '/a/b'],
    ['/a', '../b', '/a/../b'],
    ['/', 'b', '/b'],
    ['/a', '/b', '/b'],
    ['/a', '~/b', '~/b'],
    ['/a', 'C:\\b', 'C:\\b'],
  ])('seen from %s, %s is %s', (folder, path, seen) => {
    expect(relativeTo(folder, path)).toBe(seen);
  });

  it('is what the host says on the payload before what it said of the session', () => {
    expect(hostFolder({}, SESSION)).toBe('/work/app/src');
    expect(hostFolder({ cwd: 'x' }, SESSION)).toBe('/work/app/src/x');
    expect(hostFolder({ workspace: '/b' }, SESSION)).toBe('/b');
    expect(hostFolder({ cwd: 'x' }, { id: '', transcriptPath: null, cwd: null })).toBeNull();
  });

  it('may be the one that the call names or the one that the host says', () => {
    expect(possibleFolders({ args: { workdir: '..' } }, SESSION, '/')).toEqual([
      '/work/app/src/..',
      '/work/app/src',
    ]);
    expect(possibleFolders({ args: { directory: '..' } }, SESSION, '/')).toEqual(['/work/app/src']);
  });
});
