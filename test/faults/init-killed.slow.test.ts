/** `harness init` killed before one of its changes to files after another: the next one finishes it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { remove } from '../support/remove.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-init-killed-'));
afterAll(() => remove(folder));

const KILLER = new URL('../support/kill-at.cjs', import.meta.url).pathname;
/** Every 7th change: some of each kind. */
const STEP = 7;

function world(name: string) {
  const home = join(folder, name);
  const dir = join(home, 'project');
  mkdirSync(dir, { recursive: true });
  const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [CLI_FILE, ...words], {
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', HOME: home, HARNESS_DAEMON: 'off', ...env },
      encoding: 'utf8',
    });
  return { dir, run };
}

it('an init that is killed at any moment is named by validate if it left half a policy, and finished by the next one', () => {
  let named = 0;
  let kills = 0;
  for (let at = 1; ; at += STEP) {
    const { dir, run } = world(String(at));
    const { signal } = run(['init'], { NODE_OPTIONS: `--require=${KILLER}`, KILL_AT: String(at) });
    if (signal === null) break;
    kills++;
    const half = run(['validate']);
    const isNamed = half.stdout.includes('INIT_UNFINISHED');
    if (isNamed) named++;
    // Else none of its files is there yet, or all are.
    else expect(`${at}: ${half.stdout}${half.stderr}`).toMatch(/No policy|0 errors/);
    const again = run(['init']);
    if (isNamed) expect(again).toMatchObject({ status: 0, stderr: '' });
    const whole = run(['validate', '--strict']);
    expect(whole.status).toBe(0);
    // Killed behind its last file: the tools it wrote are not trusted yet, which is said with what to type.
    expect(whole.stderr).toMatch(isNamed ? /^$/ : /^$|is not trusted[\s\S]*harness trust/);
    expect(readdirSync(join(dir, '.harness')).filter((name) => /init|\.[0-9a-f]{16}$/.test(name))).toEqual(
      [],
    );
  }
  expect(kills).toBeGreaterThan(4);
  expect(named).toBeGreaterThan(2);
});
