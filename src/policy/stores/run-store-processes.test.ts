/**
 * A store of run state under real processes that want the same thing at once, and that die while they hold it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FileRunStore } from './file-run-store.ts';

const dir = mkdtempSync(join(tmpdir(), 'harness-stores-'));
const program = join(dir, 'run-store-process.mjs');

beforeAll(async () => {
  const entry = new URL('../../../test/support/run-store-process.ts', import.meta.url).pathname;
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' });
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function start(args: readonly string[], killAfterLines = Infinity): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.split('\n').length > killAfterLines) child.kill('SIGKILL');
    });
    child.on('close', () => resolve(output));
  });
}

it('two processes with one limit of 10 and 200 calls at once are granted exactly 10', async () => {
  const place = join(dir, 'limit');
  const said = await Promise.all([0, 1].map(() => start([place, 'reserve', '100', '10'])));
  const [granted, failed] = [0, 1].map((column) =>
    said.reduce((sum, line) => sum + Number(line.trim().split(' ')[column]), 0),
  );
  expect({ granted, failed }).toEqual({ granted: 10, failed: 0 });
});

it('a process that is killed at any moment loses no count it was told of, and holds nobody up', async () => {
  const place = join(dir, 'killed');
  let last = 0;
  for (let round = 0; round < 4; round++) {
    const lines = (await start([place, 'count', '100000'], 20 + round * 7)).split('\n').slice(0, -1);
    const told = Math.max(...lines.map(Number));
    const area = new FileRunStore(place, { waitMs: 5000 }).user();
    const next = area.incr('n');
    expect(next.ok).toBe(true);
    expect((next as { value: number }).value).toBeGreaterThan(told);
    expect(told).toBeGreaterThan(last);
    last = (next as { value: number }).value;
  }
});
