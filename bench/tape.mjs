// `npm run bench:tape`: what a tape costs. Appending with the hash chain beside a bare appendFileSync of the same bytes, and
// how fast a tape is proven; then replay, and the stores of run state. Ratios and absolute figures from one run; times of a busy machine are not worth much alone.
import { hash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor, readTape, TapeWriter, verifyTape } from '../dist/lib/tape/index.js';
import { formatNs, median, printTable } from './measure.mjs';
import { benchReplay } from './replay.mjs';
import { benchStores } from './stores.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-tape-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const hashLine = (line) => hash('sha256', line, 'hex');

/** Nanoseconds to append an entry, in the median. */
const APPEND = 5000;

const HEADER = {
  engine: 'bench',
  host: 'bench',
  policy: { digest: '0'.repeat(64), files: {}, hooks: [], settings: {} },
  session: 'bench',
  started: '2026-01-01T00:00:00.000Z',
  tape: 2,
};

/** What a call that a hook blocks leaves on a tape: the decision of two hooks, the verdict, and four shorter notes. */
function decision(dispatch) {
  const args = { command: 'npm test -- --run src/app', description: 'Run the unit tests' };
  const payload = { id: `call_${dispatch}`, name: 'run_command', args };
  const effects = [{ kind: 'log', level: 'info', message: 'run_command: npm test -- --run src/app' }];
  const hooks = [
    { effects, hook: 'audit', steps: 31 },
    { hook: 'command_guard', reason: 'sudo', result: 'block', steps: 44 },
  ];
  const note = (text) => ({
    data: { message: { content: text, role: 'tool' } },
    kind: 'message',
    type: 'session',
  });
  return [
    {
      in: { callId: payload.id, dispatch, event: 'tool.pre', payload, run: 1 },
      out: { action: 'block', hook: 'command_guard', hooks, reason: 'sudo' },
      type: 'decision',
    },
    {
      by: 'command_guard',
      callId: payload.id,
      digest: null,
      reason: 'sudo',
      tool: 'run_command',
      type: 'call',
      verdict: 'blocked',
    },
    ...['one', 'two', 'three', 'four'].map((text) =>
      note(`This is message ${text} of a conversation about tests.`),
    ),
  ];
}

const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 6000);
const decisions = Array.from({ length: DECISIONS }, (_, i) => decision(i + 1));
const ENTRIES = decisions.length * decisions[0].length;

function timeEach(items, run) {
  const times = [];
  for (const item of items) {
    const start = process.hrtime.bigint();
    run(item);
    times.push(Number(process.hrtime.bigint() - start));
  }
  return times;
}

function append() {
  const contenders = [];
  const files = new Map();
  const tape = (name, options = {}) => {
    const path = join(scratch, `${name}.jsonl`);
    files.set(name, path);
    return TapeWriter.open(path, { header: HEADER, ...options });
  };
  // The same bytes without a chain: written once beforehand, then appended line by line.
  const model = tape('model');
  for (const record of decisions.flat()) model.append(record, 0.05);
  model.close();
  const lines = readFileSync(files.get('model'), 'utf8')
    .split('\n')
    .slice(1, ENTRIES + 1);
  const bare = join(scratch, 'bare.jsonl');
  const writers = {
    written: tape('written'),
    buffered: tape('buffered', { acknowledge: 'buffered' }),
    redacted: tape('redacted', { redact: createRedactor() }),
    batched: tape('batched'),
  };
  const per = 400;
  const samples = new Map();
  const note = (name, times) => samples.set(name, [...(samples.get(name) ?? []), ...times]);
  for (let at = 0; at < decisions.length; at += per) {
    const chunk = decisions.slice(at, at + per);
    const records = chunk.flat();
    const from = at * decisions[0].length;
    note(
      'bare',
      timeEach(lines.slice(from, from + records.length), (line) => appendFileSync(bare, `${line}\n`)),
    );
    note(
      'hash',
      timeEach(lines.slice(from, from + records.length), (line) => hashLine(line)),
    );
    for (const name of ['written', 'buffered', 'redacted']) {
      note(
        name,
        timeEach(records, (record) => writers[name].append(record, 0.05)),
      );
    }
    const whole = timeEach(chunk, (entries) => {
      for (const record of entries) writers.batched.add(record, 0.05);
      writers.batched.commit();
    });
    note(
      'batched',
      whole.map((time) => time / decisions[0].length),
    );
  }
  for (const writer of Object.values(writers)) writer.close();
  const base = median(samples.get('bare'));
  const row = (label, name, bar = '') => {
    const time = median(samples.get(name));
    contenders.push([label, formatNs(time), `${(time / base).toFixed(2)}×`, bar]);
  };
  row('appendFileSync, no chain', 'bare');
  row('SHA-256 alone', 'hash');
  row('append, written (the default)', 'written', `≤ ${formatNs(APPEND)}`);
  row('append, written, with redaction', 'redacted');
  row('append, one write a decision', 'batched');
  row('append, buffered', 'buffered');
  const size = (statSync(files.get('model')).size / (ENTRIES + 2)).toFixed(0);
  printTable(
    `One entry of ${size} bytes (median of ${ENTRIES})`,
    ['way', 'median', 'of bare', 'bar'],
    contenders,
  );
  return median(samples.get('written')) <= APPEND;
}

function synced() {
  const writer = TapeWriter.open(join(scratch, 'synced.jsonl'), { header: HEADER, acknowledge: 'synced' });
  const times = timeEach(decision(1).concat(decision(2), decision(3)), (record) => writer.append(record));
  writer.close();
  printTable('Acknowledged by the disk', ['way', 'median'], [['append, synced', formatNs(median(times))]]);
}

function verify() {
  // Long enough to be worth timing: the same session, many times over.
  const long = join(scratch, 'long.jsonl');
  const writer = TapeWriter.open(long, { header: HEADER, acknowledge: 'buffered' });
  for (let copy = 0; copy < 10; copy++) for (const record of decisions.flat()) writer.append(record, 0.05);
  writer.close();
  const megabytes = statSync(long).size / 1e6;
  const measure = (run) => {
    const wall = [];
    const cpu = [];
    for (let round = 0; round < 7; round++) {
      const before = process.cpuUsage();
      const start = process.hrtime.bigint();
      run();
      wall.push(megabytes / (Number(process.hrtime.bigint() - start) / 1e9));
      const { user, system } = process.cpuUsage(before);
      cpu.push(megabytes / ((user + system) / 1e6));
    }
    return { wall: median(wall), cpu: median(cpu) };
  };
  const proven = measure(() => {
    const { ok, problem } = verifyTape(long);
    if (!ok) throw new Error(problem);
  });
  const hashed = measure(() => hashLine(readFileSync(long)));
  const read = measure(() => {
    for (const entry of readTape(long).entries) if (entry.seq === 0) throw new Error('no number');
  });
  const rate = (value) => `${value.toFixed(0)} MB/s`;
  printTable(
    `A tape of ${megabytes.toFixed(0)} MB`,
    ['work', 'wall', 'of CPU time', 'of one hash', 'bar'],
    [
      ['one SHA-256 over the file', rate(hashed.wall), rate(hashed.cpu), '1.00×', ''],
      [
        'verify',
        rate(proven.wall),
        rate(proven.cpu),
        `${(hashed.cpu / proven.cpu).toFixed(2)}×`,
        '≥ 100 MB/s',
      ],
      ['read every entry', rate(read.wall), rate(read.cpu), `${(hashed.cpu / read.cpu).toFixed(2)}×`, ''],
    ],
  );
  return proven.cpu >= 100;
}

const ok = append();
synced();
const fast = verify();
const again = await benchReplay();
await benchStores();
if (!ok || !fast || !again) {
  console.log('\nA bar was missed.');
  process.exitCode = 1;
}
