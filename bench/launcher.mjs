// `npm run bench:launcher`: what an agent waits for its hook, in turns in one run, with the governed stack of `harness init`, state and
// tape included: the registered line of a default install, the launcher with a daemon, without one, and without the compiled code of an
// earlier process, beside `/bin/true` and `node -e 0`. Then calls a second of one daemon with two clients, each call on the tape, and the CPU time of the daemon a call.
//   node bench/launcher.mjs [--rounds N] [--seconds N] [--at FOLDER]
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CLI_FILE, HOOK_FILE } from '../scripts/build-cli.mjs';
import { median, printTable } from './measure.mjs';

/** Of the registered line: four times `/bin/true` and two milliseconds. */
const LINE_BAR = (base) => 4 * base + 2;
const BARS = { warm: 1.5, cold: 4.5, callsASecond: 2000, cpuMs: 0.5 };
const CLIENTS = 2;
/** V8 optimizes what is called often: as many calls come first. */
const WARM_UP_CALLS = 3000;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '3' },
    at: { type: 'string', default: tmpdir() },
  },
});
if (!existsSync(HOOK_FILE)) {
  console.error('the build is missing: npm run build');
  process.exit(2);
}

const { execPath: node } = process;
const scratch = mkdtempSync(join(options.at, 'harness-bench-launcher-'));
const dir = join(scratch, 'project');
// Not what happens to be set here: variables of the session change how long Node takes to start.
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scratch };
const alone = { ...env, HARNESS_DAEMON: 'off' };
spawnSync(process.execPath, [CLI_FILE, 'init', dir], { env });
const daemon = spawn(process.execPath, [CLI_FILE, 'daemon', 'serve'], { env, cwd: '/', stdio: 'inherit' });
process.on('exit', () => {
  daemon.kill('SIGKILL');
  spawnSync(node, [CLI_FILE, 'daemon', 'stop'], { env: { ...env, HOME: installed } });
  rmSync(scratch, { recursive: true, force: true });
});
const socket = join(scratch, '.local/state/harness/daemon/socket');
while (!existsSync(socket)) await sleep(20);

/** A default install of another user: the first call starts its daemon. */
const installed = join(scratch, 'installed');
const project = join(installed, 'project');
mkdirSync(installed);
const user = { ...env, HOME: installed, CLAUDE_PROJECT_DIR: project };
for (const words of [
  ['init', project],
  ['install', 'claude-code', '--dir', project],
])
  spawnSync(node, [CLI_FILE, ...words], { env: user });
const { hooks } = JSON.parse(readFileSync(join(project, '.claude/settings.json'), 'utf8'));
const line = hooks.PreToolUse[0].hooks[0].command;

let calls = 0;
const call = (session) => ({
  ...{ session_id: session, cwd: dir, hook_event_name: 'PreToolUse', tool_name: 'Bash' },
  tool_input: { command: 'npm test -- --run src/app', description: 'Run the unit tests' },
  tool_use_id: `call-${++calls}`,
});
const words = ['claude-code', 'PreToolUse', '--dir', dir];
const CONTENDERS = {
  '/bin/true': () => timed(['/bin/true'], env),
  'node -e 0': () => timed([node, '-e', '0'], env),
  'the registered line, default install': () =>
    timed(['/bin/sh', '-c', line], user, { ...call('line'), cwd: project }),
  'a call, Node client and daemon': () => timed([node, HOOK_FILE, ...words], env, call('client')),
  'a call without a daemon': () => timed([node, HOOK_FILE, ...words], alone, call('alone')),
  'the same without compiled code': () => {
    rmSync(join(dirname(HOOK_FILE), 'cache'), { recursive: true, force: true });
    return timed([node, HOOK_FILE, ...words], alone, call('first'));
  },
};

function timed([program, ...args], variables, payload = null) {
  const input = payload === null ? '' : JSON.stringify(payload);
  const began = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, args, { input, env: variables, encoding: 'utf8' });
  const ms = Number(process.hrtime.bigint() - began) / 1e6;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: exit ${status}: ${stderr}`);
  return ms;
}

function oneByOne() {
  const samples = new Map(Object.keys(CONTENDERS).map((name) => [name, []]));
  for (let round = -3; round < Number(options.rounds); round++) {
    for (const [name, run] of Object.entries(CONTENDERS)) {
      // It writes the code anew: a tenth of the rounds, and the others do not pay for it.
      const isRare = name === 'the same without compiled code';
      if (isRare && round % 10 !== 0) continue;
      const ms = run();
      if (round >= 0) samples.get(name).push(ms);
    }
  }
  const base = median(samples.get('node -e 0'));
  const bars = {
    'a call, Node client and daemon': BARS.warm,
    'a call without a daemon': BARS.cold,
  };
  const rows = [...samples].map(([name, values]) => {
    const ratio = median(values) / base;
    if (name === 'the registered line, default install') {
      const bar = LINE_BAR(median(samples.get('/bin/true')));
      return [name, `${median(values).toFixed(1)} ms`, ratio.toFixed(2), verdict(median(values), bar, 1)];
    }
    return [name, `${median(values).toFixed(1)} ms`, ratio.toFixed(2), verdict(ratio, bars[name], 1)];
  });
  printTable(`in turns, medians of ${options.rounds}`, ['', '', 'to node -e 0', 'bar'], rows);
}

/** `sign` is -1 where more is better. */
function verdict(value, bar, sign) {
  if (bar === undefined) return '';
  if (value * sign <= bar * sign) return 'ok';
  process.exitCode = 1;
  return `missed: ${bar}`;
}

const { dev, ino, size, mtimeNs } = statSync(HOOK_FILE, { bigint: true });
const mounts = readlinkSync('/proc/self/ns/mnt');

function ask(payload) {
  return new Promise((resolve, reject) => {
    const parts = [
      [dir, mounts, 'claude-code', payload.hook_event_name, '--dir', dir].join('\0'),
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .join('\0'),
      JSON.stringify(payload),
    ].map((part) => Buffer.from(part));
    const line = `harness-1 hook ${dev}:${ino}:${size}:${mtimeNs} ${parts.map(({ length }) => length).join(' ')}\n`;
    const client = connect(socket);
    let heard = '';
    client.on('data', (piece) => {
      heard += piece;
    });
    client.on('error', reject);
    client.on('close', () =>
      heard.includes('\nanswer 0 ') ? resolve() : reject(new Error(`want an answer, got ${heard}`)),
    );
    client.write(Buffer.concat([Buffer.from(line), ...parts]));
  });
}

/** Calls and their results in turn, as a session has them, until `over`. Gives how many. */
async function clients(over) {
  let done = 0;
  const one = async (_, client) => {
    while (!over(done)) {
      const payload = call(`client-${client}`);
      await ask(payload);
      const result = { hook_event_name: 'PostToolUse', tool_response: { stdout: 'ok', stderr: '' } };
      await ask({ ...payload, ...result });
      done += 2;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, one));
  return done;
}

/** Milliseconds of CPU that the daemon has used. */
function daemonCpu() {
  const [, fields] = readFileSync(`/proc/${daemon.pid}/stat`, 'latin1').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

function decisionsOnTape() {
  const runs = join(dir, '.harness/runs');
  const tapes = readdirSync(runs).filter((name) => name.startsWith('client-') && name.endsWith('.jsonl'));
  const lines = tapes.flatMap((name) => readFileSync(join(runs, name), 'utf8').split('\n'));
  return lines.filter((text) => text.includes('"type":"decision"')).length;
}

async function sustained() {
  const before = await clients((done) => done >= WARM_UP_CALLS);
  const [cpu, began] = [daemonCpu(), Date.now()];
  const done = await clients(() => Date.now() - began >= Number(options.seconds) * 1000);
  const [perSecond, cpuMs] = [(done * 1000) / (Date.now() - began), (daemonCpu() - cpu) / done];
  const taped = decisionsOnTape();
  if (taped !== before + done) throw new Error(`${before + done} calls answered, ${taped} on the tape`);
  printTable(
    `one daemon, ${CLIENTS} clients, ${options.seconds} s, every call on its tape`,
    ['', '', 'bar'],
    [
      ['calls a second', perSecond.toFixed(0), verdict(perSecond, BARS.callsASecond, -1)],
      ['CPU of the daemon a call', `${cpuMs.toFixed(2)} ms`, verdict(cpuMs, BARS.cpuMs, 1)],
    ],
  );
}

oneByOne();
await sustained();
process.exit();
