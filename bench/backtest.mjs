// `npm run bench:backtest`: the governed stack tried on recorded decisions, beside a plain loop that only parses the same
// lines; then the built command on many tapes, on one thread and on two, and its memory on few and on many.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { median, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-backtest-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 20_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const TAPES = Number(process.env.BENCH_TAPES ?? 400);
const WARMUP = 2;
const BAR = 100_000;
const PARALLEL_BAR = 0.9;

const CALLS = [
  { name: 'run_command', args: { command: 'npm test -- --run src/app' } },
  { name: 'write_file', args: { path: 'src/app.ts', content: 'export const answer = 42;\n' } },
  { name: 'run_command', args: { command: 'sudo shutdown now' } },
  { name: 'read_file', args: { path: 'src/../../etc/passwd' } },
  { name: 'search', args: { pattern: 'TODO', path: 'src', limit: 20 } },
];

const outfile = join(scratch, 'harness.mjs');
await build({
  stdin: {
    contents: [
      `export { openPolicy, machineHost } from './index.ts';`,
      `export { openTape, replayTape } from './tape/index.ts';`,
      `export { Backtest } from './tape/backtest/backtest-tape.ts';`,
      `export { checkTape } from './tape/backtest/check-tape.ts';`,
    ].join('\n'),
    resolveDir: join(root, 'src'),
    loader: 'ts',
  },
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
  banner: { js: "import { createRequire as _r } from 'node:module'; const require = _r(import.meta.url);" },
});
const { openPolicy, machineHost, openTape, Backtest, checkTape } = await import(pathToFileURL(outfile).href);
const folder = join(root, 'bench', 'governed');
const policy = await openPolicy(folder, { places: { managed: null, user: null } });

function record(path, decisions) {
  const tape = openTape(path, {
    session: path,
    hooks: policy.hooks,
    policy: policy.digest,
    host: machineHost,
  });
  const run = policy.newRun();
  const engine = policy.engine({ run, canAsk: true, recorder: tape.recorder });
  for (let i = 0; i < decisions; i++) {
    engine.decide('tool.pre', { ...CALLS[i % CALLS.length], id: `call_${i}` });
    run.logs.length = 0;
  }
  tape.close();
  return path;
}

const path = record(join(scratch, 'one.jsonl'), DECISIONS);
const check = ({ decisions, same }) => {
  if (decisions !== DECISIONS || same !== DECISIONS) throw new Error(`${same} of ${decisions} the same`);
};
const backtest = new Backtest(policy.hooks);
const contenders = {
  'parse the lines, nothing else': () => {
    for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
  },
  backtest: async () => check(await backtest.run(path)),
  'self-check before it': async () => {
    const problem = await checkTape(path);
    if (problem !== null) throw new Error(problem);
  },
};
const times = new Map(Object.keys(contenders).map((name) => [name, []]));
for (let round = -WARMUP; round < ROUNDS; round++) {
  for (const [name, work] of Object.entries(contenders)) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) times.get(name).push((user + system) / DECISIONS);
  }
}
const plain = median(times.get('parse the lines, nothing else'));
printTable(
  `Backtest: ${DECISIONS} decisions of the governed stack, ${Math.round(statSync(path).size / DECISIONS)} bytes of tape each`,
  ['what', 'CPU a decision', 'a second', 'of parsing', 'bar'],
  [...times].map(([name, all]) => {
    const each = median(all);
    return [
      name,
      `${each.toFixed(1)} µs`,
      Math.round(1e6 / each),
      `${(each / plain).toFixed(1)}×`,
      name === 'backtest' ? `≥ ${BAR}` : '',
    ];
  }),
);
let met = 1e6 / median(times.get('backtest')) >= BAR;

// The command itself, which a reader of tapes starts.
const cli = join(root, 'dist/cli/harness.cjs');
if (!existsSync(cli)) execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'ignore' });
const many = join(scratch, 'many');
mkdirSync(many);
const small = record(join(scratch, 'small.jsonl'), 1000);
for (let i = 0; i < TAPES; i++) copyFileSync(small, join(many, `${i}.jsonl`));
const few = join(scratch, 'few');
mkdirSync(few);
for (let i = 0; i < 10; i++) copyFileSync(small, join(few, `${i}.jsonl`));

const run = (tapes, jobs) => {
  const began = process.hrtime.bigint();
  const args = [
    cli,
    'backtest',
    tapes,
    '--policy',
    folder,
    '--no-self-check',
    '--json',
    '--jobs',
    String(jobs),
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  const { same } = JSON.parse(stdout);
  if (same !== TAPES * 1000) throw new Error(`${same} the same`);
  return Number(process.hrtime.bigint() - began) / 1e9;
};
const parseAll = (copies) => {
  const code = `const fs=require('fs');for(const f of fs.readdirSync(process.argv[1]))for(const l of fs.readFileSync(process.argv[1]+'/'+f,'utf8').split('\\n'))if(l!=='')JSON.parse(l)`;
  const began = process.hrtime.bigint();
  const line = Array.from({ length: copies }, () => `"$0" -e "$1" "$2" &`).join(' ');
  spawnSync('sh', ['-c', `${line} wait`, process.execPath, code, many]);
  return (copies * TAPES * 1000) / (Number(process.hrtime.bigint() - began) / 1e9);
};
const rate = (jobs) => (TAPES * 1000) / run(many, jobs);
const [one, two, parseOne, parseTwo] = [rate(1), rate(2), parseAll(1), parseAll(2)];
printTable(
  `The command on ${TAPES} tapes of 1000 decisions, wall clock`,
  ['what', 'a second', 'two ÷ one'],
  [
    ['plain parsing loop, one copy', Math.round(parseOne), ''],
    ['plain parsing loop, two copies', Math.round(parseTwo), `${(parseTwo / parseOne).toFixed(2)}×`],
    ['backtest, one thread', Math.round(one), ''],
    [
      'backtest, two threads',
      Math.round(two),
      `${(two / one).toFixed(2)}×, bar ≥ ${(PARALLEL_BAR * (parseTwo / parseOne)).toFixed(2)}×`,
    ],
  ],
);
met &&= two / one >= PARALLEL_BAR * (parseTwo / parseOne);
const peakOf = (tapes) => {
  const code = `process.on('exit',()=>console.error('peak '+process.resourceUsage().maxRSS));process.argv.splice(1,0,${JSON.stringify(cli)});require(${JSON.stringify(cli)})`;
  const args = ['backtest', tapes, '--policy', folder, '--no-self-check', '--json', '--jobs', '1'];
  const { stderr } = spawnSync(process.execPath, ['-e', code, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return Number(/peak (\d+)/.exec(stderr)[1]) / 1024;
};
const [low, high] = [peakOf(few), peakOf(many)];
printTable(
  'Peak memory, one thread',
  ['tapes', 'MB'],
  [
    ['10', low.toFixed(0)],
    [String(TAPES), high.toFixed(0)],
  ],
);
process.exitCode = met ? 0 : 1;
