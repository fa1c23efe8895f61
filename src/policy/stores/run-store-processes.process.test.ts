/**
 * A store of run state under real processes that want the same thing at once, and that die while they hold it.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** How often a process that counts to 3 asks the disk to have what it wrote. */
async function syncsOf(place: string, sync: boolean): Promise<{ data: number; whole: number }> {
  const trace = join(dir, `${sync}.json`);
  const traced = ['--trace-event-categories', 'node.fs.sync', '--trace-event-file-pattern', trace];
  const argv = [...traced, program, place, 'count', '3'];
  const child = spawn(process.execPath, argv, { env: { ...process.env, SYNC: String(sync) } });
  await new Promise((resolve) => child.on('close', resolve));
  const { traceEvents } = JSON.parse(readFileSync(trace, 'utf8')) as {
    traceEvents: { name: string; ph: string }[];
  };
  const count = (name: string) => traceEvents.filter((one) => one.name === name && one.ph === 'B').length;
  return { data: count('fs.sync.fdatasync'), whole: count('fs.sync.fsync') };
}

it('with sync every change is on the disk before it is acknowledged, and the names of a new journal and its folder too', async () => {
  expect(await syncsOf(join(dir, 'synced'), true)).toEqual({ data: 3, whole: 2 });
  expect(await syncsOf(join(dir, 'not synced'), false)).toEqual({ data: 0, whole: 1 });
});

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

it('two processes with one limit of 10 and 200 calls at once are granted exactly 10, also behind an empty lock', async () => {
  const place = join(dir, 'limit');
  // A loss of power left it: both take it over at once.
  mkdirSync(place, { mode: 0o700 });
  writeFileSync(join(place, 'user.jsonl.lock'), '');
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
