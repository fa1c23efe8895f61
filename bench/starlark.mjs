// `npm run bench:starlark [PROGRAM…]`: the same programs here, in CPython (python3) and in starlark-go (STARLARK_GO, or `starlark` on PATH), CPU
// time, interleaved in one run. Warm is a call of main() once it is warm; cold the first run in a fresh process, compilation
// included; the others are whole processes less an empty one. Exits 1 where a bar is missed.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, printTable } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, 'starlark/programs');
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const only = process.argv.slice(2);
/** Warm, to starlark-go, in the middle of all programs. On each program, and cold, it is 1; so it is to CPython warm. */
const MEDIAN_BAR = 4;
const FIRST_COMPILE_MS = 6;

function cpuOfProcess(command, args) {
  const timed = ['-c', 'exec 3>&2; TIMEFORMAT="%U %S"; time "$@" >&3 2>&3', 'bash', command, ...args];
  // One processor: what its collector does beside the program is counted once.
  const env = { ...process.env, GOMAXPROCS: '1' };
  const { stderr, status } = spawnSync('bash', timed, { encoding: 'utf8', env });
  const match = /([\d.]+) ([\d.]+)\s*$/.exec(stderr);
  if (status !== 0 || match === null) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  return { ms: (Number(match[1]) + Number(match[2])) * 1000, printed: stderr.split('\n')[0] };
}

function runScript(script, ...args) {
  const argv = [join(here, 'starlark', script), ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} ${args.join(' ')} failed: ${stderr}`);
  return JSON.parse(stdout);
}

const trivial = join(here, 'starlark/empty.star');
const works = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const goCommand = process.env.STARLARK_GO ?? 'starlark';
const goArgs = [['-recursion', '-set'], []].find((args) => works(goCommand, [...args, trivial]));
// A version manager's shim would be billed to Python; ask for the real binary.
const which = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
const python = which.stdout?.trim();
const PEERS = {
  python: python && ((file) => cpuOfProcess(python, ['-S', join(here, 'starlark/python.py'), file])),
  go: goArgs && ((file) => cpuOfProcess(goCommand, [...goArgs, file])),
};
const peers = Object.entries(PEERS).filter(([, run]) => run);
const empty = Object.fromEntries(
  peers.map(([name, run]) => [name, median([1, 2, 3, 4, 5].map(() => run(trivial).ms))]),
);

const rows = [];
const missed = [];
const toGo = [];
const names = readdirSync(folder).map((file) => file.replace('.star', ''));
for (const name of names.filter((each) => only.length === 0 || only.includes(each))) {
  process.stderr.write(`${name} …\r`);
  const file = join(folder, `${name}.star`);
  const samples = { warm: [], cold: [], python: [], go: [] };
  for (let round = 0; round < rounds; round++) {
    const { warm, result } = runScript('warm.mjs', file, 'js');
    samples.warm.push(...warm);
    samples.cold.push(runScript('cold.mjs', file));
    for (const [peer, run] of peers) {
      const { ms, printed } = run(file);
      if (printed !== result) throw new Error(`${name}: ${peer} says ${printed}, we say ${result}`);
      samples[peer].push(ms - empty[peer]);
    }
  }
  const ms = Object.fromEntries(
    Object.entries(samples).map(([key, values]) => [key, values.length ? median(values) : null]),
  );
  const ratio = (peer, own) => {
    if (ms[peer] === null) return 'n/a';
    const got = ms[peer] / ms[own];
    if (got < 1 && !(peer === 'python' && own === 'cold'))
      missed.push(`${name}, ${own}: ${got.toFixed(2)}× ${peer}`);
    return `${got.toFixed(2)}×`;
  };
  if (ms.go !== null) toGo.push(ms.go / ms.warm);
  const times = [ms.warm, ms.cold, ms.python, ms.go].map((each) => each?.toFixed(1) ?? 'n/a');
  rows.push([
    name,
    ...times,
    ratio('python', 'warm'),
    ratio('go', 'warm'),
    ratio('go', 'cold'),
    ratio('python', 'cold'),
  ]);
}

printTable(
  'Starlark, CPU milliseconds (medians), and how many times as long the others take (bar: 1× in the first three)',
  ['program', 'warm', 'cold', 'python', 'go', 'python/warm', 'go/warm', 'go/cold', 'python/cold'],
  rows,
);
if (toGo.length > 0) {
  const middle = median(toGo);
  console.log(`\nstarlark-go in the middle, warm: ${middle.toFixed(2)}× (bar ${MEDIAN_BAR}×)`);
  if (middle < MEDIAN_BAR) missed.push(`median to starlark-go ${middle.toFixed(2)}×`);
}
const first = [1, 2, 3, 4, 5].map(() => runScript('first-compile.mjs', join(folder, 'policy.star')));
const compiled = median(first.map((each) => each.compiled));
const ran = median(first.map((each) => each.ran));
console.log(
  `first compile in a process: ${compiled.toFixed(2)} ms (bar ${FIRST_COMPILE_MS} ms); translated and run: ${ran.toFixed(2)} ms`,
);
if (compiled > FIRST_COMPILE_MS) missed.push(`first compile ${compiled.toFixed(2)} ms`);
for (const [name, run] of Object.entries(PEERS)) if (!run) console.log(`NOT MEASURED: ${name} is not here`);
console.log(missed.length === 0 ? 'every bar holds' : `below a bar:\n  ${missed.join('\n  ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
