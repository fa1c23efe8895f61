// Runs one agent through one scenario and leaves the facts in `facts.json`. Only inside a network namespace of its own:
// it refuses where anything but loopback can be reached.   node run-one.mjs '{"agent","scenario","modules","root","timeoutMs"}'
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startModelServer } from '../../dist/agent/model-server/index.js';
import { AGENTS } from './agents.mjs';
import { contain } from './contained.mjs';
import { decisionsOn, guard, notesOn, REAL, USER_POLICY } from './guarded.mjs';
import { doctorLive } from './live.mjs';
import { EXIT_CODES, SCENARIOS } from './scenarios.mjs';
import { overlaySystem } from './switches.mjs';

const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo');
if (others.length > 0) {
  console.error(`want a network namespace with nothing but lo, got ${others.join(', ')}`);
  process.exit(3);
}

const PROMPT = 'PROMPT_TOKEN please run the tool';

const asked = JSON.parse(process.argv[2]);
const agent = AGENTS.find(({ name }) => name === asked.agent);
const scenario = [...SCENARIOS, ...EXIT_CODES].find(({ name }) => name === asked.scenario);
const here = dirname(fileURLToPath(import.meta.url));
const folders = Object.fromEntries(
  ['cwd', 'home', 'tmp', 'hooks'].map((name) => [name, join(asked.root, name)]),
);
for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
const { cwd, home, tmp, hooks } = folders;

const replies = join(asked.root, 'replies.json');
write(replies, scenario.replies?.(agent.replies, agent) ?? {});
const server = await startModelServer({
  // An agent may want absolute paths, which the story cannot know.
  script: JSON.parse(JSON.stringify({ completions: scenario.story(agent) }).replaceAll('{{cwd}}', cwd)),
  record: join(asked.root, 'requests.jsonl'),
});

const hookArgv = [process.execPath, join(here, 'recording-hook.mjs'), hooks, replies];
const context = {
  ...{ cwd, home, root: asked.root, modules: asked.modules, here, write, hookArgv },
  hookLine: (event) => [...hookArgv, event].map((word) => `'${word}'`).join(' '),
  ...{ url: server.url, prompt: PROMPT, node: process.execPath },
};
if (asked.events !== undefined) Object.assign(context, { events: asked.events });
// With a policy the recipe registers nothing: `harness install` does.
if (scenario.policy !== undefined)
  Object.assign(context, { events: [], guarded: true, ...scenario.settings });
if (scenario.mcp) {
  const server = {
    command: process.execPath,
    args: [join(here, 'mcp-server.mjs'), join(cwd, 'original.txt')],
  };
  Object.assign(context, { mcp: server });
}
const plainEnv = {
  PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  HOME: home,
  TMPDIR: tmp,
  ...{ LANG: 'C.UTF-8', TERM: 'dumb', CI: '1', NO_COLOR: '1', HARNESS_DAEMON: 'off' },
};
spawnSync('git', ['init', '-q', cwd], { env: plainEnv });
const { switched } = scenario;
if (scenario.managed || switched?.system !== undefined)
  overlaySystem(switched?.system ?? {}, asked.root, spawnSync);
agent.setUp(context);
const { argv, env } = agent.command(context);
const guards =
  scenario.policy === undefined ? null : guard(scenario, agent, { cwd, root: asked.root, env: plainEnv });
switched?.set?.({ root: asked.root });
const live =
  scenario.live === undefined
    ? null
    : doctorLive(
        agent,
        { cwd, home, root: asked.root, argv, env: plainEnv, harness: [join(REAL, 'harness.cjs')] },
        scenario,
      );
const contained =
  scenario.contained === undefined
    ? null
    : await contain({
        ...{ agent, argv, modules: asked.modules, cwd, home, root: asked.root, env: plainEnv, here },
        harness: join(REAL, 'harness.cjs'),
      });
const ended =
  live === null
    ? await run([...(contained?.argv ?? argv), ...moreArgs(switched?.args)], {
        ...{ ...plainEnv, ...env, ...contained?.env, ...switched?.env },
      })
    : { exit: live.status, timedOut: false, live };
await server.close();

const conversation = server
  .requests()
  .filter(({ request, answeredBy }) => request !== null && answeredBy.kind !== 'side');
const results = conversation.at(-1)?.request.messages.filter(({ role }) => role === 'result') ?? [];
const runs = join(
  scenario.user || scenario.managed ? join(asked.root, USER_POLICY) : join(cwd, '.harness'),
  'runs',
);
const heard = readdirSync(hooks)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => JSON.parse(readFileSync(join(hooks, name), 'utf8')));
const facts = {
  ...ended,
  cpuMs: cpuMs(),
  ...(guards !== null && guards.installed !== 0 && { error: `install: ${guards.words}` }),
  ...(scenario.install && { installed: guards.finish() }),
  ...(switched !== undefined && { doctor: guards.doctor(switched.env) }),
  ...(contained !== null && { walls: contained.finish() }),
  requests: conversation.length,
  side: server.requests().flatMap(({ answeredBy }) => (answeredBy.kind === 'side' ? [answeredBy.rule] : [])),
  unused: server.unused(),
  withoutItem: server.requests().filter(({ answeredBy }) => answeredBy.kind === 'no-item').length,
  events: heard.map(({ event }) => event),
  heard,
  printed: ['stdout.txt', 'stderr.txt']
    .map((name) => join(asked.root, name))
    .map((file) => (existsSync(file) ? readFileSync(file, 'utf8').slice(0, 100_000) : ''))
    .join('\n'),
  original: firstLine('original.txt'),
  rewritten: firstLine('rewritten.txt'),
  decisions: decisionsOn(runs),
  noted: notesOn(runs),
  lastResult: results.at(-1)?.text ?? '',
  seenByModel: conversation.flatMap(({ request }) => [
    request.system,
    ...request.messages.map((message) => (message.role === 'call' ? '' : message.text)),
  ]),
};
write(join(asked.root, 'facts.json'), facts);
process.exit(0);

function moreArgs(args = []) {
  return typeof args === 'function' ? args(context) : args;
}

function run([program, ...args], env) {
  return new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    child.stdout.pipe(createWriteStream(join(asked.root, 'stdout.txt')));
    child.stderr.pipe(createWriteStream(join(asked.root, 'stderr.txt')));
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill(-child.pid, 'SIGKILL');
    }, asked.timeoutMs);
    const finish = (exit) => {
      clearTimeout(timer);
      resolve({ exit, timedOut, ms: Math.round(performance.now() - began) });
    };
    child.on('error', (error) => finish(error.message));
    child.on('close', (code, signal) => finish(code ?? signal));
  });
}

function write(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

function firstLine(name) {
  try {
    return readFileSync(join(cwd, name), 'utf8').trim();
  } catch {
    return null;
  }
}

/** Of everything that was started here and has ended, and of this process. */
function cpuMs() {
  // After the name, which may hold anything: user and system time, then those of the children, in hundredths of a second.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}
