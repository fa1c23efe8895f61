/**
 * Runs the built command the way a person does: a process of its own, in a folder of its own.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { remove } from '../support/remove.ts';

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
}

/** A process that does not end in time is killed, and the test sees the signal. */
const LIMIT_MS = 120_000;

export function harness(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return finish([process.execPath, CLI_FILE, ...args], options);
}

/** Any program, to its end. */
export function finish(
  [file = '', ...args]: readonly string[],
  { input, cwd, env, limitMs = LIMIT_MS }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      // Colours of the terminal that runs the tests are not part of what is tested; a test leaves no daemon behind.
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HARNESS_TRUST: 'all',
        HARNESS_DAEMON: 'off',
        ...env,
      },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
    if (input !== undefined) {
      // A command that does not read its input is no failure of the test.
      child.stdin!.on('error', () => {});
      child.stdin!.end(input);
    }
  });
}

/** A project of given files in a temporary folder, removed after the tests of the file. */
export function project(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'harness-test-'));
  made.push(dir);
  for (const [path, content] of Object.entries(files)) write(dir, path, content);
  return dir;
}

export function write(dir: string, path: string, content: string | Uint8Array): void {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A hook file: the frontmatter lines and a body. */
export function hookFile(frontmatter: string, body = '# hook\n\nA hook of a test.\n'): string {
  return `---\n${frontmatter.trimEnd()}\n---\n\n${body}`;
}

const made: string[] = [];

afterAll(async () => {
  for (const dir of made) await remove(dir);
});
