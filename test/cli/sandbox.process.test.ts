/**
 * `harness sandbox` and the commands that start programs, on a machine without bubblewrap: what is asked for and cannot be had is an
 * error that says what to do, and whoever does not ask for it notices nothing.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const BARE = { PATH: '/nonexistent' };
const ASKS = {
  'harness.md': '---\nmodel: scripted:script.yaml\nsandbox: {network: off}\n---\n\nDo it.\n',
  'script.yaml': 'prompts: [go]\ncompletions: [{text: done}]\n',
  '.harness/hooks/a.md': '---\nevent: tool.pre\npriority: 1\n---\n\n# A\n',
};

describe('without bubblewrap', () => {
  it('run starts nothing where a sandbox is asked for, and says so once', async () => {
    const dir = project(ASKS);
    const { code, stderr } = await harness(['run', dir], { env: BARE });
    expect(stderr.split('error[SANDBOX_UNAVAILABLE]')).toHaveLength(2);
    expect(stderr).toMatch(/apt install bubblewrap|it takes Linux/);
    expect(stderr).toContain('Nothing was started');
    expect(code).toBe(1);
  });

  it('run goes on as ever where none is', async () => {
    const dir = project({ ...ASKS, 'harness.md': '---\nmodel: scripted:script.yaml\n---\n\nDo it.\n' });
    const { code, stderr } = await harness(['run', dir], { env: BARE });
    expect(stderr).not.toContain('SANDBOX');
    expect(code).toBe(0);
  });

  it('sandbox says what is missing and does not start the program', async () => {
    const dir = project({ 'a.txt': '' });
    const { code, stdout, stderr } = await harness(['sandbox', '--', '/bin/echo', 'ran'], {
      cwd: dir,
      env: BARE,
    });
    expect(stdout).toBe('');
    expect(stderr).toMatch(/the sandbox cannot be made: (?:bubblewrap is not installed|it takes Linux)/);
    expect(code).not.toBe(0);
  });
});

describe('harness sandbox --print', () => {
  it('shows the sandbox of the policy with what is asked for, and starts nothing', async () => {
    const dir = project(ASKS);
    const args = ['sandbox', '--print', '--json', '--hide', '.env:keys', '--read-only', '--', '/bin/echo'];
    const { code, stdout } = await harness(args, { cwd: dir });
    expect(JSON.parse(stdout)).toMatchObject({
      agent: null,
      sandbox: { network: 'off', workspace: 'read-only', hidden: ['.env', 'keys'] },
    });
    expect(code).toBe(0);
  });

  it('an agent has its own folders, and what is listed beside them', async () => {
    const dir = project({ codex: '#!/bin/sh\n' });
    chmodSync(join(dir, 'codex'), 0o755);
    const args = [
      'sandbox',
      '--print',
      '--json',
      '--read',
      '/opt/packages',
      '--write',
      '~/out',
      '--',
      './codex',
    ];
    const { stdout } = await harness(args, { cwd: dir });
    expect(JSON.parse(stdout)).toMatchObject({
      agent: 'codex',
      sandbox: { readable: ['/opt/packages'], writable: ['~/out', '~/.codex'], network: 'allowed' },
    });
  });

  it('says that hosts which a project lists do not hold before they are agreed to', async () => {
    const dir = project({ 'harness.md': '---\nnetwork: {allowed_domains: [model.example]}\n---\n' });
    const { stderr } = await harness(['sandbox', '--print', '--', '/bin/echo'], {
      cwd: dir,
      env: { HARNESS_TRUST: '' },
    });
    expect(stderr).toContain('warning[TRUST_MISSING]');
  });

  it('refuses what would loosen the policy', async () => {
    const dir = project(ASKS);
    const { code, stderr } = await harness(['sandbox', '--network', 'open', '--', '/bin/echo'], { cwd: dir });
    expect(stderr).toContain('can only be tightened: network is "off", want "open"');
    expect(code).toBe(2);
  });
});
