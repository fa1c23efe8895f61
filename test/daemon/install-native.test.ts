/** `install --native`: the registered line with the native client in front, and what `status` and `doctor` say of it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, decisionIn, hook, SAMPLES } from '../adapters/launched.ts';
import { type User, user } from './daemon.ts';

const RULES = {
  '.harness/hooks/rule.md': hook(
    'tool.pre',
    'if "forbidden" in payload["args"]["command"]:',
    '  return block("not here")',
    'return allow()',
  ),
};

const able = spawnSync('cc', ['--version']).status === 0;
if (!able) console.warn('SKIPPED: no C compiler');

function lineOf({ dir }: User): string {
  const settings = JSON.parse(readFileSync(join(dir, '.claude/settings.json'), 'utf8'));
  return settings.hooks.PreToolUse[0].hooks[0].command;
}

function fire(one: User, text: string, id: string) {
  const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: one.dir, ...command(text, id) });
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', lineOf(one)], {
    input,
    env: one.env,
    encoding: 'utf8',
  });
  return { exitCode: status ?? -1, stdout, stderr };
}

describe.skipIf(!able)('harness install --native', () => {
  it('compiles the client for this user only, registers it, and takes it out again', async () => {
    const one = user(RULES);
    expect(one.harness('install', 'claude-code', '--native')).toMatchObject({ status: 0 });
    const folder = join(one.home, '.local/state/harness/native');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name, ...more] = readdirSync(folder);
    expect([name, more]).toEqual([expect.stringMatching(/^harness-hook-[0-9a-f]{16}$/), []]);
    expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o700);
    expect(decisionIn(fire(one, 'forbidden', '1'))).toBe('deny');
    expect(fire(one, 'ls', '2')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    await one.serve();
    expect(decisionIn(fire(one, 'forbidden', '3'))).toBe('deny');
    expect(fire(one, 'ls', '4')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(one.state()).toMatchObject({ answered: 2, refused: 0 });
    const again = one.harness('install', 'claude-code', '--native');
    expect(again.stdout).toContain('is installed already');
    expect(one.harness('status').stdout).toContain('2 answered');
    one.harness('install', 'claude-code');
    expect(lineOf(one)).not.toContain('harness-hook-');
  });

  it('a client that is gone leaves the launcher, one that is broken or killed the deny', () => {
    const one = user(RULES);
    one.harness('install', 'claude-code', '--native');
    const folder = join(one.home, '.local/state/harness/native');
    const program = join(folder, readdirSync(folder)[0]!);
    for (const text of ['', '#!/bin/sh\nkill -9 $$\n', '#!/bin/sh\necho "{}"\n']) {
      writeFileSync(program, text);
      chmodSync(program, 0o700);
      expect(decisionIn(fire(one, 'ls', `broken ${text}`))).toBe('deny');
    }
    rmSync(program);
    expect(decisionIn(fire(one, 'forbidden', 'gone 1'))).toBe('deny');
    expect(fire(one, 'ls', 'gone 2')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(one.harness('doctor', 'claude-code').stdout).toContain('is not used: it is not there');
  });

  it('holds every canary of doctor, with and without a daemon', async () => {
    const one = user(RULES);
    one.harness('install', 'claude-code', '--native');
    const cold = one.harness('doctor', 'claude-code');
    expect(cold.stdout).toContain('registered with the native client');
    expect(cold.status).toBe(0);
    await one.serve();
    const warm = one.harness('doctor', 'claude-code', '--json');
    expect(JSON.parse(warm.stdout)).toMatchObject({ ok: true, daemon: { state: 'answers' } });
  });
});
