// Runs real coding agents, headless and offline, against the scripted model server, and holds what they did against what the
// scenarios want (test/agents/). Each run has its own network and process namespace, an empty environment and dummy keys.
//   npm run test:agents [-- AGENT...] [--scenario NAME,...] [--keep DIR] [--json]
// An agent that cannot be installed is a loud line; a wrong answer is a failure. Without namespaces nothing is run, and it
// says so.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AGENTS } from '../test/agents/agents.mjs';
import { isOffered, SCENARIOS, wrongFacts } from '../test/agents/scenarios.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const INSTALL_MS = 600_000;
const SCENARIO_MS = 90_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { scenario: { type: 'string' }, keep: { type: 'string' }, json: { type: 'boolean' } },
});
const agents = chosen(AGENTS, positionals, 'agent');
const scenarios = chosen(SCENARIOS, options.scenario?.split(',') ?? [], 'scenario');

const isolated = [
  'unshare',
  // A user who is not root needs a user namespace to make the others.
  ...(process.getuid() === 0 ? [] : ['--map-root-user']),
  ...['--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ...['sh', '-c', 'ip link set lo up && exec "$0" "$@"'],
];
const [first, ...rest] = isolated;
const probe = spawnSync(first, [...rest, 'true'], { encoding: 'utf8', timeout: 10_000 });
if (probe.status !== 0) {
  const why = (probe.error?.message ?? probe.stderr).trim();
  say(`SKIPPED: no agent was tested, since namespaces cannot be had here (${why})`);
  process.exit(0);
}
if (!existsSync(join(root, 'dist/agent/model-server/index.js'))) {
  say('the build is missing: npm run build');
  process.exit(2);
}

const work = resolve(options.keep ?? mkdtempSync(join(tmpdir(), 'harness-agents-')));
let failures = 0;
for (const agent of agents) {
  const versions = Object.entries(agent.packages).map(([name, version]) => `${name}@${version}`);
  const modules = install(agent, versions);
  if (modules === null) continue;
  for (const scenario of scenarios) {
    if (!isOffered(scenario, agent)) {
      report(agent, scenario, { verdict: 'not offered' });
      continue;
    }
    const facts = play(agent, scenario, modules);
    const wrong = facts.error === undefined ? wrongFacts(scenario, agent, facts) : [facts.error];
    if (wrong.length > 0) failures++;
    report(agent, scenario, { verdict: wrong.length === 0 ? 'ok' : 'WRONG', wrong, facts });
  }
}
if (options.keep === undefined && failures === 0) rmSync(work, { recursive: true, force: true });
else say(`everything that was written is in ${work}`);
process.exit(failures === 0 ? 0 : 1);

function chosen(all, names, kind) {
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) {
    say(`unknown ${kind} ${unknown.join(', ')}: want ${all.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** The folder of packages, installed once and kept outside the checkout; null if that failed. */
function install(agent, versions) {
  const cache = process.env.HARNESS_AGENTS_CACHE || join(cacheHome(), 'harness', 'agents');
  const place = join(cache, versions.join('+').replaceAll('/', '_'));
  const modules = join(place, 'node_modules');
  if (existsSync(modules)) return modules;
  say(`installing ${versions.join(' ')}`);
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, '.installing-'));
  writeFileSync(join(scratch, 'package.json'), '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...versions];
  const npm = spawnSync('npm', args, { cwd: scratch, encoding: 'utf8', timeout: INSTALL_MS });
  if (npm.status !== 0) {
    say(`NOT INSTALLED, so not tested: ${agent.name} (${versions.join(' ')})`);
    say(String(npm.error?.message ?? npm.stderr).trim());
    rmSync(scratch, { recursive: true, force: true });
    return null;
  }
  // Only what is whole gets the name under which it is looked for.
  renameSync(scratch, place);
  return modules;
}

function cacheHome() {
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

function play(agent, scenario, modules) {
  const folder = join(work, agent.name, scenario.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'home'), { recursive: true });
  const asked = JSON.stringify({ agent: agent.name, scenario: scenario.name, modules, root: folder });
  const inside = [process.execPath, join(root, 'test/agents/run-one.mjs'), asked];
  const { status, stdout, stderr, error } = spawnSync(first, [...rest, ...inside], {
    encoding: 'utf8',
    timeout: SCENARIO_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: join(folder, 'home') },
  });
  if (status !== 0) return { error: `the run failed: ${error?.message ?? stderr.trim()}` };
  return JSON.parse(stdout);
}

function report(agent, scenario, { verdict, wrong = [], facts = {} }) {
  const { seenByModel: _, printed: __, ...shown } = facts;
  if (options.json) {
    const packages = agent.packages;
    console.log(
      JSON.stringify({ agent: agent.name, packages, scenario: scenario.name, verdict, wrong, ...shown }),
    );
    return;
  }
  const time = facts.ms === undefined ? '' : `${(facts.ms / 1000).toFixed(1)} s`;
  console.log(
    `${agent.name.padEnd(12)} ${scenario.name.padEnd(18)} ${verdict.padEnd(12)} ${time} ${wrong.join(', ')}`.trimEnd(),
  );
  if (wrong.length > 0) console.log(`  ${JSON.stringify(shown)}`);
}

function say(text) {
  console.error(text);
}
