// What runs agents: installs their packages into the cache, and plays a scenario with one of them in namespaces of its own, with an
// empty environment and dummy keys.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, placeOf, versionsOf } from './cache.mjs';

const INSTALL_MS = 600_000;
/** What one run of an agent may take on a machine that does nothing else. */
const RUN_MS = 60_000;
/** The time of a loaded machine is stretched, but not without end. */
const MOST_STRETCH = 4;
const QUIET = ['ignore', 'ignore', 'pipe'];
const RUN_ONE = join(dirname(fileURLToPath(import.meta.url)), 'run-one.mjs');

const ISOLATED = [
  'unshare',
  // A user who is not root needs a user namespace to make the others.
  ...(process.getuid() === 0 ? [] : ['--map-root-user']),
  ...['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ...['sh', '-c', 'ip link set lo up && exec "$0" "$@"'],
];
const [UNSHARE, ...OPTIONS] = ISOLATED;

/** Why a command cannot be run in namespaces of its own; null if it can. */
export function whyNotIsolated(...command) {
  const { status, error, stderr } = spawnSync(UNSHARE, [...OPTIONS, ...command], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  return status === 0 ? null : (error?.message ?? stderr).trim();
}

/** What the work gives for each item, in their order; so many at a time. */
export async function inTurn(items, atOnce, work) {
  const given = [];
  const left = items.entries();
  const worker = async () => {
    for (const [at, item] of left) given[at] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return given;
}

/** The folder of an agent's packages, installed once and stored outside the checkout; null if that failed. */
export async function installed(agent) {
  const versions = versionsOf(agent);
  const place = placeOf(agent);
  const modules = join(place, 'node_modules');
  if (existsSync(modules)) return modules;
  console.error(`installing ${versions.join(' ')}`);
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, '.installing-'));
  writeFileSync(join(scratch, 'package.json'), '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...versions];
  const { status, why } = await ended(
    spawn('npm', args, { cwd: scratch, timeout: INSTALL_MS, stdio: QUIET }),
  );
  if (status !== 0) {
    console.error(`NOT INSTALLED, so not tested: ${agent.name} (${versions.join(' ')})\n${why}`);
    rmSync(scratch, { recursive: true, force: true });
    return null;
  }
  // Only what is whole gets the name under which it is looked for; another run may have installed it meanwhile.
  if (existsSync(modules)) rmSync(scratch, { recursive: true, force: true });
  else renameSync(scratch, place);
  return modules;
}

/** The facts of one run below `folder`; `more` is further wishes of `run-one.mjs`. */
export async function play(agent, scenario, modules, folder, more = {}) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'home'), { recursive: true });
  const timeoutMs = Math.round(RUN_MS * stretch());
  const asked = { agent: agent.name, scenario: scenario.name, modules, root: folder, timeoutMs, ...more };
  const { status, signal, why } = await ended(
    spawn(UNSHARE, [...OPTIONS, process.execPath, RUN_ONE, JSON.stringify(asked)], {
      // What is around the agent takes its time too: it is set up, installed, examined, taken out.
      timeout: timeoutMs * 2,
      killSignal: 'SIGKILL',
      stdio: QUIET,
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: join(folder, 'home'),
      },
    }),
  );
  if (status === 0) return JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'));
  return { error: `the run failed: ${why}`, timedOut: signal === 'SIGKILL' };
}

/** How a process ended; `why` is what to say if that was not well. */
function ended(child) {
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((done) => {
    child.on('error', ({ message }) => done({ status: null, why: message }));
    child.on('close', (status, signal) => done({ status, signal, why: signal ?? stderr.trim() }));
  });
}

/** How much longer things take here and now. */
function stretch() {
  return Math.min(MOST_STRETCH, Math.max(1, loadavg()[0] / availableParallelism()));
}
