// `npm run bench:backtest`: the built command on tapes of the governed stack, on one thread and on two, beside a plain loop that
// only parses the same lines; and its peak memory on 10 tapes and on 10,000. CPU time is that of whole processes, with what the
// same process takes on one small tape taken off; all contenders take turns.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineHost, openPolicy } from '../dist/lib/index.js';
import { openTape } from '../dist/lib/tape/index.js';
import { CLI_FILE } from '../scripts/build-cli.mjs';
import { median, printTable, processTook } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-backtest-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const TAPES = Number(process.env.BENCH_TAPES ?? 400);
const DECISIONS = 1000;
const MANY = Number(process.env.BENCH_MANY ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Decisions a second; parts of what the plain loop reaches; how often the memory of 10 tapes. */
const BARS = { one: 100_000, two: 0.9, memory: 1.1 };

const CALLS = [
  { name: 'run_command', args: { command: 'npm test -- --run src/app' } },
  { name: 'write_file', args: { path: 'src/app.ts', content: 'export const answer = 42;\n' } },
  { name: 'run_command', args: { command: 'sudo shutdown now' } },
  { name: 'read_file', args: { path: 'src/../../etc/passwd' } },
  { name: 'search', args: { pattern: 'TODO', path: 'src', limit: 20 } },
];
const folder = join(root, 'bench', 'governed');
const policy = await openPolicy(folder, { places: { managed: null, user: null } });

function record(path, decisions) {
  const { hooks, digest } = policy;
  const tape = openTape(path, { session: path, hooks, policy: digest, host: machineHost });
  const run = policy.newRun();
  const engine = policy.engine({ run, canAsk: true, recorder: tape.recorder });
  for (let i = 0; i < decisions; i++) {
    engine.decide('tool.pre', { ...CALLS[i % CALLS.length], id: `call_${i}` });
    run.logs.length = 0;
  }
  tape.close();
  return path;
}

function folderOf(tapes, decisions) {
  const path = join(scratch, `${tapes}-${decisions}`);
  mkdirSync(path);
  const tape = record(join(scratch, 'tape.jsonl'), decisions);
  for (let i = 0; i < tapes; i++) copyFileSync(tape, join(path, `${i}.jsonl`));
  rmSync(tape);
  return path;
}

const PARSE = join(scratch, 'parse.cjs');
writeFileSync(
  PARSE,
  `const fs = require('node:fs');
for (const folder of process.argv.slice(2))
  for (const name of fs.readdirSync(folder))
    for (const line of fs.readFileSync(folder + '/' + name, 'utf8').split('\\n')) if (line !== '') JSON.parse(line);`,
);

const took = (...args) => processTook(args, { scratch });

const backtest = (tapes, jobs, ...more) =>
  took(CLI_FILE, 'backtest', tapes, '--policy', folder, '--json', '--jobs', String(jobs), ...more);

const many = folderOf(TAPES, DECISIONS);
const one = folderOf(1, 1);
const UNCHECKED = '--no-self-check';
const CONTENDERS = {
  'parse the lines, nothing else': (tapes) => took(PARSE, tapes),
  'backtest, one thread': (tapes) => backtest(tapes, 1, UNCHECKED),
  'backtest with its self-check, one thread': (tapes) => backtest(tapes, 1),
};
const all = TAPES * DECISIONS;
const cpu = new Map(Object.keys(CONTENDERS).map((name) => [name, []]));
const wall = { parse: [], backtest: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(CONTENDERS)) {
    cpu.get(name).push((run(many).cpu - run(one).cpu) / all);
  }
  const began = performance.now();
  const both = Array.from({ length: 2 }, () => `"$0" "$1" "$2" &`).join(' ');
  spawnSync('sh', ['-c', `${both} wait`, process.execPath, PARSE, many]);
  wall.parse.push((2 * all) / ((performance.now() - began) / 1000));
  wall.backtest.push(all / backtest(many, 2, UNCHECKED).wall);
}
const each = (name) => median(cpu.get(name)) * 1e6;
const plain = each('parse the lines, nothing else');
printTable(
  `backtest: ${TAPES} tapes of ${DECISIONS} decisions of the governed stack`,
  ['what', 'CPU a decision', 'a second', 'of parsing', 'bar'],
  Object.keys(CONTENDERS).map((name) => [
    name,
    `${each(name).toFixed(1)} µs`,
    Math.round(1e6 / each(name)),
    `${(each(name) / plain).toFixed(2)}×`,
    name === 'backtest, one thread' ? `≥ ${BARS.one}` : '',
  ]),
);
const [two, copies] = [median(wall.backtest), median(wall.parse)];
printTable(
  'On two, by the clock, starts included',
  ['what', 'a second', 'of the copies', 'bar'],
  [
    ['two copies of the parsing loop', Math.round(copies), '', ''],
    ['backtest, two threads', Math.round(two), (two / copies).toFixed(2), `≥ ${BARS.two}`],
  ],
);

const [few, lots] = [folderOf(10, 10), folderOf(MANY, 10)];
const peaks = [1, 2].map((jobs) => {
  const [low, high] = [few, lots].map((tapes) =>
    median(Array.from({ length: 3 }, () => backtest(tapes, jobs).peak)),
  );
  return { jobs, low, high, times: high / low };
});
printTable(
  `Peak memory on 10 tapes and on ${MANY}, of 10 decisions, with the self-check`,
  ['threads', '10', String(MANY), 'times', 'bar'],
  peaks.map(({ jobs, low, high, times }) => [
    jobs,
    `${low.toFixed(0)} MB`,
    `${high.toFixed(0)} MB`,
    times.toFixed(2),
    `≤ ${BARS.memory}`,
  ]),
);
const met =
  1e6 / each('backtest, one thread') >= BARS.one &&
  two / copies >= BARS.two &&
  peaks.every(({ times }) => times <= BARS.memory);
process.exitCode = met ? 0 : 1;
