// Runs real coding agents, headless and offline, against the scripted model server, and holds what they did against what the
// scenarios want (test/agents/). Each run has its own network and process namespace, an empty environment and dummy keys.
//   npm run test:agents [-- AGENT...] [--scenario NAME,...] [--jobs N] [--minutes N] [--keep DIR] [--json] [--write]
// Without names: Claude Code, Codex, Gemini CLI and OpenCode; `all` is every agent. An agent that cannot be installed is a loud
// line, and so are scenarios that were not begun within the minutes; a wrong answer is a failure. What ran out of time is tried
// once more, and called flaky if it holds then. Without namespaces nothing is run, and it says so. With --write the results
// become those of docs/agents.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AGENTS } from '../test/agents/agents.mjs';
import { installed as installedIn, inTurn, play, whyNotIsolated } from '../test/agents/play.mjs';
import { keepResults } from '../test/agents/results.mjs';
import { isOffered, SCENARIOS, wrongFacts } from '../test/agents/scenarios.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const USUAL = ['claude-code', 'codex', 'gemini-cli', 'opencode'];
/** What a launcher and its line say when they ran out of time: no fault of the scenario, unless it is about that. */
const OUT_OF_TIME = ['no decision within', 'Harness gave no whole answer', 'not in time'];

const WAITS = ({ scenario: { fault } }) => fault === 'hanging' || fault === 'stopped';

const WAITING = 2;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scenario: { type: 'string' },
    keep: { type: 'string' },
    jobs: { type: 'string' },
    minutes: { type: 'string' },
    json: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});
const everyone = positionals.includes('all') ? AGENTS.map(({ name }) => name) : positionals;
const agents = chosen(AGENTS, everyone.length === 0 ? USUAL : everyone, 'agent');
const scenarios = chosen(SCENARIOS, options.scenario?.split(',').flatMap(named) ?? [], 'scenario');
// One more than there are processors: agents also wait.
const jobs = Math.max(1, Number(options.jobs ?? Math.min(4, availableParallelism()) + 1));

const why = whyNotIsolated('true');
if (why !== null) {
  say(`SKIPPED: no agent was tested, since namespaces cannot be had here (${why})`);
  process.exit(0);
}
if (!existsSync(join(root, 'dist/agent/model-server/index.js'))) {
  say('the build is missing: npm run build');
  process.exit(2);
}

const work = resolve(options.keep ?? mkdtempSync(join(tmpdir(), 'harness-agents-')));
const until = performance.now() + Number(options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
const results = [];
const late = [];
const installed = (
  await inTurn(agents, jobs, async (agent) => ({ agent, modules: await installedIn(agent) }))
).filter(({ modules }) => modules !== null);
say(`== ${installed.length} agents are there after ${seconds()} s`);
// A new version's new event fails here, before anybody is without a guard at it.
const compared = spawnSync('npx', ['vitest', 'run', 'test/agents/event-names.process.test.ts'], {
  cwd: root,
  encoding: 'utf8',
});
if (compared.status !== 0) say(`WRONG: the tables of events and the programs differ\n${compared.stdout}`);
// Scenario by scenario, so that what is left out for want of time is left out for all of them.
const possible = scenarios.filter(({ contained }) => contained === undefined || sandboxWorks());
if (possible.length < scenarios.length)
  say('SKIPPED: no agent was started in a sandbox, since bubblewrap does not work here');
const queue = possible.flatMap((scenario) => installed.map((one) => ({ ...one, scenario })));
// Who waits for deadlines needs no processor: that has places of its own.
const [waiting, working] = [WAITS, (one) => !WAITS(one)].map((which) => queue.filter(which));
await Promise.all([inTurn(waiting, WAITING, judge), inTurn(working, jobs, judge)]);
say(`== ${results.length} scenarios after ${seconds()} s`);
for (const { agent, count, wall, cpu, slowest } of costs()) {
  say(`== ${agent}: ${count} scenarios, ${cpu} s of processor, ${wall} s in all; slowest ${slowest}`);
}

const failures = results.filter(({ verdict }) => verdict === 'WRONG');
const flaky = results.filter(({ verdict }) => verdict === 'flaky');
if (late.length > 0) say(`NOT RUN within ${options.minutes} minutes: ${late.map(nameOf).join(', ')}`);
if (flaky.length > 0) say(`FLAKY, held at the second try: ${flaky.map(nameOf).join(', ')}`);
if (failures.length > 0) say(`WRONG: ${failures.map(nameOf).join(', ')}`);
if (options.keep === undefined && failures.length === 0) rmSync(work, { recursive: true, force: true });
else say(`everything that was written is in ${work}`);
process.exit(failures.length === 0 && compared.status === 0 ? 0 : 1);

function sandboxWorks() {
  const bwrap = [
    'bwrap',
    '--unshare-user',
    '--unshare-pid',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    'true',
  ];
  return whyNotIsolated(...bwrap) === null;
}

function seconds() {
  return Math.round(performance.now() / 1000);
}

async function judge({ agent, scenario, modules }) {
  if (performance.now() > until) {
    late.push({ agent: agent.name, scenario: scenario.name });
    return;
  }
  if (!isOffered(scenario, agent)) {
    report(agent, scenario, { verdict: 'not offered' });
    return;
  }
  const began = performance.now();
  const first = await attempt(agent, scenario, modules);
  if (performance.now() > until && ranOutOfTime(scenario, first)) {
    late.push({ agent: agent.name, scenario: scenario.name });
    return;
  }
  if (first.wrong.length === 0 || !ranOutOfTime(scenario, first)) {
    report(agent, scenario, { verdict: first.wrong.length === 0 ? 'ok' : 'WRONG', began, ...first });
    return;
  }
  const second = await attempt(agent, scenario, modules);
  report(agent, scenario, { verdict: second.wrong.length === 0 ? 'flaky' : 'WRONG', began, ...second });
}

async function attempt(agent, scenario, modules) {
  const facts = await play(agent, scenario, modules, join(work, agent.name, scenario.name));
  return { facts, wrong: facts.error === undefined ? wrongFacts(scenario, agent, facts) : [facts.error] };
}

function ranOutOfTime({ fault }, { facts }) {
  if (facts.timedOut) return true;
  const said = [facts.printed ?? '', ...(facts.seenByModel ?? [])];
  return fault === undefined && OUT_OF_TIME.some((words) => said.some((text) => text.includes(words)));
}

/** What each agent took, and which of its scenarios took longest. */
function costs() {
  const sum = (list, of) => Math.round(list.reduce((all, one) => all + of(one), 0) / 1000);
  return agents.flatMap(({ name }) => {
    const own = results.filter(({ agent, took }) => agent === name && took !== undefined);
    if (own.length === 0) return [];
    const slowest = own.toSorted((a, b) => b.took - a.took).slice(0, 3);
    return [
      {
        ...{ agent: name, count: own.length },
        wall: sum(own, ({ took }) => took),
        cpu: sum(own, ({ cpuMs }) => cpuMs),
        slowest: slowest.map(({ scenario, took }) => `${scenario} ${Math.round(took / 1000)} s`).join(', '),
      },
    ];
  });
}

function nameOf({ agent, scenario }) {
  return `${agent}/${scenario}`;
}

/** `policy-*`: all that begin so. */
function named(word) {
  if (!word.endsWith('*')) return [word];
  return SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith(word.slice(0, -1)));
}

function chosen(all, names, kind) {
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) {
    say(`unknown ${kind} ${unknown.join(', ')}: want ${all.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

function report(agent, scenario, { verdict, began, wrong = [], facts = {} }) {
  const { seenByModel: _, printed: __, heard: ___, ...shown } = facts;
  const packages = agent.packages;
  const took = began === undefined ? undefined : performance.now() - began;
  results.push({ agent: agent.name, scenario: scenario.name, verdict, took, cpuMs: facts.cpuMs ?? 0 });
  // One by one: a run that is ended has its results.
  if (options.write) keepResults(root, agents, results);
  if (options.json) {
    console.log(
      JSON.stringify({ agent: agent.name, packages, scenario: scenario.name, verdict, wrong, ...shown }),
    );
    return;
  }
  const time = took === undefined ? '' : `${(took / 1000).toFixed(1)} s`;
  console.log(
    `${agent.name.padEnd(12)} ${scenario.name.padEnd(30)} ${verdict.padEnd(12)} ${time} ${wrong.join(', ')}`.trimEnd(),
  );
  if (wrong.length > 0) console.log(`  ${JSON.stringify(shown)}`);
}

function say(text) {
  console.error(text);
}
