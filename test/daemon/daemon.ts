/** A user with a home of their own: a project, the daemon, the launcher and the native client, each a real process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { CLI_FILE, HOOK_FILE } from '../../scripts/build-cli.mjs';
import type { Answer } from '../../src/agents/adapter.ts';
import { MARK } from '../../src/agents/guard-line.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { hook, SAMPLES } from '../adapters/launched.ts';
import { compiled } from '../support/compiled.ts';
import { remove } from '../support/remove.ts';
import { until } from '../support/until.ts';

export { until } from '../support/until.ts';

export const NATIVE_SOURCE = new URL('../../native/harness-hook.c', import.meta.url).pathname;
/** In the place of what the native client prints if that is not whole: then the guard refuses. */
export const DENY = 'no whole answer';

export interface User {
  readonly home: string;
  readonly dir: string;
  /** Where the daemon listens. */
  readonly folder: string;
  readonly env: Record<string, string>;
  write(path: string, text: string): void;
  harness(...args: readonly string[]): {
    readonly status: number;
    readonly stdout: string;
    readonly stderr: string;
  };
  /** Begins the daemon in the foreground, so that the test has its process; there once it takes calls, or has ended. */
  serve(prefix?: readonly string[], ...args: readonly string[]): Promise<ChildProcess>;
  state(): { readonly answered: number; readonly refused: number } | null;
  fire(event: string, more?: JsonObject, options?: Fired): Promise<Answer>;
  tape(session?: string): string;
}

/**
 * What a call may take on a machine that is busy. The share of it that a daemon has to greet is long enough for one that is there,
 * and short enough to be waited for where it is stopped.
 */
const PATIENT_MS = 60_000;

export interface Fired {
  /** The native client instead of the launcher. */
  readonly native?: string;
  readonly entry?: string;
  /** In the place of Node. */
  readonly node?: string;
  readonly deadlineMs?: number;
}

/** Their launcher starts no daemon, unless `starts` says so: a test has the processes that it starts itself. */
export function user(files: Readonly<Record<string, string>>, { starts = false } = {}): User {
  const home = mkdtempSync(join(tmpdir(), 'harness-daemon-'));
  const dir = join(home, 'project');
  const folder = join(home, '.local/state/harness/daemon');
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: home };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  if (!starts) write('../.config/harness/harness.md', '---\ndaemon: off\n---\n');
  const harness = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI_FILE, ...args], {
      env,
      cwd: dir,
      encoding: 'utf8',
    });
    return { status: status ?? -1, stdout, stderr };
  };
  onTestFinished(() => {
    harness('daemon', 'stop');
    return remove(home);
  });
  const one: User = {
    home,
    dir,
    folder,
    env,
    write,
    harness,
    serve: async (prefix = [], ...args) => {
      const [program = process.execPath, ...rest] = [
        ...prefix,
        process.execPath,
        CLI_FILE,
        'daemon',
        'serve',
        ...args,
      ];
      const child = spawn(program, rest, { env, cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      const socket = join(folder, 'socket');
      await until(
        async () => child.exitCode !== null || child.signalCode !== null || (await takesCalls(socket)),
      );
      return child;
    },
    state: () => {
      for (let asked = 1; ; asked++) {
        const { stdout } = harness('daemon', 'status', '--json');
        const seen = JSON.parse(stdout) as { state: string; says?: { answered: number; refused: number } };
        // One that is there and has not answered yet, for want of a processor, is asked again.
        if (seen.state !== 'silent' || asked === 20) return seen.says ?? null;
      }
    },
    fire: async (event, more = {}, options = {}) => {
      const { native, entry = HOOK_FILE, node = process.execPath, deadlineMs = PATIENT_MS } = options;
      const words = [node, entry, 'claude-code', event, '--dir', dir];
      const line =
        native === undefined
          ? [...words, '--deadline', String(deadlineMs), '--mark']
          : [native, folder, String(deadlineMs), ...words, '--mark'];
      const input = JSON.stringify({ ...SAMPLES[event], cwd: dir, ...more });
      return whole(await run(line, input, env), native !== undefined);
    },
    tape: (session = 'session') => join(dir, `.harness/runs/${session}.jsonl`),
  };
  return one;
}

/** Without the mark, which has to be there; only the native client may end without one. */
function whole(answer: Answer, native: boolean): Answer {
  if (answer.stdout.endsWith(MARK)) return { ...answer, stdout: answer.stdout.slice(0, -MARK.length) };
  if (!native) throw new Error(`no whole answer: ${JSON.stringify(answer)}`);
  return { ...answer, stdout: DENY };
}

async function run(line: readonly string[], input: string, env: Record<string, string>): Promise<Answer> {
  const [program = '', ...args] = line;
  return new Promise<Answer>((resolve) => {
    const child = spawn(program, args, { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => resolve({ stdout, stderr, exitCode: code ?? -1 }));
  });
}

/** Its file is there a moment before anybody listens. */
export function takesCalls(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    const end = (taken: boolean) => {
      probe.destroy();
      resolve(taken);
    };
    probe.on('connect', () => end(true));
    probe.on('error', () => end(false));
  });
}

/** Null if there is no compiler. */
export function nativeClient(folder: string): string | null {
  return compiled(join(folder, 'harness-hook'), '-O2', '-Wall', '-Wextra', '-Werror', NATIVE_SOURCE);
}

export function decisions(path: string): number {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"decision"')).length;
}

/** Calls of a session that stand on its tape, each as often as it was decided. */
export function callsOnTape({ tape }: User): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of readFileSync(tape(), 'utf8').split('\n')) {
    if (!line.includes('"type":"decision"')) continue;
    const [, id = ''] = /"callId":"([^"]+)"/.exec(line) ?? [];
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

export const RULES = {
  '.harness/hooks/rule.md': hook(
    'tool.pre',
    'metrics.incr("calls")',
    'if "forbidden" in payload["args"]["command"]:',
    '  return block("not here")',
    'return allow()',
  ),
  '.harness/hooks/end.md': hook('agent.stop', 'return block("calls: %d" % metrics.get("calls"))'),
};

export async function verified({ tape }: User): Promise<void> {
  expect(await verifyTape(tape())).toMatchObject({ ok: true });
}
