// What newer versions of the agents and frameworks change of what stands in our tables, as two tables of Markdown: for a maintainer, once a
// week. Nothing in the tree is changed. It ends with 1 if anything differs.
//   npm run drift [-- NAME...] [--tested] [--jobs N]
// NAME is an agent or `frameworks`; without names all of them. With --tested the versions that are tested are compared instead of the
// newest: then a difference is a fault of the tables, of the samples or of this script.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AGENTS } from '../test/agents/agents.mjs';
import { eventNames } from '../test/agents/event-names.mjs';
import { installed, inTurn, play, whyNotIsolated } from '../test/agents/play.mjs';
import { EXIT_CODES, isOffered, SCENARIOS, wrongFacts } from '../test/agents/scenarios.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FRAMEWORKS = 'frameworks';
/** What an agent makes of each kind of answer, and our own line in it. */
const ANSWERS = [
  ...[
    'block',
    'rewrite',
    'redact',
    'context',
    'prompt-block',
    'stop-goes-on',
    'two-tools-at-once',
    'sub-agent',
  ],
  ...[
    'policy-harmless',
    'policy-block',
    'policy-rewrite',
    'policy-redact',
    'policy-prompt-block',
    'policy-context',
  ],
  ...['policy-stop-goes-on', 'policy-tool-killed', 'policy-own-write'],
].map((wanted) => SCENARIOS.find(({ name }) => name === wanted));
const OBSERVE = SCENARIOS.find(({ name }) => name === 'observe');
const SAME = 'same';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { tested: { type: 'boolean' }, jobs: { type: 'string' } },
});
const known = [...AGENTS.map(({ name }) => name), FRAMEWORKS];
const stranger = positionals.find((name) => !known.includes(name));
if (stranger !== undefined) end(`unknown name ${stranger}: want ${known.join(', ')}`, 2);
const isWanted = (name) => positionals.length === 0 || positionals.includes(name);
const why = whyNotIsolated('true');
if (why !== null) end(`no agent can be run here: namespaces cannot be had (${why})`, 2);
if (!existsSync(join(root, 'dist/agents/all-agents.js'))) end('the build is missing: npm run build', 2);

const { ALL_AGENTS } = await import('../dist/agents/all-agents.js');
const jobs = Math.max(1, Number(options.jobs ?? availableParallelism()));
const work = mkdtempSync(join(tmpdir(), 'harness-drift-'));
const agents = AGENTS.filter(({ name }) => isWanted(name));
const rows = await inTurn(agents, 1, compared);
if (rows.length > 0)
  print(['agent', 'tested', 'compared', 'events', 'fields', 'exit codes', 'answers'], rows);
const frameworks = isWanted(FRAMEWORKS) ? comparedFrameworks() : [];
if (frameworks.length > 0) print(['package of test/frameworks', 'tested', 'compared', 'tests'], frameworks);
rmSync(work, { recursive: true, force: true });
process.exit([...rows, ...frameworks].every((row) => row.slice(3).every((cell) => cell === SAME)) ? 0 : 1);

async function compared(recipe) {
  const tested = Object.values(recipe.packages)[0];
  const packages = Object.fromEntries(
    Object.entries(recipe.packages).map(([name, version]) => [name, newest(name, version)]),
  );
  const agent = { ...recipe, packages };
  const version = Object.values(packages)[0];
  const about = [recipe.name, tested, version];
  if (version === tested && !options.tested) return [...about, SAME, SAME, SAME, SAME];
  const modules = await installed(agent);
  if (modules === null) return [...about, ...Array(4).fill('not installed')];
  const { adapter } = ALL_AGENTS.find((one) => one.adapter.agent === recipe.adapter);
  return [
    ...about,
    eventsOf(agent, adapter, modules),
    await fieldsOf(agent, adapter, modules),
    await exitCodesOf(agent, adapter, modules),
    await answersOf(agent, modules),
  ];
}

function newest(name, version) {
  if (options.tested) return version;
  const { status, stdout, stderr } = spawnSync('npm', ['view', name, 'version'], { encoding: 'utf8' });
  if (status !== 0) end(`npm view ${name}: ${stderr}`, 2);
  return stdout.trim();
}

/** Names in the program that the table lacks (+), and names of the table that are gone (−). */
function eventsOf(agent, { allEvents }, modules) {
  let names;
  try {
    names = eventNames(agent.name, modules);
  } catch (error) {
    return `not found in its files: ${error.message}`;
  }
  return difference(
    names,
    allEvents.map(({ native }) => native),
  );
}

/** Top-level fields of the payloads of one run, against those of the samples that the adapter is tested with. */
async function fieldsOf(agent, { channel, events }, modules) {
  // Inside the agent's process the fields are made by our own file.
  if (channel === 'plugin') return SAME;
  const natives = events.map(({ native }) => native);
  const { error, heard = [] } = await play(agent, OBSERVE, modules, join(work, agent.name, 'fields'), {
    events: natives,
  });
  if (error !== undefined) return error;
  if (heard.length === 0) return 'no hook was called';
  const samples = JSON.parse(
    readFileSync(join(root, `test/adapters/payloads/${agent.adapter}.json`), 'utf8'),
  );
  const found = new Set();
  for (const { event, input } of heard) {
    const own = Object.entries(samples).flatMap(([name, one]) => (name.split(' ')[0] === event ? [one] : []));
    const fields = Object.keys(JSON.parse(input));
    const always = Object.keys(own[0] ?? {}).filter((key) => own.every((one) => Object.hasOwn(one, key)));
    for (const key of fields) if (!own.some((one) => Object.hasOwn(one, key))) found.add(`+${event}.${key}`);
    for (const key of always) if (!fields.includes(key)) found.add(`−${event}.${key}`);
  }
  return found.size === 0 ? SAME : [...found].sort().join(', ');
}

/** What becomes of a call whose hook ends so, against the recipe. */
async function exitCodesOf(agent, { channel }, modules) {
  if (channel === 'plugin') return SAME;
  const all = await inTurn(EXIT_CODES, jobs, async (scenario) => {
    const { error, original } = await play(agent, scenario, modules, join(work, agent.name, scenario.name));
    const now = error ?? (original === null ? 'refuses' : 'runs');
    return now === agent.exitCodes?.[scenario.code] ? [] : [`${scenario.code}: ${now}`];
  });
  return all.flat().join(', ') || SAME;
}

async function answersOf(agent, modules) {
  const offered = ANSWERS.filter((scenario) => isOffered(scenario, agent));
  const all = await inTurn(offered, jobs, async (scenario) => {
    const facts = await play(agent, scenario, modules, join(work, agent.name, scenario.name));
    const wrong = facts.error === undefined ? wrongFacts(scenario, agent, facts) : [facts.error];
    return wrong.length === 0 ? [] : [`${scenario.name} (${wrong.join(', ')})`];
  });
  return all.flat().join(', ') || SAME;
}

function difference(now, before) {
  const added = now.filter((name) => !before.includes(name)).map((name) => `+${name}`);
  const gone = before.filter((name) => !now.includes(name)).map((name) => `−${name}`);
  return [...added, ...gone].sort().join(', ') || SAME;
}

/** The tests of the adapters with the newest versions. A package whose name no test has is compared by all of them. */
function comparedFrameworks() {
  const manifest = JSON.parse(readFileSync(join(root, 'test/frameworks/package.json'), 'utf8'));
  const tested = Object.entries(manifest.dependencies).filter(([, version]) => /^\d/.test(version));
  const dependencies = Object.fromEntries(tested.map(([name, version]) => [name, newest(name, version)]));
  const changed = tested.filter(([name, version]) => dependencies[name] !== version);
  if (changed.length === 0 && !options.tested) return [['all', '', '', SAME]];
  const file = join(work, 'package.json');
  writeFileSync(
    file,
    JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, ...dependencies } }),
  );
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, 'scripts/test-frameworks.mjs'), '--manifest', file],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 },
  );
  const failed = [...(stdout ?? '').matchAll(/^FAILED: (.+)\.test\.mjs$/gm)].map(([, name]) => name);
  const result = failed.length > 0 ? `failed: ${failed.join(', ')}` : status === 0 ? SAME : 'did not run';
  return (options.tested ? tested : changed).map(([name, version]) => [
    name,
    version,
    dependencies[name],
    result,
  ]);
}

function print(head, body) {
  for (const row of [head, head.map(() => '---'), ...body])
    console.log(`| ${row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`);
  console.log();
}

function end(text, code) {
  console.error(text);
  process.exit(code);
}
