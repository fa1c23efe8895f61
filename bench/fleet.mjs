// `npm run bench:fleet`: every figure of the fleet that has a bar, as a ratio in one run. Exits 1 where one is missed.
//     node bench/fleet.mjs [ingest] [many] [decide]      only those; BENCH_ENTRIES, BENCH_MACHINES and BENCH_ROUNDS make a run smaller
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/postgres.mjs';
import { endAll } from './fleet/commands.mjs';
import { benchDecide } from './fleet/decide.mjs';
import { benchIngest } from './fleet/ingest.mjs';
import { benchMany } from './fleet/many.mjs';
import { printTable } from './measure.mjs';

const PARTS = { ingest: benchIngest, many: benchMany, decide: benchDecide };
const wanted = process.argv.slice(2);

const server = await startPostgres();
if (server === null) {
  console.error('SKIPPED: PostgreSQL is missing and cannot be installed here');
  process.exit(0);
}
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-fleet-'));
const bars = [];
try {
  for (const [name, bench] of Object.entries(PARTS))
    if (wanted.length === 0 || wanted.includes(name)) bars.push(...(await bench(server, scratch)));
} finally {
  endAll();
  server.stop();
  rmSync(scratch, { recursive: true, force: true });
}
/** `least`: the bar is the least it may be, not the most. */
const holds = ([, got, bar, least]) => (least ? got >= bar : got <= bar);
printTable(
  'Bars of the fleet',
  ['', 'measured', 'bar', ''],
  bars.map((bar) => [
    bar[0],
    bar[1].toFixed(bar[1] < 10 ? 3 : 0),
    `${bar[3] ? '≥' : '≤'} ${bar[2]}`,
    holds(bar) ? 'ok' : 'MISSED',
  ]),
);
process.exitCode = bars.every(holds) ? 0 : 1;
