// `npm run bench:starlark`: both back ends beside `starlark` (the Go binary, where it is on PATH) and python3, the same
// programs, CPU time, interleaved in one run. Warm is the median of many calls of main(); cold is the first run in a
// fresh process, compilation included; the others are whole processes less an empty one.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, printTable } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, 'starlark/programs');
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const only = process.argv.slice(2);

/** Bars against the Go implementation, warm. */
const BARS = {
  policy: 7,
  stack: 4,
  calls: 20,
  loops: 20,
  sieve: 3,
  listdict: 3,
  strings: 3,
  concat: 3,
  bigint: 2.5,
  floats: 2.5,
  sort: 1.5,
};

function cpuOfProcess(command, args) {
  const timed = ['-c', 'exec 3>&2; TIMEFORMAT="%U %S"; time "$@" >&3 2>&3', 'bash', command, ...args];
  const { stderr, status } = spawnSync('bash', timed, { encoding: 'utf8' });
  const match = /([\d.]+) ([\d.]+)\s*$/.exec(stderr);
  if (status !== 0 || match === null) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  return (Number(match[1]) + Number(match[2])) * 1000;
}

const works = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const goCommand = process.env.STARLARK_GO ?? 'starlark';
const trivial = join(here, 'starlark/empty.star');
const goArgs = works(goCommand, ['-recursion', trivial])
  ? ['-recursion']
  : works(goCommand, [trivial])
    ? []
    : null;
// A version manager's shim would be billed to Python; ask for the real binary.
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
}).stdout?.trim();

function runScript(script, ...args) {
  const { stdout, status } = spawnSync(process.execPath, [join(here, 'starlark', script), ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${script} ${args.join(' ')} failed`);
  return JSON.parse(stdout);
}

const names = readdirSync(folder)
  .map((file) => file.replace('.star', ''))
  .filter((name) => only.length === 0 || only.includes(name));
const emptyGo = goArgs && median([1, 2, 3].map(() => cpuOfProcess(goCommand, [trivial])));
const emptyPython = python && median([1, 2, 3].map(() => cpuOfProcess(python, ['-S', trivial])));

const rows = [];
const missed = [];
for (const name of names) {
  process.stderr.write(`${name} …\r`);
  const file = join(folder, `${name}.star`);
  const samples = { js: [], closures: [], cold: [], go: [], python: [] };
  for (let round = 0; round < rounds; round++) {
    samples.js.push(...runScript('warm.mjs', file, 'js'));
    samples.closures.push(...runScript('warm.mjs', file, 'closures'));
    samples.cold.push(runScript('cold.mjs', file));
    if (goArgs) samples.go.push(cpuOfProcess(goCommand, [...goArgs, file]) - emptyGo);
    if (python) samples.python.push(cpuOfProcess(python, ['-S', file]) - emptyPython);
  }
  const ms = Object.fromEntries(
    Object.entries(samples).map(([key, values]) => [key, values.length ? median(values) : null]),
  );
  const ratio = (a, b) => (a === null ? 'n/a' : `${(a / b).toFixed(1)}×`);
  if (ms.go !== null && ms.go / ms.js < BARS[name])
    missed.push(`${name}: go/js ${ratio(ms.go, ms.js)}, bar ${BARS[name]}×`);
  if (ms.go !== null && ms.go / ms.cold < 1) missed.push(`${name}: cold ${ratio(ms.go, ms.cold)} of go`);
  if (ms.python !== null && ms.python / ms.js < 1)
    missed.push(`${name}: slower than CPython (${ratio(ms.python, ms.js)})`);
  const cell = (value) => (value === null ? 'n/a' : value.toFixed(1));
  rows.push([
    name,
    cell(ms.js),
    cell(ms.closures),
    cell(ms.cold),
    cell(ms.go),
    cell(ms.python),
    ratio(ms.go, ms.js),
    `≥ ${BARS[name]}×`,
    ratio(ms.go, ms.closures),
    ratio(ms.go, ms.cold),
    ratio(ms.python, ms.js),
  ]);
}

printTable(
  'Starlark, CPU milliseconds (medians) and ratios: higher is faster than the other',
  [
    'program',
    'js',
    'closures',
    'js cold',
    'go',
    'python',
    'go/js',
    'bar',
    'go/closures',
    'go/cold',
    'python/js',
  ],
  rows,
);
const first = [1, 2, 3, 4, 5].map(() => runScript('first-compile.mjs', join(folder, 'policy.star')));
const until = (what) => `${median(first.map((each) => each[what])).toFixed(2)} ms`;
console.log(
  `\nfirst compile in a process: ${until('compiled')} (bar 6 ms); translated and run: ${until('ran')}`,
);
if (!goArgs) console.log('`starlark` (Go) is not on PATH: set STARLARK_GO or install it to see its column');
console.log(
  missed.length === 0 ? 'every bar that could be measured holds' : `below a bar:\n  ${missed.join('\n  ')}`,
);
