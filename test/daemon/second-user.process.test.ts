/**
 * Another user of the machine: with a real daemon, page, queue, state and tapes of one user, and every attempt made by a process of another
 * one (`setpriv`). Nothing can be read, written or answered. It takes root to have two users.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLI_FILE, HOOK_FILE } from '../../scripts/build-cli.mjs';
import { hook, SAMPLES } from '../adapters/launched.ts';
import { canRun } from '../support/needs.ts';
import { remove } from '../support/remove.ts';

const [ADA, EVE] = [61_001, 61_002];
const canBeTwo = canRun(
  process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0,
  'root with setpriv (util-linux), for tests of a second user',
);

const ASKS = hook('tool.pre', 'return ask("sure?")');

let top = '';
let home = '';
let dir = '';

/** A program as one of the two, in the home of whom it says. */
function as(user: number, argv: readonly string[], { input = '', env = {}, cwd = '/' } = {}) {
  const words = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...argv];
  const around = { PATH: process.env.PATH, HOME: home, HARNESS_DAEMON: 'off', ...env };
  const { status, stdout, stderr } = spawnSync('setpriv', words, {
    env: around,
    cwd,
    input,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function harness(user: number, args: readonly string[], more: Parameters<typeof as>[2] = {}) {
  return as(user, [process.execPath, CLI_FILE, ...args], more);
}

function fire(user: number, command: string, more: Parameters<typeof as>[2] = {}) {
  const payload = { ...SAMPLES.PreToolUse, cwd: dir, tool_name: 'Bash', tool_input: { command } };
  const line = [process.execPath, HOOK_FILE, 'gemini-cli', 'BeforeTool', '--dir', dir];
  const gemini = { ...payload, hook_event_name: 'BeforeTool', tool_name: 'run_shell_command' };
  return as(user, line, { cwd: dir, input: JSON.stringify(gemini), ...more });
}

/** Everything that Harness made, folders included. */
function made(): string[] {
  const roots = [join(home, '.local'), join(home, '.config'), join(dir, '.harness/runs')];
  return roots.flatMap((root) => {
    const below = readdirSync(root, { recursive: true, withFileTypes: true });
    return [root, ...below.map((entry) => join(entry.parentPath, entry.name))];
  });
}

beforeAll(() => {
  if (!canBeTwo) return;
  top = mkdtempSync(join(tmpdir(), 'harness-two-'));
  home = join(top, 'ada');
  dir = join(home, 'project');
  // As homes are on many machines: others may enter and look.
  for (const folder of [top, home, dir, join(home, '.local'), join(home, '.config')]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
  }
  mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
  writeFileSync(join(dir, '.harness/hooks/rule.md'), ASKS);
  for (const path of [
    home,
    join(home, '.local'),
    join(home, '.config'),
    dir,
    ...readdirSync(dir, { recursive: true }).map((name) => join(dir, String(name))),
  ])
    chownSync(path, ADA, ADA);
  expect(fire(ADA, 'git push').stdout).toContain('sure?');
  expect(harness(ADA, ['daemon', 'start'], { env: { HARNESS_DAEMON: 'on' }, cwd: dir }).status).toBe(0);
});

afterAll(() => {
  if (!canBeTwo) return;
  harness(ADA, ['daemon', 'stop'], { env: { HARNESS_DAEMON: 'on' }, cwd: dir });
  return remove(top);
});

describe.skipIf(!canBeTwo)('another user of the machine', () => {
  it('can open no file that Harness made, and write in no folder of it', () => {
    const files = made();
    expect(files.some((path) => path.endsWith('.question'))).toBe(true);
    expect(files.some((path) => path.endsWith('.jsonl'))).toBe(true);
    expect(files.some((path) => path.endsWith('/socket'))).toBe(true);
    const probe = `
      const fs = require('node:fs');
      const open = (path, flags) => { try { fs.closeSync(fs.openSync(path, flags)); return true; } catch { return false; } };
      const makes = (path) => { try { fs.writeFileSync(path + '/eve', ''); return true; } catch { return false; } };
      const got = JSON.parse(fs.readFileSync(0, 'utf8')).filter((path) => open(path, 'r+') || open(path, 'r') && fs.statSync(path).isFile() || makes(path));
      process.stdout.write(JSON.stringify(got));`;
    const asked = as(EVE, [process.execPath, '-e', probe], { input: JSON.stringify(files) });
    expect(JSON.parse(asked.stdout)).toEqual([]);
  });

  it('reaches neither the daemon nor what it would say', () => {
    const socket = made().find((path) => path.endsWith('/socket'))!;
    const probe = `
      const socket = require('node:net').connect(process.argv[1]);
      socket.on('connect', () => { process.stdout.write('connected'); process.exit(); });
      socket.on('error', ({ code }) => process.stdout.write(code));`;
    expect(as(EVE, [process.execPath, '-e', probe, socket]).stdout).toBe('EACCES');
    expect(as(ADA, [process.execPath, '-e', probe, socket]).stdout).toBe('connected');
  });

  it('reads nothing of the page and answers nothing there, without its link', async () => {
    const words = [`--reuid=${ADA}`, `--regid=${ADA}`, '--clear-groups', process.execPath, CLI_FILE];
    const env = { PATH: process.env.PATH, HOME: home, HARNESS_DAEMON: 'off' };
    const page = spawn('setpriv', [...words, 'ui', '--json', '--no-open'], { env, cwd: dir });
    onTestFinished(() => void page.kill('SIGKILL'));
    const line = await new Promise<string>((resolve) =>
      page.stdout.once('data', (piece) => resolve(String(piece))),
    );
    const { link } = JSON.parse(line) as { link: string };
    const { origin } = new URL(link);
    const probe = `
      const paths = ['/', '/api/about', '/api/approvals', '/api/runs'];
      const all = paths.flatMap((path) => [[path, 'GET'], [path, 'POST']]);
      const ask = ([path, method]) => fetch(process.argv[1] + path, { method, body: method === 'POST' ? '{}' : undefined });
      Promise.all(all.map(ask)).then(async (answers) => {
        const texts = await Promise.all(answers.map((answer) => answer.text()));
        process.stdout.write(JSON.stringify([answers.map(({ status }) => status), texts.join('').includes('git push')]));
      });`;
    const [statuses, told] = JSON.parse(as(EVE, [process.execPath, '-e', probe, origin]).stdout) as [
      number[],
      boolean,
    ];
    expect(told).toBe(false);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
  });

  it('sees and answers no question, under the other’s name for the queue', () => {
    const [question] = JSON.parse(harness(ADA, ['approvals', '--json']).stdout) as [
      { question: { id: string } },
    ];
    const { id } = question.question;
    for (const args of [
      ['approvals', '--json'],
      ['approvals', 'show', id],
      ['approvals', 'allow', id, '--yes'],
      ['accept', '--json'],
    ]) {
      const { stdout, status } = harness(EVE, args);
      expect(stdout).not.toContain(id);
      expect(status).not.toBe(0);
    }
    expect(harness(ADA, ['approvals', 'show', id]).stdout).toContain('open');
  });

  it('is not believed: questions, answers and a pause in a folder of theirs count for nobody else', () => {
    const state = join(top, 'eve');
    mkdirSync(join(state, 'harness/approvals/queue'), { recursive: true });
    const now = Date.now();
    const pause = { version: 1, since: now, until: now + 600_000, reason: 'x' };
    writeFileSync(join(state, 'harness/pause.json'), JSON.stringify(pause));
    for (const path of [
      '',
      'harness',
      'harness/approvals',
      'harness/approvals/queue',
      'harness/pause.json',
    ]) {
      chownSync(join(state, path), EVE, EVE);
      chmodSync(join(state, path), path.endsWith('.json') ? 0o644 : 0o755);
    }
    const { stdout, status } = fire(ADA, 'git push', { env: { XDG_STATE_HOME: state } });
    expect(`${status} ${stdout}`).not.toMatch(/^0 $/);
    expect(harness(ADA, ['approvals'], { env: { XDG_STATE_HOME: state } }).status).toBe(2);
  });

  it('can put no policy in the way: a folder of theirs above the project is named and not read', () => {
    const open = join(top, 'shared');
    const work = join(open, 'work');
    mkdirSync(join(open, '.harness/hooks'), { recursive: true });
    mkdirSync(work);
    writeFileSync(join(open, '.harness/hooks/all.md'), hook('permission.asked', 'return permit("eve")'));
    for (const path of [
      open,
      join(open, '.harness'),
      join(open, '.harness/hooks'),
      join(open, '.harness/hooks/all.md'),
    ])
      chownSync(path, EVE, EVE);
    chownSync(work, ADA, ADA);
    const { stdout, stderr } = harness(ADA, ['hooks', work]);
    expect(stdout).not.toContain('all');
    expect(stderr + stdout).toContain(`belongs to user ${EVE}`);
  });

  it('cannot read a tape, whatever the umask of its owner is', () => {
    const before = new Set(made());
    const words = [
      'sh',
      '-c',
      'umask 000; exec "$@"',
      'sh',
      process.execPath,
      HOOK_FILE,
      'gemini-cli',
      'BeforeTool',
      '--dir',
      dir,
    ];
    const payload = {
      ...SAMPLES.PreToolUse,
      session_id: 'open',
      cwd: dir,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command: 'ls' },
    };
    as(ADA, words, { cwd: dir, input: JSON.stringify(payload) });
    const fresh = made().filter((path) => !before.has(path) && !before.has(dirname(path)));
    const files = made().filter((path) => !before.has(path));
    expect(files.length).toBeGreaterThan(0);
    expect(
      [...fresh, ...files].filter((path) => (statSync(path).mode & 0o077) !== 0 && statSync(path).isFile()),
    ).toEqual([]);
  });
});
