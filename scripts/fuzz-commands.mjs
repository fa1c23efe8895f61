// `npm run fuzz:commands -- [--count N] [--seed S] [--from N] [--batch N] [--parse]`: holds the reader of shell commands against
// real dash and bash. Prints a seed to go on from; the same seed and number make the same text.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'test/commands-fuzz');
const scratch = mkdtempSync(join(tmpdir(), 'harness-fuzz-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    from: { type: 'string', default: '0' },
    batch: { type: 'string', default: '250' },
    parse: { type: 'boolean', default: false },
    show: { type: 'string' },
  },
});
const number = (name) => {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 0) {
    console.error(`--${name}: want a whole number, got ${values[name]}`);
    process.exit(2);
  }
  return value;
};

const outfile = join(scratch, 'fuzz.mjs');
await build({
  entryPoints: [join(folder, 'fuzz.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
  define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(folder, 'fuzz.ts')).href) },
});
const { fuzzParses, fuzzTraces, makeForm, whyNoSandbox } = await import(pathToFileURL(outfile).href);

if (values.show !== undefined) {
  console.log(makeForm(number('seed'), number('from'), values.show));
  process.exit(0);
}
const why = whyNoSandbox();
if (why !== null) {
  console.error(`fuzz:commands runs shells only in a sandbox, and there is none: ${why}`);
  process.exit(2);
}
const options = {
  seed: number('seed'),
  from: number('from'),
  count: number('count'),
  batch: number('batch'),
  say: console.error,
};
console.error(`seed ${options.seed}`);
const report = await (values.parse ? fuzzParses : fuzzTraces)(options);
for (const { shell, number: at, text, what } of report.misses.slice(0, 40)) {
  console.log(`\n${shell} --from ${at} --count 1\n${text}\n  ${what}`);
}
const { misses, ...figures } = report;
console.log(JSON.stringify({ ...figures, misses: misses.length, seed: options.seed }));
process.exit(misses.length > 0 || report.stuck > 0 ? 1 : 0);
