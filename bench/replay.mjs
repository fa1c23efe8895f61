// The replay part of `npm run bench:tape`: a tape of the governed stack, decided again with its hooks and from its recorded
// returns alone, from the file on disk to the report. Beside it what deciding costs without a tape, what recording adds with
// redaction and without, what the system takes of that, and a plain loop that only parses the same lines. All of the package as it ships.
import { hash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Engine, loadProject, machineHost, RunState } from '../dist/lib/index.js';
import { openTape, replayTape } from '../dist/lib/tape/index.js';
import { median, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-replay-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 20_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const WARMUP = 2;
/** Microseconds a decision: of a replay with the hooks, and of what recording adds beside redaction. */
export const TAPE_BARS = { replay: 10, recording: 20 };

const CALLS = [
  { id: 'call_1', name: 'run_command', args: { command: 'npm test -- --run src/app' } },
  { id: 'call_2', name: 'write_file', args: { path: 'src/app.ts', content: 'export const answer = 42;\n' } },
  { id: 'call_3', name: 'run_command', args: { command: 'sudo rm -rf / --no-preserve-root' } },
  { id: 'call_4', name: 'read_file', args: { path: 'src/../../etc/passwd' } },
  { id: 'call_5', name: 'search', args: { pattern: 'TODO', path: 'src', limit: 20 } },
  { id: 'call_6', name: 'edit_file', args: { path: '.harness/hooks/command_guard.md', old: 'a', new: 'b' } },
];

/** What no writer that looks, proves and writes once a decision can do without. */
function justWrite(lines) {
  const path = join(scratch, 'written.jsonl');
  const file = openSync(path, 'w');
  for (const line of lines) {
    statSync(path);
    const bytes = Buffer.from(`${line}\n`);
    hash('sha256', bytes, 'hex');
    writeSync(file, bytes);
  }
  closeSync(file);
}

/** Microseconds of CPU a decision, a list of rounds for each, and the size of the tape. */
export async function measureReplay() {
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
  const record = (payloads) => {
    const path = join(scratch, `${tapes++}.jsonl`);
    const tape = openTape(path, { session: String(tapes), hooks, project, host: machineHost, payloads });
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
    'parse the lines, nothing else': () => {
      for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
    },
    'look, hash and write the same lines, nothing else': () =>
      justWrite(readFileSync(path, 'utf8').split('\n')),
    'decide and record': () => record('redacted'),
    'decide and record, nothing redacted': () => record('full'),
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
  return { times, bytes: statSync(path).size / DECISIONS };
}

/** Whether the bars were reached. */
export async function benchReplay() {
  const { times, bytes } = await measureReplay();
  const plain = median(times.get('decide, no tape'));
  const bars = {
    'replay with the hooks': TAPE_BARS.replay,
    'decide and record, nothing redacted': TAPE_BARS.recording + plain,
  };
  const rows = [...times].map(([name, all]) => {
    const each = median(all);
    const bar = bars[name];
    return [
      name,
      `${each.toFixed(1)} µs`,
      Math.round(1e6 / each),
      `${(each / plain).toFixed(1)}×`,
      bar === undefined ? '' : `≤ ${bar.toFixed(1)} µs`,
    ];
  });
  printTable(
    `Replay: ${DECISIONS} decisions of the governed stack, ${Math.round(bytes)} bytes of tape each`,
    ['what', 'CPU a decision', 'a second', 'of deciding', 'bar'],
    rows,
  );
  return Object.entries(bars).every(([name, bar]) => median(times.get(name)) <= bar);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchReplay();
