/**
 * Processes that write tapes, for the tests of faults: built once from the sources, started, killed, and asked what they
 * were acknowledged.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { Acknowledge } from '../../src/tape/writer.ts';

export const dir = mkdtempSync(join(tmpdir(), 'harness-tape-'));
export const program = join(dir, 'tape-process.js');
export const launcher = join(dir, 'tape-launcher.js');

beforeAll(async () => {
  const entryPoints = ['tape-process.ts', 'tape-launcher.ts'].map(
    (file) => new URL(file, import.meta.url).pathname,
  );
  await build({ entryPoints, outdir: dir, bundle: true, platform: 'node', format: 'esm', banner: BANNER });
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
});

/** What the bundle takes in of other packages may still ask for modules in the old way. */
const BANNER = {
  js: "import { createRequire as _r } from 'node:module'; const require = _r(import.meta.url);",
};

afterAll(() => rmSync(dir, { recursive: true, force: true }));

export interface Told {
  readonly lines: readonly string[];
  /** The last entry it was acknowledged; 0 where none was. */
  readonly acknowledged: number;
}

export function told(output: string): Told {
  const lines = output.split('\n').slice(0, -1);
  const numbers = lines.map(Number).filter((number) => number > 0);
  return { lines, acknowledged: Math.max(0, ...numbers) };
}

/** Starts a writer and kills it so many milliseconds after it has opened the tape, or after it was started. */
export function writeAndKill(
  path: string,
  acknowledge: Acknowledge,
  after: 'start' | 'open',
  ms: number,
): Promise<Told> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, path, acknowledge, '400', '150000']);
    let output = '';
    const kill = () => setTimeout(() => child.kill('SIGKILL'), ms);
    if (after === 'start') kill();
    child.stdout.on('data', (chunk) => {
      if (after === 'open' && output === '') kill();
      output += String(chunk);
    });
    child.on('close', () => resolve(told(output)));
  });
}

/** Lets a writer come to its own end. */
export function write(args: readonly string[]): Promise<Told> {
  return start([program, ...args]);
}

/** Starts a process, and kills it after so many lines. */
export function start(args: readonly string[], killAfter = Infinity): Promise<Told> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.split('\n').length > killAfter) child.kill('SIGKILL');
    });
    child.on('close', () => resolve(told(output)));
  });
}
