// The warm path, for `npm run bench:launcher`: a daemon, asked by the launcher and by the native client, interleaved with
// `node -e 0` and `/bin/true` in one run; a decision over HTTP beside an empty handler of the same server; then as many
// decisions as one connection after the other gives in two seconds.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { CLI_FILE, HOOK_FILE } from '../scripts/build-cli.mjs';
import { median, printTable, startCpu } from './measure.mjs';

const BAR = 2;
/** Milliseconds above an empty handler, by the medians. */
const HTTP_BAR = 1;
const HTTP_ROUNDS = 400;
const SUSTAINED_MS = 2000;
const AT_ONCE = 2;

/** Whether the bar is held, idle and busy. True where there is no compiler: that is said. */
export async function warmPath({ scratch, dir, env, payload, rounds, busyLoops }) {
  const folder = join(scratch, '.local/state/harness/daemon');
  const harness = (...words) => spawnSync(process.execPath, [CLI_FILE, ...words], { env, encoding: 'utf8' });
  const begun = harness('daemon', 'start', '--http', '0');
  if (begun.status !== 0) throw new Error(begun.stderr);
  try {
    const native = compiled(scratch);
    if (native === null) console.error('SKIPPED: the native client, for want of cc');
    const words = [process.execPath, HOOK_FILE, 'claude-code', 'PreToolUse', '--dir', dir, '--mark'];
    const fallback = [
      '--folder',
      folder,
      '--deadline',
      '10000',
      '--deny',
      'denied',
      '--deny-exit',
      '0',
      '--',
    ];
    const contenders = {
      '/bin/true': () => timed('/bin/true', [], '', null, env),
      ...(native !== null && {
        'native client, daemon': () => timed(native, [...fallback, ...words], payload(), MARK, env),
      }),
      'node -e 0': () => timed(process.execPath, ['-e', '0'], '', null, env),
      'launcher, daemon': () => timed(words[0], words.slice(1), payload(), MARK, env),
    };
    measure(`with a daemon, idle, ${rounds} rounds`, contenders, rounds);
    const own = native === null ? 0 : clientCpu([native, ...fallback, ...words], payload, scratch);
    const httpIdle = await http(`over HTTP, idle, ${HTTP_ROUNDS} rounds`, folder, dir);
    await printSustained(folder, words.slice(2, -1), payload, env, dir);
    const loops = Array.from({ length: busyLoops }, () =>
      spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }),
    );
    try {
      measure(`with a daemon and ${busyLoops} busy loops, ${rounds} rounds`, contenders, rounds);
      await http(`over HTTP, ${busyLoops} busy loops, ${HTTP_ROUNDS} rounds`, folder, dir);
      return httpIdle <= HTTP_BAR && own <= BAR;
    } finally {
      for (const loop of loops) loop.kill('SIGKILL');
    }
  } finally {
    harness('daemon', 'stop');
  }
}

const MARK = '#harness-answered#';

function compiled(scratch) {
  const source = new URL('../native/harness-hook.c', import.meta.url).pathname;
  const file = join(scratch, 'harness-hook');
  for (const way of [['-O2', '-static'], ['-O2']]) {
    if (spawnSync('cc', [...way, '-o', file, source]).status === 0 && existsSync(file)) return file;
  }
  return null;
}

function timed(program, args, input, wanted, env) {
  const began = process.hrtime.bigint();
  const { status, stdout } = spawnSync(program, args, { input, env, encoding: 'utf8' });
  const ms = Number(process.hrtime.bigint() - began) / 1e6;
  if (status !== 0 || (wanted !== null && stdout !== wanted)) {
    throw new Error(`${program}: exit ${status}, got ${stdout}`);
  }
  return ms;
}

/** By the clock, the daemon's part included. */
function measure(title, contenders, rounds) {
  const samples = new Map(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -3; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const ms = run();
      if (round >= 0) samples.get(name).push(ms);
    }
  }
  const at = (name, part) => {
    const sorted = [...samples.get(name)].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  };
  const baseOf = (name) => (name === 'launcher, daemon' || name === 'node -e 0' ? 'node -e 0' : '/bin/true');
  const ratio = (name) => at(name, 0.5) / at(baseOf(name), 0.5);
  const rows = [...samples.keys()].map((name) => [
    name,
    `${at(name, 0.5).toFixed(2)} ms`,
    `${at(name, 0.99).toFixed(2)} ms`,
    `${ratio(name).toFixed(2)} of ${baseOf(name)}`,
  ]);
  printTable(title, ['', 'p50', 'p99', 'ratio'], rows);
}

/** The client's own CPU time to that of /bin/true, by the medians: what the daemon takes is not the client's. */
function clientCpu(argv, payload, scratch) {
  const [own, none] = [[], []];
  for (let round = 0; round < 5; round++) {
    none.push(startCpu(['/bin/true'], () => '', 100, scratch));
    own.push(startCpu(argv, payload, 100, scratch));
  }
  const ratio = median(own) / median(none);
  const row = [
    'native client',
    `${median(own).toFixed(2)} ms`,
    ratio.toFixed(2),
    ratio <= BAR ? 'ok' : `above ${BAR}`,
  ];
  printTable('CPU time of the client', ['', '', 'to /bin/true', 'bar'], [row]);
  return ratio;
}

/** How many milliseconds a decision takes longer than an answer that decides nothing, by the medians. */
async function http(title, folder, dir) {
  const { url } = JSON.parse(readFileSync(join(folder, 'http.json'), 'utf8'));
  const token = readFileSync(join(folder, 'http-token'), 'utf8');
  const body = JSON.stringify({
    event: 'tool.pre',
    payload: { id: '1', name: 'run_command', args: { command: 'npm test -- --run src/app' } },
  });
  const empty = spawn(process.execPath, ['-e', EMPTY_SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await new Promise((resolve) =>
      empty.stdout.once('data', (text) => resolve(String(text).trim())),
    );
    const agent = new Agent({ keepAlive: true });
    const post = (address) =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const began = process.hrtime.bigint();
        const asked = request(address, { method: 'POST', headers, agent }, (answer) => {
          answer.resume();
          answer.on('end', () => resolve(Number(process.hrtime.bigint() - began) / 1e6));
          if (answer.statusCode !== 200) reject(new Error(`${address} answered ${answer.statusCode}`));
        });
        asked.on('error', reject);
        asked.end(body);
      });
    const ways = {
      'an empty handler': `http://127.0.0.1:${port}/`,
      'the daemon, a decision': `${url}/v1/decide?dir=${encodeURIComponent(dir)}`,
    };
    const samples = new Map(Object.keys(ways).map((name) => [name, []]));
    for (let round = -20; round < HTTP_ROUNDS; round++)
      for (const [name, address] of Object.entries(ways)) {
        const ms = await post(address);
        if (round >= 0) samples.get(name).push(ms);
      }
    agent.destroy();
    const at = (name, part) => {
      const sorted = [...samples.get(name)].sort((a, b) => a - b);
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
    };
    const above = at('the daemon, a decision', 0.5) - at('an empty handler', 0.5);
    const rows = [...samples.keys()].map((name, i) => [
      name,
      `${at(name, 0.5).toFixed(2)} ms`,
      `${at(name, 0.99).toFixed(2)} ms`,
      i === 0 ? '' : `${above.toFixed(2)} ms above`,
      i === 0 ? '' : above <= HTTP_BAR ? 'ok' : `above ${HTTP_BAR} ms`,
    ]);
    printTable(title, ['', 'p50', 'p99', '', 'bar'], rows);
    return above;
  } finally {
    empty.kill('SIGKILL');
  }
}

const EMPTY_SERVER = `const s = require('node:http').createServer((i, o) => { i.resume(); i.on('end', () => o.end('{}')); });
s.listen(0, '127.0.0.1', () => console.log(s.address().port));`;

/** Calls and their results in turn, as a session has them: calls that never come back would fill its state. */
async function printSustained(folder, [agent, , ...words], payload, env, dir) {
  const { dev, ino, size, mtimeNs } = statSync(HOOK_FILE, { bigint: true });
  const { readlinkSync } = await import('node:fs');
  const space = readlinkSync('/proc/self/ns/mnt');
  const variables = Buffer.from(
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join('\0'),
  );
  const ask = (event, text) =>
    new Promise((resolve, reject) => {
      const said = Buffer.from([dir, space, agent, event, ...words].join('\0'));
      const body = Buffer.from(text);
      const line = `harness-1 hook ${dev}:${ino}:${size}:${mtimeNs} ${said.length} ${variables.length} ${body.length}\n`;
      const socket = connect(join(folder, 'socket'));
      let heard = '';
      socket.on('data', (piece) => {
        heard += piece;
      });
      socket.on('error', reject);
      socket.on('close', () =>
        heard.includes('\nanswer 0 ') ? resolve() : reject(new Error(`want an answer, got ${heard}`)),
      );
      socket.write(Buffer.concat([Buffer.from(line), said, variables, body]));
    });
  const end = Date.now() + SUSTAINED_MS;
  let done = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (; Date.now() < end; done += 2) {
        const text = payload();
        await ask('PreToolUse', text);
        const result = { hook_event_name: 'PostToolUse', tool_response: { stdout: 'ok', stderr: '' } };
        await ask('PostToolUse', JSON.stringify({ ...JSON.parse(text), ...result }));
      }
    }),
  );
  printTable(
    'decisions a second, on tape',
    ['', ''],
    [[`${AT_ONCE} clients, ${SUSTAINED_MS / 1000} s`, `${Math.round((done * 1000) / SUSTAINED_MS)}`]],
  );
}
