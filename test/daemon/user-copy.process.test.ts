/** The user's copy of the engine with its native client, as `install` places it and the guard runs it, with and without a daemon. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, decisionIn, hook, SAMPLES } from '../adapters/launched.ts';
import { withoutCompiler } from '../support/compiled.ts';
import { type User, user } from './daemon.ts';

const RULES = {
  '.harness/hooks/rule.md': hook(
    'tool.pre',
    'if "forbidden" in payload["args"].get("command", ""):',
    '  return block("not here")',
    'return allow()',
  ),
};

const able = spawnSync('cc', ['--version']).status === 0 || spawnSync('musl-gcc', ['--version']).status === 0;
if (!able) withoutCompiler();

function fire({ dir, env }: User, text: string, id: string) {
  const settings = JSON.parse(readFileSync(join(dir, '.claude/settings.json'), 'utf8'));
  const line = settings.hooks.PreToolUse[0].hooks[0].command;
  const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, ...command(text, id) });
  const around = { input, env: { ...env, CLAUDE_PROJECT_DIR: dir }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], around);
  return { exitCode: status ?? -1, stdout, stderr };
}

const SILENCE = { exitCode: 0, stdout: '', stderr: '' };
const engineOf = ({ home }: User) => join(home, '.local/state/harness/engine');

describe.skipIf(!able)('the user’s copy', () => {
  it('is for this user only, is named by its digest, and asks the daemon by its client', async () => {
    const one = user(RULES);
    expect(one.harness('install', 'claude-code')).toMatchObject({ status: 0 });
    const digest = readdirSync(engineOf(one))
      .filter((name) => name !== 'current')
      .join(' ');
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    const client = join(engineOf(one), 'current/harness-client');
    for (const path of [engineOf(one), join(engineOf(one), digest), client])
      expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(decisionIn(fire(one, 'forbidden', '1'))).toBe('deny');
    expect(fire(one, 'ls', '2')).toEqual(SILENCE);
    await one.serve();
    expect(decisionIn(fire(one, 'forbidden', '3'))).toBe('deny');
    expect(fire(one, 'ls', '4')).toEqual(SILENCE);
    expect(one.state()).toMatchObject({ answered: 2, refused: 0 });
    for (const off of [{ HARNESS_DAEMON: 'off' }, { CI: 'true' }] as Record<string, string>[])
      expect(
        decisionIn(fire({ ...one, env: { ...one.env, ...off } }, 'forbidden', Object.keys(off)[0]!)),
      ).toBe('deny');
    expect(one.state()).toMatchObject({ answered: 2, refused: 0 });
    expect(one.harness('install', 'claude-code').stdout).toContain('is installed already');
    expect(one.harness('status').stdout).toContain('2 answered');
    one.harness('daemon', 'stop');
    one.harness('uninstall', 'claude-code');
    expect(existsSync(engineOf(one))).toBe(false);
  });

  it('without its client asks by Node; a client that is broken or killed leaves the refusal', async () => {
    const one = user(RULES);
    one.harness('install', 'claude-code');
    const client = join(engineOf(one), 'current/harness-client');
    for (const text of ['', '#!/bin/sh\nkill -9 $$\n', '#!/bin/sh\necho "{}"\n']) {
      writeFileSync(client, text);
      chmodSync(client, 0o700);
      expect(decisionIn(fire(one, 'ls', `broken ${text}`))).toBe('deny');
    }
    rmSync(client);
    await one.serve();
    expect(decisionIn(fire(one, 'forbidden', 'gone 1'))).toBe('deny');
    expect(fire(one, 'ls', 'gone 2')).toEqual(SILENCE);
    expect(one.state()).toMatchObject({ answered: 2, refused: 0 });
  });

  it('holds every canary of doctor, with and without a daemon', async () => {
    const one = user(RULES);
    one.harness('install', 'claude-code');
    expect(one.harness('doctor', 'claude-code')).toMatchObject({ status: 0 });
    await one.serve();
    const warm = one.harness('doctor', 'claude-code', '--json');
    expect(JSON.parse(warm.stdout)).toMatchObject({ ok: true, daemon: { state: 'answers' } });
  });
});
