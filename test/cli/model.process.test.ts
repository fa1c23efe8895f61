/** `harness model` as a person runs it: a process of its own that serves until it is interrupted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { harness, project } from './harness.ts';

const STORY = [
  'completions:',
  '  - text: I will look first.',
  '    tool_calls: [{name: run_command, args: {command: ls}}]',
  '  - text: Done.',
].join('\n');

const ASKED = { model: 'm', max_tokens: 10, tools: [{ name: 'run_command' }], messages: [] };

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** The server once it has printed a line, and everything it printed once it was told to stop. */
async function serving(args: readonly string[], cwd: string) {
  const child = spawn(process.execPath, [CLI_FILE, 'model', ...args], {
    cwd,
    env: { PATH: process.env.PATH },
  });
  started.push(child);
  const printed = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk) => {
    printed.stderr += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.on('close', () => reject(new Error(`it ended early: ${printed.stderr}`)));
    child.stdout.on('data', (chunk) => {
      printed.stdout += chunk;
      if (printed.stdout.includes('\n')) resolve();
    });
  });
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed.stdout)![0];
  const stop = async (signal: NodeJS.Signals) => {
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
    child.kill(signal);
    return { code: await closed, ...printed };
  };
  return { url, stop };
}

const ask = (url: string, body: object = ASKED) =>
  fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) });

describe('harness model', () => {
  it('serves the script, says what answered, and at the end what nothing asked for', async () => {
    const cwd = project({ 'story.yaml': STORY });
    const { url, stop } = await serving(['--script', 'story.yaml'], cwd);
    expect(await (await ask(url)).json()).toMatchObject({ stop_reason: 'tool_use' });
    await ask(url, { ...ASKED, max_tokens: 1 });
    await fetch(`${url}/nowhere`);
    const { code, stdout, stderr } = await stop('SIGINT');
    expect(stdout.replaceAll(url, 'URL').split('\n')).toEqual([
      'listening on URL (2 items)',
      '  ANTHROPIC_BASE_URL=URL',
      '  OPENAI_BASE_URL=URL/v1',
      '  GOOGLE_GEMINI_BASE_URL=URL',
      '#1 anthropic "m": completions[0]',
      '#2 anthropic "m": a side request (probe)',
      '#3 GET /nowhere: no such path: GET /nowhere, status 404',
      '',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 item answered nothing: completions[1]\n' });
  });

  it('--json prints the same as data, and --record keeps whole requests', async () => {
    const cwd = project({ 'story.yaml': STORY });
    const args = ['--script', 'story.yaml', '--record', 'requests.jsonl', '--json'];
    const { url, stop } = await serving(args, cwd);
    for (let i = 0; i < 3; i++) await ask(url);
    const { code, stdout, stderr } = await stop('SIGTERM');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const asked = { method: 'POST', path: '/v1/messages', dialect: 'anthropic', model: 'm', status: 200 };
    expect(lines).toEqual([
      { url, port: Number(new URL(url).port) },
      { number: 1, ...asked, answeredBy: { kind: 'item', place: 0 } },
      { number: 2, ...asked, answeredBy: { kind: 'item', place: 1 } },
      { number: 3, ...asked, answeredBy: { kind: 'no-item' } },
      { requests: 3, unused: [] },
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const recorded = readFileSync(join(cwd, 'requests.jsonl'), 'utf8').trim().split('\n');
    expect(recorded.map((line) => JSON.parse(line).body)).toEqual([ASKED, ASKED, ASKED]);
  });

  it('ends at once also while an answer hangs', async () => {
    const cwd = project({ 'story.yaml': 'completions: [{hang: true}]' });
    const { url, stop } = await serving(['-s', 'story.yaml'], cwd);
    const asked = ask(url).catch(() => 'broken off');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await stop('SIGINT')).toMatchObject({ code: 0 });
    expect(await asked).toBe('broken off');
  });

  it('shows mistakes of the script with their places', async () => {
    const cwd = project({ 'story.yaml': 'completions:\n  - txt: hi\n' });
    const { code, stderr } = await harness(['model', '--script', 'story.yaml'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/story\.yaml:2:5.*unknown field completions\[0\]\.txt .*did you mean text\?/);
  });

  it('a port that is taken is said with its number', async () => {
    const cwd = project({ 'story.yaml': STORY });
    const { url } = await serving(['--script', 'story.yaml'], cwd);
    const { port } = new URL(url);
    const second = await harness(['model', '--script', 'story.yaml', '--port', port], { cwd });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`127.0.0.1:${port}`) });
  });

  it.each([
    [[], 'model needs --script FILE'],
    [['--script', 'missing.yaml'], 'cannot read "missing.yaml"'],
    [['--script', 's', '--port', '65536'], '--port wants a number of at most 65535, got 65536'],
    [['--script', 's', '--port', 'x'], '--port: expected a whole number'],
  ])('%j is wrong usage', async (args, message) => {
    expect(await harness(['model', ...args], { cwd: project() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});
