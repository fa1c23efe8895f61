/**
 * A disk that is full, or read-only: a real small file system with the project, its tapes and the home on it. What cannot be recorded is
 * not allowed, and once there is room everything goes on. It is mounted in a mount namespace of its own, without root in a user namespace too.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI_FILE, HOOK_FILE } from '../../scripts/build-cli.mjs';
import { hook, SAMPLES } from '../adapters/launched.ts';
import { unshareWords } from '../support/enclosed.ts';
import { canRun } from '../support/needs.ts';
import { remove } from '../support/remove.ts';

const UNSHARE = unshareWords(['--mount']);
const canMount = canRun(
  spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
  'mount namespaces (unshare), for tests of a full disk',
);

const RULE = hook(
  'tool.pre',
  'if "bad" in payload["args"]["command"]:',
  '  return block("no bad things")',
  'return allow()',
);

/** Runs inside of the namespace: each step's answer, by name. */
const STEPS = `
  const { execFileSync, spawnSync } = require('node:child_process');
  const { mkdirSync, openSync, writeSync, closeSync, rmSync, writeFileSync } = require('node:fs');
  const [disk, cli, launcher, rule, payload] = JSON.parse(process.argv[1]);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'none', disk]);
  const dir = disk + '/project';
  mkdirSync(dir + '/.harness/hooks', { recursive: true });
  writeFileSync(dir + '/.harness/hooks/rule.md', rule);
  const env = { PATH: process.env.PATH, HOME: disk, HARNESS_DAEMON: 'off' };
  const fire = (command, id, session = 's') => {
    const input = JSON.stringify({ ...payload, session_id: session, cwd: dir, tool_use_id: id, tool_name: 'Bash', tool_input: { command } });
    const { stdout, status } = spawnSync(process.execPath, [launcher, 'claude-code', 'PreToolUse', '--dir', dir], { env, input, encoding: 'utf8' });
    return status === 0 && stdout === '' ? 'allow' : /"deny"/.test(stdout) ? 'deny' : status + stdout;
  };
  const fill = () => {
    const file = openSync(disk + '/filler', 'w');
    for (let size = 65536; size >= 1; size = size / 2) try { for (;;) writeSync(file, Buffer.alloc(size)); } catch {}
    closeSync(file);
  };
  const said = { before: fire('ls', '1') };
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  said.readOnly = fire('ls', '7');
  said.readOnlyBad = fire('bad', '8');
  execFileSync('mount', ['-o', 'remount,rw', disk]);
  fill();
  said.full = fire('ls', '2');
  said.fullBad = fire('bad', '3');
  said.fullNew = fire('ls', '4', 'new');
  rmSync(disk + '/filler');
  said.after = fire('ls', '5');
  said.afterBad = fire('bad', '6');
  said.verify = spawnSync(process.execPath, [cli, 'tape', 'verify', dir + '/.harness/runs'], { env, cwd: dir, encoding: 'utf8' }).status;
  process.stdout.write(JSON.stringify(said));`;

describe.skipIf(!canMount)('a disk that is full or read-only', () => {
  it('lets nothing pass that cannot be recorded, and everything goes on once it can be', () => {
    const disk = mkdtempSync(join(tmpdir(), 'harness-full-'));
    onTestFinished(() => remove(disk));
    const given = JSON.stringify([disk, CLI_FILE, HOOK_FILE, RULE, SAMPLES.PreToolUse]);
    const said = execFileSync('unshare', [...UNSHARE, process.execPath, '-e', STEPS, given], {
      encoding: 'utf8',
    });
    expect(JSON.parse(said)).toMatchObject({
      ...{
        before: 'allow',
        readOnly: 'deny',
        readOnlyBad: 'deny',
        full: 'deny',
        fullBad: 'deny',
        fullNew: 'deny',
      },
      ...{ after: 'allow', afterBad: 'deny', verify: 0 },
    });
  });
});
