// Interleaved timing: every contender runs a batch in each round, so that a noisy machine disturbs all alike, and the
// table shows ratios of medians from one run.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Times `contenders` ({ name, run(): work of `operations` operations }) over `rounds` rounds; returns ns per operation. */
export function interleave(contenders, { rounds = 31, warmup = 5 } = {}) {
  const samples = new Map(contenders.map((c) => [c.name, []]));
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run, operations } of contenders) {
      const start = process.hrtime.bigint();
      run();
      const nanoseconds = Number(process.hrtime.bigint() - start) / operations;
      if (round >= 0) samples.get(name).push(nanoseconds);
    }
  }
  return new Map([...samples].map(([name, values]) => [name, median(values)]));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

export function formatNs(nanoseconds) {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(2)} µs`;
  return `${(nanoseconds / 1e6).toFixed(2)} ms`;
}

/** Prints rows of cells in aligned columns, the first column left, the others right. */
export function printTable(title, header, rows) {
  const all = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, i) => Math.max(...all.map((row) => [...row[i]].length)));
  const line = (row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  console.log(`\n${title}`);
  console.log(line(all[0]));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of all.slice(1)) console.log(line(row));
}

/** Milliseconds of CPU a start, of `each` starts in a row at home in `scratch`: a shell adds up what its children took. */
export function startCpu(argv, input, each, scratch) {
  const file = join(scratch, 'input');
  // Each its own: the same call twice is answered from what was said of it.
  for (let n = 0; n < each; n++) writeFileSync(`${file}.${n}`, input());
  const script = `n=0; while [ $n -lt ${each} ]; do "$@" < "${file}.$n" > /dev/null || exit 9; n=$((n+1)); done; times`;
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scratch, HARNESS_DAEMON: 'off' };
  const { stdout, status } = spawnSync('/bin/sh', ['-c', script, 'sh', ...argv], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${argv.join(' ')}: exit ${status}`);
  const [user, system] = stdout
    .trim()
    .split('\n')[1]
    .match(/(\d+)m([\d.]+)s/g)
    .map((each) => {
      const [, minutes, seconds] = each.match(/(\d+)m([\d.]+)s/);
      return Number(minutes) * 60_000 + Number(seconds) * 1000;
    });
  return (user + system) / each;
}

/** Seconds by the clock and of CPU, and the peak in MB, of a Node process, which tells it itself when it ends. */
export function processTook(args, { scratch, cwd = scratch }) {
  const [told, tell] = [join(scratch, 'told.json'), join(scratch, 'tell.cjs')];
  writeFileSync(
    tell,
    `process.on('exit', () => {
  if (!require('node:worker_threads').isMainThread) return;
  const { user, system } = process.cpuUsage();
  const took = { cpu: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 };
  require('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(took));
});`,
  );
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--require', tell, ...args], {
    cwd,
    env: { ...process.env, HOME: scratch },
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(String(stderr));
  return { wall: (performance.now() - began) / 1000, ...JSON.parse(readFileSync(told, 'utf8')) };
}
