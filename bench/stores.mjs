// The run state part of `npm run bench:tape`: what an operation costs in memory and through files, alone and with another
// process after the same file. Printed, not judged: the time of a system call is the machine's.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { formatNs, median, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-stores-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const TIMES = Number(process.env.BENCH_STORE_TIMES ?? 2000);

export async function benchStores() {
  const outfile = join(scratch, 'stores.mjs');
  const entryPoints = [join(root, 'src/policy/stores/index.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  const { FileRunStore, MemoryRunStore } = await import(pathToFileURL(outfile).href);
  const operations = {
    reserve: (area, i) => area.reserve(`key ${i % 20}`, 1_000_000, 60_000, Date.now()),
    incr: (area) => area.incr('n'),
    get: (area) => area.get('n'),
  };
  const measure = (area) =>
    Object.entries(operations).map(([, act]) => {
      const times = [];
      for (let i = 0; i < TIMES; i++) {
        const start = process.hrtime.bigint();
        act(area, i);
        times.push(Number(process.hrtime.bigint() - start));
      }
      times.sort((a, b) => a - b);
      return `${formatNs(median(times))} (p99 ${formatNs(times[Math.floor(times.length * 0.99)])})`;
    });
  const memory = measure(new MemoryRunStore().user());
  const alone = measure(new FileRunStore(join(scratch, 'alone')).user());
  const shared = join(scratch, 'shared');
  const rival = await startRival(outfile, shared);
  const contended = measure(new FileRunStore(shared).user());
  rival.kill('SIGKILL');
  printTable(
    `Run state (median of ${TIMES}; bars: in process ≤ 20 µs, through files and alone ≤ 300 µs)`,
    ['store', ...Object.keys(operations)],
    [
      ['in memory', ...memory],
      ['in files, alone', ...alone],
      ['in files, another process at it', ...contended],
    ],
  );
}

/** Another process that counts in the same area as fast as it can. */
function startRival(module, dir) {
  const program = join(scratch, 'rival.mjs');
  writeFileSync(
    program,
    `import { FileRunStore } from ${JSON.stringify(pathToFileURL(module).href)};
const area = new FileRunStore(${JSON.stringify(dir)}, { waitMs: 60000 }).user();
process.stdout.write('ready');
for (;;) area.incr('rival');`,
  );
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve) => child.stdout.once('data', () => resolve(child)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchStores();
