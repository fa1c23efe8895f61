// `npm run bench:all`: every figure that has a bar, each beside what it is held against, interleaved in one run, in CPU time, so
// that what else the machine does counts little. Exits 1 where a bar is missed.     node --expose-gc bench/bars.mjs [--starts N] [--cold]
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Engine, loadProject, machineHost, openPolicy, RunState } from '../dist/lib/index.js';
import { CLI_FILE, HOOK_FILE } from '../scripts/build-cli.mjs';
import { printTable, startCpu } from './measure.mjs';
import { prepare as plainJs } from './peers/plain-js.mjs';
import { measureReplay, TAPE_BARS } from './replay.mjs';

const { values: options } = parseArgs({
  options: { starts: { type: 'string', default: '40' }, cold: { type: 'boolean', default: false } },
});
const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-bars-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const CALLS = [
  { name: 'run_command', args: { command: 'npm test -- --run src/app', description: 'Run the unit tests' } },
  { name: 'write_file', args: { path: 'src/app.ts', content: 'export const answer = 42;\n' } },
  { name: 'run_command', args: { command: 'sudo rm -rf / --no-preserve-root' } },
  { name: 'read_file', args: { path: 'src/../../etc/passwd' } },
  { name: 'search', args: { pattern: 'TODO', path: 'src', limit: 20 } },
].map((call, at) => JSON.stringify({ id: `call_${at}`, ...call }));

const rows = [];
/** `bar` is the most it may be. */
function row(what, got, bar, unit, more = '') {
  rows.push([what, `${got.toFixed(2)}${unit}`, `≤ ${bar}${unit}`, got <= bar ? 'ok' : 'MISSED', more]);
}

const cpuMicros = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, part) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))];

/** Microseconds of CPU a call, one sample a turn, in turns. `runs` is name to function. */
function turns(runs, { count, calls }) {
  const samples = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let turn = -5; turn < count; turn++) {
    for (const [name, run] of Object.entries(runs)) {
      const began = cpuMicros();
      for (let i = 0; i < calls; i++) run(i);
      if (turn >= 0) samples[name].push((cpuMicros() - began) / calls);
    }
  }
  return samples;
}

function reading(engine, run) {
  return (payload) => {
    if (run.logs.length > 1000) run.logs.length = 0;
    const outcome = engine.decide('tool.pre', payload);
    return outcome.trace.length + (outcome.payload === null ? 1 : 0);
  };
}

async function engineOf(dir) {
  const { hooks } = await loadProject(dir);
  const run = new RunState();
  return { decide: reading(new Engine({ hooks, host: machineHost, run }), run), count: hooks.length };
}

async function decisions() {
  const plain = await plainJs();
  const { decide } = await engineOf(join(here, 'governed'));
  const runs = {
    harness: (i) => decide(JSON.parse(CALLS[i % CALLS.length])),
    plain: (i) => plain(CALLS[i % CALLS.length]),
  };
  for (const run of Object.values(runs)) for (let i = 0; i < 20_000; i++) run(i);
  const steady = turns(runs, { count: 200, calls: 500 });
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 2000; i++) runs.harness(i);
  const bytes = (process.memoryUsage().heapUsed - before) / 2000;
  const tail = (part, of = 'harness') => (at(steady[of], part) / at(steady.plain, 0.5)).toFixed(2);
  const more = `p99 ${tail(0.99)}×, of plain JS ${tail(0.99, 'plain')}×, p99.9 ${tail(0.999)}×, ${Math.round(bytes)} bytes`;
  row(
    'a decision, seven hooks, trace and payload read',
    at(steady.harness, 0.5) / at(steady.plain, 0.5),
    2.2,
    '×',
    more,
  );
}

const CONDITIONS = {
  name: (i) => `payload["name"] == "tool_${i}"`,
  prefix: (i) => `payload["name"].startswith("tool_${i}_")`,
  suffix: (i) => `payload["name"].endswith("_${i}")`,
};
const NAMES = { name: (i) => `tool_${i}`, prefix: (i) => `tool_${i}_x`, suffix: (i) => `x_${i}` };

async function manyHooks(kind, count) {
  const dir = join(scratch, `${kind}-${count}`.replaceAll(' ', '-'));
  mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
  for (let i = 0; i < count; i++) {
    const text = `---\nevent: tool.pre\npriority: ${i}\nwhen: ${JSON.stringify(CONDITIONS[kind](i))}\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n`;
    writeFileSync(join(dir, `.harness/hooks/guard_${i}.md`), text);
  }
  const { hooks } = await loadProject(dir);
  const engine = new Engine({ hooks, host: machineHost, run: new RunState() });
  rmSync(dir, { recursive: true });
  const last = count - 1;
  const payload = {
    id: '1',
    name: NAMES[kind](last),
    args: { command: 'npm test' },
  };
  return () => engine.decide('tool.pre', payload).action;
}

async function numberOfHooks() {
  for (const kind of Object.keys(CONDITIONS)) {
    const [few, many] = [await manyHooks(kind, 10), await manyHooks(kind, 10_000)];
    const samples = turns({ few, many }, { count: 40, calls: 2000 });
    row(`10 to 10,000 hooks, by ${kind}`, at(samples.many, 0.5) / at(samples.few, 0.5), 2, '×');
  }
}

/**
 * A program as a hook runs it, against a bare spawn of the same: own CPU of this process, and how long its loop stood still. What a
 * turn of the loop took of the CPU is told beside it: the rest of that time other processes had the cores.
 */
async function commandHooks() {
  const line = 'cat > /dev/null; echo "{}"';
  const request = {
    program: { shell: line },
    cwd: here,
    env: {},
    guards: true,
    stdin: '{}',
    timeoutMs: 60_000,
  };
  const runs = {
    bare: () =>
      new Promise((done) => {
        const child = spawn('/bin/sh', ['-c', line]);
        child.stdout.on('data', () => {});
        child.stdin.end('{}');
        child.on('close', done);
      }),
    hook: () => machineHost.run(request, null),
  };
  const [SESSIONS, EACH, ROUNDS] = [50, 2, 3];
  const cpu = { bare: [], hook: [] };
  const delay = { bare: [], hook: [] };
  const busy = { bare: [], hook: [] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const loop = monitorEventLoopDelay({ resolution: 5 });
      loop.enable();
      const began = cpuMicros();
      const longest = longestTurn();
      const session = async () => {
        for (let i = 0; i < EACH; i++) await run();
      };
      await Promise.all(Array.from({ length: SESSIONS }, session));
      loop.disable();
      const turn = longest();
      if (round < 0) continue;
      busy[name].push(turn);
      cpu[name].push((cpuMicros() - began) / 1000 / (SESSIONS * EACH));
      delay[name].push(loop.max / 1e6);
    }
  }
  const bare = at(cpu.bare, 0.5);
  const more = `bare ${bare.toFixed(2)} ms, its loop ${at(delay.bare, 0.5).toFixed(0)} ms`;
  row('a program of a hook, 50 sessions, to a bare spawn', at(cpu.hook, 0.5) / bare, 1.5, '×', more);
  const turn = `CPU of its longest turn ${at(busy.hook, 0.5).toFixed(0)} ms, bare ${at(busy.bare, 0.5).toFixed(0)} ms`;
  row('the same, the longest the loop stood still', at(delay.hook, 0.5), 50, ' ms', turn);
}

/** Gives a function that ends the measurement: milliseconds of CPU between two looks, which are five apart at least. */
function longestTurn() {
  let [last, most] = [cpuMicros(), 0];
  const look = () => {
    const now = cpuMicros();
    most = Math.max(most, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  return () => {
    look();
    clearInterval(timer);
    return most / 1000;
  };
}

async function longPayloads() {
  const plain = await plainJs();
  const { decide } = await engineOf(join(here, 'governed'));
  const keys = Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`key_${i}`, `value ${i}`]));
  const texts = {
    'long strings': [
      JSON.stringify({
        id: '1',
        name: 'write_file',
        args: { path: 'a.txt', content: 'x y '.repeat(37_500) },
      }),
      1.1,
    ],
    'many keys': [JSON.stringify({ id: '1', name: 'search', args: keys }), 1.5],
  };
  for (const [kind, [text, bar]] of Object.entries(texts)) {
    const runs = { harness: () => decide(JSON.parse(text)), plain: () => plain(text) };
    // As warm as in the first row: what differs is the payload.
    for (let i = 0; i < 20_000; i++) decide(JSON.parse(CALLS[i % CALLS.length]));
    const samples = turns(runs, { count: 80, calls: 20 });
    row(`150 kB of ${kind}, payload read`, at(samples.harness, 0.5) / at(samples.plain, 0.5), bar, '×');
  }
}

async function tapes() {
  const { times } = await measureReplay();
  const of = (name) => at(times.get(name), 0.5);
  const alone = of('decide, no tape');
  const recording = of('decide and record, nothing redacted') - alone;
  const redaction = of('decide and record') - alone - recording;
  const parsing = `parsing the same lines: ${of('parse the lines, nothing else').toFixed(1)} µs`;
  row(
    'recording a decision, beside redaction',
    recording,
    TAPE_BARS.recording,
    ' µs',
    `redaction ${redaction.toFixed(1)} µs`,
  );
  row('replay of a decision with its hooks', of('replay with the hooks'), TAPE_BARS.replay, ' µs', parsing);
}

/** What a limit adds to a decision, in process. */
async function limits() {
  const decider = async (name, body) => {
    const dir = join(scratch, name);
    mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
    const script = `script: |\n  def handle(event, payload):\n      ${body}`;
    writeFileSync(
      join(dir, '.harness/hooks/limit.md'),
      `---\nevent: tool.pre\npriority: 1\n${script}\n---\n`,
    );
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const engine = policy.engine({ run: policy.newRun() });
    return () => engine.decide('tool.pre', { id: '1', name: 'echo', args: { text: 'x' } });
  };
  const runs = {
    without: await decider('no-limit', 'return allow()'),
    limit: await decider(
      'limit',
      'return allow() if rate.limit("calls", 1000000, per="10ms") else block("over")',
    ),
  };
  const samples = turns(runs, { count: 60, calls: 500 });
  row('what rate.limit adds, in process', at(samples.limit, 0.5) - at(samples.without, 0.5), 20, ' µs');
}

function coldStarts() {
  const dir = join(scratch, 'project');
  const { execPath: node } = process;
  spawnSync(node, [CLI_FILE, 'init', dir], { env: { PATH: process.env.PATH, HOME: scratch } });
  let calls = 0;
  const native = () =>
    JSON.stringify({
      ...{ session_id: 'bench', cwd: dir, hook_event_name: 'PreToolUse', tool_name: 'Bash' },
      ...{ tool_input: { command: 'npm test -- --run src/app' }, tool_use_id: `call-${++calls}` },
    });
  const plain = [node, HOOK_FILE, 'claude-code', 'PreToolUse', '--dir', dir];
  const starts = {
    'node -e 0': [[node, '-e', '0'], () => ''],
    'the launcher, packs, state and tape': [plain, native, 4.5],
    'harness decide': [[node, CLI_FILE, 'decide', 'tool.pre', '--dir', dir], () => CALLS[0], 4.5],
    'harness --version': [[node, CLI_FILE, '--version'], () => '', 1.05],
  };
  const samples = Object.fromEntries(Object.keys(starts).map((name) => [name, []]));
  const EACH = 5;
  for (let round = -1; round < Number(options.starts) / EACH; round++) {
    for (const [name, [argv, input]] of Object.entries(starts)) {
      const ms = startCpu(argv, input, EACH, scratch);
      if (round >= 0) samples[name].push(ms);
    }
  }
  const base = at(samples['node -e 0'], 0.5);
  for (const [name, [, , bar]] of Object.entries(starts)) {
    if (bar !== undefined)
      row(`cold: ${name}`, at(samples[name], 0.5) / base, bar, '×', `node -e 0: ${base.toFixed(1)} ms`);
  }
}

if (globalThis.gc === undefined) throw new Error('start it with node --expose-gc');
if (!options.cold) {
  await decisions();
  // Before there are tens of thousands of hooks to collect.
  await longPayloads();
  await numberOfHooks();
  await tapes();
  await limits();
  await commandHooks();
}
coldStarts();
printTable('Bars', ['what', 'got', 'bar', '', ''], rows);
process.exitCode = rows.every(([, , , verdict]) => verdict === 'ok') ? 0 : 1;
