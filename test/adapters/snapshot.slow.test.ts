/**
 * Processes that start from a heap snapshot, beside those that do not: the same answers byte for byte in every dialect, and the
 * right answer whatever is wrong with the snapshot.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { guardLine } from '../../src/adapters/guard-line.ts';
import { ADAPTERS } from '../../src/adapters/load-adapter.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { withoutNodeCode } from '../../src/cli/snapshot/lean-heap.ts';
import { nativeClient } from '../daemon/daemon.ts';
import { remove } from '../support/remove.ts';
import { until } from '../support/until.ts';
import { sampleOf } from './fault-cells.ts';

const scratch = mkdtempSync(join(tmpdir(), 'harness-snapshot-'));
const cli = join(scratch, 'the package');
const dir = join(scratch, "a project's folder");
const kept = join(scratch, '.local/state/harness/snapshots', dir);
const env = { PATH: process.env.PATH, HOME: scratch };
const hookFile = join(cli, 'hook.cjs');
const BLOCKS = JSON.stringify({ name: 'run_command', args: { command: 'rm -rf /' } });

beforeAll(() => {
  cpSync(dirname(CLI_FILE), cli, { recursive: true, filter: (path) => basename(path) !== 'cache' });
  run(process.execPath, [join(cli, 'harness.cjs'), 'init', dir]);
  // What the first call of a build keeps is there before, as it is in use.
  plainHook(claude('true'));
});
afterAll(() => remove(scratch));

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], input = '', more: NodeJS.ProcessEnv = {}): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, {
    input,
    cwd: scratch,
    env: { ...env, ...more },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function hold(more: NodeJS.ProcessEnv = {}): void {
  const { status } = run(process.execPath, [join(cli, 'hold.cjs'), dir, '', 'claude-code'], '', more);
  expect({ status, facts: existsSync(join(kept, 'facts')) }).toEqual({ status: 0, facts: true });
}

const start = (...words: readonly string[]) => ['/bin/sh', [join(cli, 'start.sh'), ...words]] as const;
const hookWords = (agent: string, event: string) => [agent, event, '--dir', dir];

/** Without what is remembered of them a session would stop: its tape is gone. */
function forgetRuns(): void {
  for (const folder of [join(dir, '.harness/runs'), join(scratch, '.local/state/harness/sessions')])
    rmSync(folder, { recursive: true, force: true });
}

function plainHook(input: string, agent = 'claude-code', event = 'PreToolUse'): Ran {
  forgetRuns();
  return run(process.execPath, [hookFile, ...hookWords(agent, event)], input);
}

function heldHook(input: string, agent = 'claude-code', event = 'PreToolUse'): Ran {
  forgetRuns();
  return run(...start(process.execPath, hookFile, ...hookWords(agent, event)), input);
}

function decide(input: string, ...more: readonly string[]): { plain: Ran; held: Ran } {
  const words = [join(cli, 'harness.cjs'), 'decide', 'tool.pre', '--dir', dir, ...more];
  return {
    plain: run(process.execPath, words, input),
    held: run(...start(process.execPath, ...words), input),
  };
}

let calls = 0;
function claude(command: string): string {
  const call = { session_id: `s${calls}`, cwd: dir, hook_event_name: 'PreToolUse', tool_name: 'Bash' };
  return JSON.stringify({ ...call, tool_input: { command }, tool_use_id: `c${calls++}` });
}

/** Whether a call would start from the snapshot, as the shell says that runs the script. */
function startsFromHeap(more: NodeJS.ProcessEnv = {}, node = process.execPath): boolean {
  const words = [join(cli, 'start.sh'), node, hookFile, ...hookWords('claude-code', 'PreToolUse')];
  return run('/bin/sh', ['-x', ...words], claude('true'), more).stderr.includes('--snapshot-blob');
}

const EVENTS = ['tool.pre', 'tool.post', 'agent.stop'];

describe('a process that starts from a heap snapshot', () => {
  beforeAll(() => hold());

  it('is what the script starts', () => {
    expect(startsFromHeap()).toBe(true);
  });

  it('reads no code of modules of Node with it, and nothing is left of the making', () => {
    expect(withoutNodeCode(readFileSync(join(kept, 'heap')))).toBeNull();
    expect(readdirSync(kept).sort()).toEqual(['facts', 'heap']);
  });

  it.each(Object.keys(ADAPTERS))('answers %s as one that does not', async (agent) => {
    const { adapter } = await ADAPTERS[agent]!();
    if (adapter.channel === 'plugin') return;
    for (const row of adapter.events.filter(({ event }) => EVENTS.includes(event))) {
      const sample = sampleOf(adapter, row);
      const dangerous = row.event === 'tool.pre' ? [JSON.stringify(withCommand(sample)), '{"half":'] : [];
      for (const text of [JSON.stringify(sample), ...dangerous]) {
        const plain = plainHook(text, agent, row.native);
        expect(heldHook(text, agent, row.native), `${row.native} ${text}`).toEqual(plain);
      }
    }
    expect(existsSync(join(kept, 'facts'))).toBe(true);
  });

  it.each([
    ['an allowed call', '{"name":"run_command","args":{"command":"npm test"}}', []],
    ['a blocked call', BLOCKS, ['--json', '--exit-code']],
    ['half a payload', '{"name":', ['--exit-code']],
    ['a story', BLOCKS, ['--explain']],
    ['several lines', `${BLOCKS}\n${BLOCKS}\n`, ['--lines']],
    ['an unknown option', BLOCKS, ['--nonsense']],
    ['a session that is kept', BLOCKS, ['--session', 'one']],
  ])('decides %s as one that does not', (_what, input, more) => {
    const { plain, held } = decide(input, ...more);
    expect(timeless(held)).toEqual(timeless(plain));
    expect(existsSync(join(kept, 'facts'))).toBe(true);
  });

  it('runs from the link of a package manager, from a path with spaces', () => {
    const words = ['decide', 'tool.pre', '--exit-code'];
    const link = join(scratch, 'bin link');
    spawnSync('ln', ['-sfn', join(cli, 'harness'), link]);
    const ran = spawnSync(link, words, { input: BLOCKS, cwd: dir, env, encoding: 'utf8' });
    expect(ran.status).toBe(2);
    expect(ran.stdout).toContain('block');
    expect(spawnSync(link, ['--version'], { env, encoding: 'utf8' }).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

/** Without how long anything took. */
function timeless({ status, stdout, stderr }: Ran): Ran {
  return { status, stdout: stdout.replace(/"ms":[\d.]+|[\d.]+ ms\b/g, 'MS'), stderr };
}

/** The sample with a command that a rule blocks, wherever it has one. */
function withCommand(sample: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(sample), (key, value: unknown) =>
    key === 'command' && typeof value === 'string' ? 'rm -rf /' : value,
  ) as JsonObject;
}

const heap = join(kept, 'heap');
const facts = join(kept, 'facts');
const hookDir = join(dir, '.harness/hooks');

function rule(word: string): string {
  return `---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return ${word}\n---\n`;
}

const FAULTS: Readonly<Record<string, () => void>> = {
  'is missing': () => rmSync(heap),
  'has lost its facts': () => rmSync(facts),
  'is cut off': () => truncateSync(heap, 3_000_000),
  'is of another build': () => appendFileSync(join(cli, 'snapshot.cjs'), '\n'),
  'can be written by others': () => chmodSync(heap, 0o666),
  'lies where others can write': () => chmodSync(kept, 0o777),
  'is a link': () => {
    renameSync(heap, join(scratch, 'elsewhere'));
    spawnSync('ln', ['-s', join(scratch, 'elsewhere'), heap]);
  },
  ...(process.getuid?.() === 0 && {
    'belongs to another user': () => chownSync(heap, 12_345, 12_345),
    'lies in a folder of another user': () => chownSync(kept, 12_345, 12_345),
  }),
};

describe('a heap snapshot that', () => {
  const safe = join(scratch, 'a heap');
  beforeAll(() => {
    hold();
    copyFileSync(heap, safe);
  });
  // As it was made, under facts of its own.
  beforeEach(() => {
    chmodSync(kept, 0o700);
    if (process.getuid?.() === 0) chownSync(kept, 0, 0);
    rmSync(heap, { force: true });
    copyFileSync(safe, heap);
    chmodSync(heap, 0o600);
    writeFileSync(facts, run(...start('--facts', kept, process.execPath, hookFile)).stdout);
  });

  it.each(Object.entries(FAULTS))('%s is not used, and the call is answered', (_what, breakIt) => {
    breakIt();
    expect(startsFromHeap()).toBe(false);
    expect(heldHook(claude('rm -rf /')).stdout).toContain('"deny"');
    expect(heldHook(claude('npm test'))).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('is of another Node is not used', () => {
    const other = join(scratch, 'node');
    copyFileSync(process.execPath, other);
    expect(startsFromHeap({}, other)).toBe(false);
    rmSync(other);
  });

  it('would be refused for options of the environment is not used', () => {
    expect(startsFromHeap({ NODE_OPTIONS: '--max-old-space-size=300' })).toBe(false);
  });

  it.each(['the launcher', 'the native client'])(
    'has rotten bytes costs %s one call, which is denied, and no more',
    async (which) => {
      const program = which === 'the launcher' ? undefined : nativeClient(scratch);
      if (program === null) return console.warn('SKIPPED: no C compiler');
      const line = guardLine({
        ...{ node: process.execPath, entry: hookFile, starter: join(cli, 'start.sh') },
        ...{ agent: 'claude-code', event: 'PreToolUse', scope: { dir }, deadlineMs: 100_000, deny: 'DENIED' },
        ...(program !== undefined && { native: { program, folder: join(scratch, 'no daemon') } }),
      });
      expect(run('/bin/sh', ['-c', line], claude('npm test'))).toEqual({ status: 0, stdout: '', stderr: '' });
      const bytes = readFileSync(heap);
      bytes.fill(7, bytes.length >> 1, (bytes.length >> 1) + 100_000);
      writeFileSync(heap, bytes);
      writeFileSync(facts, run(...start('--facts', kept, process.execPath, hookFile)).stdout);
      expect(startsFromHeap()).toBe(true);
      expect(run('/bin/sh', ['-c', line], claude('npm test')).stdout).toBe('DENIED');
      await until(() => !existsSync(facts));
      expect(run('/bin/sh', ['-c', line], claude('npm test'))).toEqual({ status: 0, stdout: '', stderr: '' });
      expect(run('/bin/sh', ['-c', line], claude('rm -rf /')).stdout).toContain('"deny"');
    },
  );

  it('holds a policy that was edited since answers by the edit, at the next call', () => {
    writeFileSync(join(hookDir, 'no-echo.md'), rule('block("not today")'));
    expect(heldHook(claude('echo 1')).stdout).toContain('not today');
    expect(existsSync(facts)).toBe(false);
    rmSync(join(hookDir, 'no-echo.md'));
    expect(heldHook(claude('echo 1')).stdout).toBe('');
  });

  it('holds a policy whose file was rewritten with its size and times kept answers by what is there', () => {
    const file = join(hookDir, 'a-rule.md');
    const then = new Date('2026-01-01T00:00:00Z');
    writeFileSync(file, rule('allow()           '));
    utimesSync(file, then, then);
    plainHook(claude('true'));
    hold();
    writeFileSync(file, rule('block("rewritten")'));
    utimesSync(file, then, then);
    expect(heldHook(claude('echo 1')).stdout).toContain('rewritten');
    rmSync(file);
  });

  it('holds a policy that is gone denies', () => {
    renameSync(join(dir, '.harness'), join(dir, 'away'));
    expect(heldHook(claude('echo 1')).stdout).toContain('"deny"');
    renameSync(join(dir, 'away'), join(dir, '.harness'));
  });

  it('was made where secrets are in the environment has none of them', () => {
    hold({ A_TOKEN: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' });
    expect(readFileSync(heap).includes('ghp_0123456789abcdefghij')).toBe(false);
  });
});

describe('a heap snapshot is made by `install`', () => {
  const harness = (...words: readonly string[]) =>
    run(process.execPath, [join(cli, 'harness.cjs'), ...words]);
  const snapshots = join(scratch, '.local/state/harness/snapshots');
  /** Processes that make one. */
  const makers = () =>
    readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(join(cli, 'hold.cjs'));
      } catch {
        return false;
      }
    });

  it('and is there for the first call; with the last `uninstall` it goes', async () => {
    rmSync(snapshots, { recursive: true, force: true });
    expect(harness('install', 'claude-code', '--dir', dir).status).toBe(0);
    await until(() => existsSync(facts));
    expect(harness('status', dir).stdout).toContain('from the heap snapshot of ');
    expect(startsFromHeap()).toBe(true);
    expect(heldHook(claude('rm -rf /')).stdout).toContain('"deny"');
    // It was found to be what it was made of.
    expect(existsSync(facts)).toBe(true);
    expect(harness('uninstall', 'claude-code', '--dir', dir).status).toBe(0);
    expect(existsSync(snapshots)).toBe(false);
  });

  it('not where it was taken back before it was made: nothing is left', async () => {
    for (const ms of [0, 1500]) {
      expect(harness('install', 'claude-code', '--dir', dir).status).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, ms));
      expect(harness('uninstall', 'claude-code', '--dir', dir).status).toBe(0);
      await until(() => makers().length === 0);
      expect(existsSync(snapshots), `after ${ms} ms`).toBe(false);
    }
  });
});
