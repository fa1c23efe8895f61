// The replay part of `npm run bench:tape`: a tape of the governed stack, decided again with its hooks and from its recorded
// returns alone, from the file on disk to the report. Beside it what deciding costs without a tape, and what recording adds.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { median, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-replay-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 20_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const WARMUP = 2;
const BAR = 50_000;

const CALLS = [
  { id: 'call_1', name: 'run_command', args: { command: 'npm test -- --run src/app' } },
  { id: 'call_2', name: 'write_file', args: { path: 'src/app.ts', content: 'export const answer = 42;\n' } },
  { id: 'call_3', name: 'run_command', args: { command: 'sudo rm -rf / --no-preserve-root' } },
  { id: 'call_4', name: 'read_file', args: { path: 'src/../../etc/passwd' } },
  { id: 'call_5', name: 'search', args: { pattern: 'TODO', path: 'src', limit: 20 } },
  { id: 'call_6', name: 'edit_file', args: { path: '.harness/hooks/command_guard.md', old: 'a', new: 'b' } },
];

/** The sources as they are, in one bundle: a module loaded twice would have two of every class. */
async function load() {
  const outfile = join(scratch, 'harness.mjs');
  const lines = [
    `export { loadProject, Engine, RunState, machineHost } from './index.ts';`,
    `export { openTape, replayTape } from './tape/index.ts';`,
  ];
  await build({
    stdin: { contents: lines.join('\n'), resolveDir: join(root, 'src'), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire as _r } from 'node:module'; const require = _r(import.meta.url);" },
  });
  return import(pathToFileURL(outfile).href);
}

/** Whether the bar was reached. */
export async function benchReplay() {
  const { loadProject, Engine, RunState, machineHost, openTape, replayTape } = await load();
  const project = await loadProject(join(root, 'bench', 'governed'));
  const { hooks } = project;

  const decideAll = (recorder) => {
    const run = new RunState(project.settings);
    const engine = new Engine({ hooks, host: machineHost, run, ...(recorder && { recorder }) });
    for (let i = 0; i < DECISIONS; i++) {
      engine.decide('tool.pre', { ...CALLS[i % CALLS.length], id: `call_${i}` });
      run.logs.length = 0;
    }
  };
  let tapes = 0;
  const record = () => {
    const path = join(scratch, `${tapes++}.jsonl`);
    const tape = openTape(path, { session: String(tapes), hooks, project, host: machineHost });
    decideAll(tape.recorder);
    tape.close();
    return path;
  };
  const path = record();
  const check = ({ decisions, differences }) => {
    if (decisions !== DECISIONS || differences.length > 0)
      throw new Error(`${decisions} decisions, ${JSON.stringify(differences[0])}`);
  };
  // One after the other and not in turns: a process that replays does nothing else, and is measured as such.
  const contenders = {
    'replay with the hooks': async () => check(await replayTape(path, { hooks })),
    'replay from the returns': async () => check(await replayTape(path)),
    'decide and record': () => record(),
    'decide, no tape': () => decideAll(null),
  };
  const times = new Map();
  for (const [name, work] of Object.entries(contenders)) {
    const all = [];
    for (let round = -WARMUP; round < ROUNDS; round++) {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) all.push((user + system) / DECISIONS);
    }
    times.set(name, all);
  }
  const size = statSync(path).size;
  const plain = median(times.get('decide, no tape'));
  printTable(
    `Replay: ${DECISIONS} decisions of the governed stack, ${Math.round(size / DECISIONS)} bytes of tape each`,
    ['what', 'CPU a decision', 'a second', 'of deciding', 'bar'],
    [...times].map(([name, all]) => {
      const each = median(all);
      const bar = name.startsWith('replay') ? `≥ ${BAR}` : '';
      return [name, `${each.toFixed(1)} µs`, Math.round(1e6 / each), `${(each / plain).toFixed(1)}×`, bar];
    }),
  );
  return [...times].every(([name, all]) => !name.startsWith('replay') || 1e6 / median(all) >= BAR);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchReplay();
