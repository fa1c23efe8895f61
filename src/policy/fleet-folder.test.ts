/** Which folders of tapes the fleet knows: registered by sessions on a machine that joined, and by coding agents before. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fleetFolder, registeredTapes, registerTapes } from './fleet-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'harness-fleet-folder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const hostOf = (home: string) => ({
  env: (name: string) => (name === 'HOME' ? join(root, home) : undefined),
});
const runsOf = (name: string) => {
  const runs = join(root, name, '.harness', 'runs');
  mkdirSync(runs, { recursive: true });
  return runs;
};

it('a machine that joined no hub writes nothing', () => {
  const host = hostOf('alone');
  registerTapes(runsOf('a'), host);
  expect(existsSync(join(root, 'alone'))).toBe(false);
  expect(registeredTapes(host)).toEqual([]);
});

it('a session registers its folder once the machine has joined; a folder that is gone is left out', () => {
  const host = hostOf('joined');
  mkdirSync(fleetFolder(host)!, { recursive: true, mode: 0o700 });
  const [a, b] = [runsOf('a'), runsOf('b')];
  for (const runs of [b, a, a]) registerTapes(runs, host);
  expect(registeredTapes(host)).toEqual([a, b]);
  rmSync(b, { recursive: true });
  expect(registeredTapes(host)).toEqual([a]);
});

it('folders of coding agents from before the machine joined are known, and stay known when their sessions are removed', () => {
  const host = hostOf('before');
  const runs = runsOf('c');
  const sessions = join(root, 'before/.local/state/harness/sessions');
  mkdirSync(join(sessions, 'x'), { recursive: true });
  writeFileSync(join(sessions, 'x', 'of'), runs);
  mkdirSync(fleetFolder(host)!, { recursive: true, mode: 0o700 });
  expect(registeredTapes(host)).toEqual([runs]);
  rmSync(sessions, { recursive: true });
  expect(registeredTapes(host)).toEqual([runs]);
  expect(readdirSync(join(fleetFolder(host)!, 'folders'))).toHaveLength(1);
});

it('without a home nothing is registered', () => {
  const host = { env: () => undefined };
  registerTapes('/x', host);
  expect(registeredTapes(host)).toEqual([]);
});
