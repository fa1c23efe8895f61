// `npm run bench:find`: `harness tape find` over many tapes, as a process, the first time and with the index, beside a plain
// loop that reads the same files and looks for the bytes.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineHost, openPolicy } from '../dist/lib/index.js';
import { openTape } from '../dist/lib/tape/index.js';
import { CLI_FILE } from '../scripts/build-cli.mjs';
import { median, printTable, processTook } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const TAPES = Number(process.env.BENCH_TAPES ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CALLS = 10;
const BAR_MS = 2000;
/** On every hundredth tape. */
const RARE = 'needle-in-the-hay';

const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-find-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const runs = join(scratch, '.harness', 'runs');
mkdirSync(runs, { recursive: true });

const policy = await openPolicy(join(root, 'bench', 'governed'), { places: { managed: null, user: null } });
const recorded = [false, true].map((rare) => {
  const path = join(scratch, `${rare}.jsonl`);
  const { hooks, digest } = policy;
  const tape = openTape(path, { session: 'SESSION', hooks, policy: digest, host: machineHost });
  const engine = policy.engine({ run: policy.newRun(), canAsk: true, recorder: tape.recorder });
  for (let i = 0; i < CALLS; i++) {
    const command = rare && i === 5 ? `git push ${RARE}` : `npm test -- --run src/part-${i}`;
    const call = { id: `call_${i}`, name: 'run_command', args: { command } };
    engine.decide('tool.pre', call);
    const { id, ...rest } = call;
    engine.decide('tool.post', { call_id: id, ...rest, content: `passed ${i}\n`.repeat(60) });
  }
  tape.close();
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
});
for (let i = 0; i < TAPES; i++) {
  const session = `session-${String(i).padStart(6, '0')}`;
  // The chain does not hold any more, which a search does not prove.
  const text = recorded[i % 100 === 0 ? 1 : 0].replace('SESSION', session);
  writeFileSync(join(runs, `${session}.jsonl`), text);
}
const bytes = readdirSync(runs).reduce((sum, name) => sum + statSync(join(runs, name)).size, 0);

/** Milliseconds of CPU. */
const find = (...words) => processTook([CLI_FILE, 'tape', 'find', ...words], { scratch }).cpu * 1000;

const first = find('.', RARE);
const SEARCHES = {
  'a rare text': ['.', RARE],
  'a text on no tape': ['.', 'there is nothing like this'],
  'a tool nobody called': ['--tool', 'delete_*'],
  'the newest of all': [],
};
const times = Object.entries(SEARCHES).map(([name, words]) => [
  name,
  median(Array.from({ length: ROUNDS }, () => find(...words))),
]);
const before = process.cpuUsage();
for (const name of readdirSync(runs)) readFileSync(join(runs, name)).includes(RARE);
const { user, system } = process.cpuUsage(before);
const plain = (user + system) / 1000;
printTable(
  `tape find: ${TAPES} tapes of ${Math.round(bytes / TAPES / 1000)} kB, index ${Math.round(statSync(join(runs, 'find.index')).size / 1e6)} MB`,
  ['what', 'ms of CPU', 'bar'],
  [
    ['read every file, look for the bytes', Math.round(plain), ''],
    ['the first look', Math.round(first), ''],
    ...times.map(([name, ms]) => [name, Math.round(ms), `≤ ${BAR_MS}`]),
  ],
);
process.exitCode = times.every(([, ms]) => ms <= BAR_MS) ? 0 : 1;
