// `npm run bench:launcher`: what an agent waits for its hook. The launcher beside an empty Node process, interleaved in one
// run, alone and with eight busy loops beside it: state and tape included, with the governed stack of `harness init`, from a heap
// snapshot and without one.
// The bar is 1.4 for the ratio of the medians; p99 is printed. Then the warm path: the launcher and the native client with a
// daemon, CPU time of the client beside /bin/true with a bar of 2, HTTP beside an empty handler, and decisions a second.
//   node bench/launcher.mjs [--rounds N] [--warm]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BIN_FILE, CLI_FILE, HOLD_FILE, HOOK_FILE, START_FILE } from '../scripts/build-cli.mjs';
import { printTable } from './measure.mjs';

const BAR = 1.4;
const BUSY = 8;
const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '60' }, warm: { type: 'boolean', default: false } },
});
const rounds = Number(options.rounds);
if (!existsSync(HOOK_FILE)) {
  console.error('the build is missing: npm run build');
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-launcher-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const dir = join(scratch, 'project');
// Not what happens to be set here: variables of the session change how long Node takes to start.
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scratch };
spawnSync(process.execPath, [CLI_FILE, 'init', dir], { env });

const { denyAnswer } = await import('../dist/adapters/deny.js');
const { guardLine } = await import('../dist/adapters/guard-line.js');
const { loadAdapter } = await import('../dist/adapters/load-adapter.js');
const adapter = await loadAdapter('claude-code');
const row = adapter.events.find(({ native }) => native === 'PreToolUse');
const { stdout: deny } = denyAnswer(adapter, row, 'gone');
const line = guardLine({
  ...{ node: process.execPath, entry: HOOK_FILE, starter: START_FILE },
  ...{ agent: 'claude-code', event: 'PreToolUse' },
  ...{ scope: { dir }, deadlineMs: 30_000, deny },
});

let calls = 0;
const payload = () =>
  JSON.stringify({
    ...{ session_id: 'bench', cwd: dir, hook_event_name: 'PreToolUse', tool_name: 'Bash' },
    tool_input: { command: 'npm test -- --run src/app', description: 'Run the unit tests' },
    tool_use_id: `call-${++calls}`,
  });

const WORDS = [HOOK_FILE, 'claude-code', 'PreToolUse', '--dir', dir];

const CONTENDERS = {
  'node -e 0': () => timed(process.execPath, ['-e', '0'], ''),
  launcher: () => timed('/bin/sh', [START_FILE, process.execPath, ...WORDS], payload()),
  'without a heap snapshot': () => timed(process.execPath, WORDS, payload()),
  'the registered line': () => timed('/bin/sh', ['-c', line], payload()),
  'harness decide': () =>
    timed(
      BIN_FILE,
      ['decide', 'tool.pre', '--dir', dir, '--json'],
      '{"name":"run_command","args":{"command":"npm test"}}',
    ),
};

function timed(program, args, input) {
  const began = process.hrtime.bigint();
  const { status, stdout } = spawnSync(program, args, { input, env, encoding: 'utf8' });
  const ms = Number(process.hrtime.bigint() - began) / 1e6;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: exit ${status}: ${stdout}`);
  if (program === '/bin/sh' && stdout !== '') throw new Error(`want silence, got ${stdout}`);
  return ms;
}

/** As from the first quiet minute on. */
function hold() {
  for (let call = 0; call < 3; call++) CONTENDERS['without a heap snapshot']();
  const { status } = spawnSync(process.execPath, [HOLD_FILE, dir, '', 'claude-code'], { env });
  if (status !== 0) console.error('SKIPPED: the heap snapshot, which could not be made');
}

function measure(title) {
  const samples = new Map(Object.keys(CONTENDERS).map((name) => [name, []]));
  for (let round = -3; round < rounds; round++) {
    for (const [name, run] of Object.entries(CONTENDERS)) {
      const ms = run();
      if (round >= 0) samples.get(name).push(ms);
    }
  }
  const at = (name, part) => {
    const sorted = [...samples.get(name)].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  };
  const base = at('node -e 0', 0.5);
  const rows = [...samples.keys()].map((name) => [
    name,
    `${at(name, 0.5).toFixed(1)} ms`,
    `${at(name, 0.99).toFixed(1)} ms`,
    (at(name, 0.5) / base).toFixed(2),
    name === 'launcher' ? (at(name, 0.5) / base <= BAR ? 'ok' : `above ${BAR}`) : '',
  ]);
  printTable(title, ['', 'p50', 'p99', 'to node -e 0', 'bar'], rows);
  return at('launcher', 0.5) / base;
}

function cold() {
  hold();
  const idle = measure(`idle, ${rounds} rounds`);
  const loops = Array.from({ length: BUSY }, () =>
    spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }),
  );
  try {
    return idle <= BAR && measure(`with ${BUSY} busy loops, ${rounds} rounds`) <= BAR;
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

const held = options.warm || cold();

const { warmPath } = await import('./warm-path.mjs');
const warm = await warmPath({ scratch, dir, env, payload, rounds, busyLoops: BUSY });
process.exitCode = held && warm ? 0 : 1;
