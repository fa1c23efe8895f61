/**
 * The door of S15: programs that hooks and tools start are given an allow-list of variables, and no value of the environment
 * reaches a record in a form that can be turned back.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { type Repository, repository } from './repository.ts';

const KEY = 'sk-proj-9f8e7d6c5b4a39281706f5e4d3c2b1a0';
const PASSWORD = 'correct "horse" battery/staple+42';
const SECRETS = {
  OPENAI_API_KEY: KEY,
  MY_DB_PASSWORD: PASSWORD,
  AWS_SECRET_ACCESS_KEY: 'a'.repeat(40),
  SSH_AUTH_SOCK: '/run/agent',
};

const FILES = {
  '.harness/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ path: 'hook.sh' }] } }),
  'hook.sh': '#!/bin/sh\ncat > /dev/null\nenv > "MARKS/hook"\nexit 0\n',
  '.harness/tools/look.md':
    '---\nscript: |\n  def run(args):\n      return exec.shell("env; env > MARKS/tool")["stdout"]\n---\n\nLooks.\n',
  '.harness/tools/repeat.md':
    '---\nscript: |\n  def run(args):\n      return args["text"]\nparameters: {text: {type: string}}\n---\n\nRepeats.\n',
};

async function run(repo: Repository, calls: readonly object[], env: Record<string, string> = {}) {
  repo.write('story.yaml', JSON.stringify({ completions: [{ tool_calls: calls }, { text: 'Done.' }] }));
  const args = ['run', '--script', 'story.yaml', '--prompt', 'x'];
  return harness(args, { cwd: repo.dir, env: { HOME: repo.home, HARNESS_TRUST: 'all', ...SECRETS, ...env } });
}

const mark = (repo: Repository, name: string) => readFileSync(join(repo.dir, '..', 'marks', name), 'utf8');

describe('programs', () => {
  it.each(['hook', 'tool'])('that a %s starts get the usual variables and no secret', async (who) => {
    const repo = repository(FILES);
    await run(repo, [{ name: 'look', args: {} }], {
      LC_ALL: 'C',
      UNKNOWN_SETTING: 'x',
      https_proxy: 'http://proxy:8080',
      http_proxy: 'http://me:pass@proxy:8080',
    });
    const given = mark(repo, who);
    for (const [name, value] of Object.entries(SECRETS)) {
      expect(given).not.toContain(name);
      expect(given).not.toContain(value);
    }
    expect(given).not.toContain('UNKNOWN_SETTING');
    expect(given).not.toContain('HARNESS_TRUST');
    expect(given).not.toContain('me:pass');
    for (const name of ['PATH=', 'HOME=', 'LC_ALL=C', 'https_proxy=']) expect(given).toContain(name);
  });

  it('get what the user passes on, and not what a project wants passed on', async () => {
    const repo = repository({ ...FILES, 'harness.md': '---\nenvironment: {pass: [OPENAI_API_KEY]}\n---\n' });
    mkdirSync(join(repo.home, '.config/harness'), { recursive: true });
    writeFileSync(
      join(repo.home, '.config/harness/harness.md'),
      '---\nenvironment: {pass: ["BUILD_*"]}\n---\n',
    );
    await run(repo, [{ name: 'look', args: {} }], { BUILD_NUMBER: '7' });
    for (const who of ['hook', 'tool']) {
      expect(mark(repo, who)).toContain('BUILD_NUMBER=7');
      expect(mark(repo, who)).not.toContain(KEY);
    }
  });
});

describe('records', () => {
  it('hold no value of the environment, whatever form it takes', async () => {
    const repo = repository(FILES);
    const forms = [KEY, PASSWORD].flatMap((value) => [
      value,
      Buffer.from(value).toString('base64'),
      Buffer.from(`x${value}yz`).toString('base64'),
      Buffer.from(value).toString('base64url'),
      Buffer.from(value).toString('hex'),
      Buffer.from(value).toString('hex').toUpperCase(),
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      JSON.stringify(JSON.stringify(value)).slice(1, -1),
      [...value].reverse().join(''),
      value.slice(0, 24),
    ]);
    await run(
      repo,
      forms.map((text) => ({ name: 'repeat', args: { text: `it is ${text} here` } })),
    );
    for (const folder of ['runs', 'transcripts']) {
      const path = join(repo.dir, '.harness', folder);
      const [name] = readdirSync(path).filter((file) => file.endsWith('.jsonl'));
      const text = readFileSync(join(path, name!), 'utf8');
      expect(
        forms.filter((form) => text.includes(form) || text.includes(JSON.stringify(form).slice(1, -1))),
      ).toEqual([]);
    }
  });
});
