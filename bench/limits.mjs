// `npm run bench:limits`: what a limit costs. A whole decision with `rate.limit` and with `state.incr` in its hook beside the same
// decision without, in memory and through the store in files, on one core with nobody else asking. Absolute times of a busy
// machine are not worth much alone; the line without a limit is the measure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { formatNs, median, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-limits-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const entry = join(scratch, 'entry.ts');
writeFileSync(
  entry,
  ['policy/open-policy.ts', 'policy/stores/file-run-store.ts', 'engine/stores/memory-run-store.ts']
    .map((path) => `export * from ${JSON.stringify(join(root, 'src', path))};`)
    .join('\n'),
);
const outfile = join(scratch, 'policy.mjs');
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
  banner: { js: "import { createRequire as _r } from 'node:module'; const require = _r(import.meta.url);" },
});
const { openPolicy, FileRunStore, MemoryRunStore } = await import(pathToFileURL(outfile).href);

const BODIES = {
  'no limit': 'return allow()',
  'rate.limit': 'return allow() if rate.limit("calls", 1000000, per="10ms") else block("over")',
  'budget.spend': 'return allow() if budget.spend("usd", 0.01, 1000000, per="10ms") else block("over")',
  'state.incr': 'return allow() if state.incr("n") > 0 else block("over")',
};

async function policyWith(body, store) {
  const dir = mkdtempSync(join(scratch, 'policy-'));
  mkdirSync(join(dir, '.harness', 'hooks'), { recursive: true });
  const hook = `---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      ${body}\n---\n`;
  writeFileSync(join(dir, '.harness', 'hooks', 'limit.md'), hook);
  return openPolicy(dir, { places: { managed: null, user: null }, store });
}

const CALL = { id: '1', name: 'echo', args: { text: 'x' } };

async function measure(policy, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const begin = process.hrtime.bigint();
    await policy.decide('tool.pre', CALL);
    times.push(Number(process.hrtime.bigint() - begin));
  }
  times.sort((a, b) => a - b);
  return { median: median(times), p99: times[Math.floor(times.length * 0.99)] };
}

const rows = [];
for (const [store, make, rounds] of [
  ['memory', () => new MemoryRunStore(), 20_000],
  ['files', () => new FileRunStore(mkdtempSync(join(scratch, 'store-'))), 4000],
]) {
  let plain = 0;
  for (const [name, body] of Object.entries(BODIES)) {
    const policy = await policyWith(body, make());
    await measure(policy, rounds / 4);
    const { median: middle, p99 } = await measure(policy, rounds);
    if (name === 'no limit') plain = middle;
    rows.push([
      store,
      name,
      formatNs(middle),
      formatNs(p99),
      name === 'no limit' ? '' : formatNs(middle - plain),
    ]);
  }
}
printTable(
  'Limits (bars: in process ≤ 20 µs, through files and alone ≤ 300 µs)',
  ['store', 'hook', 'a decision', 'p99', 'the limit itself'],
  rows,
);
