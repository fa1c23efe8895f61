/**
 * The part of docs/agents.md that is not said but seen: what the last run of `npm run test:agents -- --write` found, agent by
 * agent. Results that are missing, or of another version than the one the tests are for, are called so.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ALL_AGENTS } from '../src/agents/all-agents.ts';
import { code, table } from './page.ts';

const ALL_ADAPTERS = ALL_AGENTS.map(({ adapter }) => adapter);

interface Result {
  readonly packages: Readonly<Record<string, string>>;
  readonly day: string;
  readonly node: string;
  readonly adapter: string;
  /** `ok`, `flaky`, `WRONG`, `not offered`. */
  readonly scenarios: Readonly<Record<string, string>>;
}

interface Scenario {
  readonly name: string;
}

interface Recipe {
  readonly name: string;
  readonly adapter: string;
  readonly packages: Readonly<Record<string, string>>;
  /** What it does with a call if the registered line and the guard go together. */
  readonly withoutLine?: Readonly<Record<'killed' | 'stopped', keyof typeof WITHOUT_LINE>>;
}

/** The checkout, also from a bundle that stands deeper in it. */
function checkout(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'test', 'agents'))) folder = dirname(folder);
  return folder;
}

const ROOT = checkout();
const load = (name: string) => import(pathToFileURL(join(ROOT, 'test', 'agents', name)).href);
const { AGENTS } = (await load('agents.mjs')) as { AGENTS: readonly Recipe[] };
const { SCENARIOS, whyNotOffered } = (await load('scenarios.mjs')) as {
  SCENARIOS: readonly Scenario[];
  whyNotOffered: (scenario: Scenario, agent: Recipe) => string | undefined;
};
const { readResults, adapterDigest } = (await load('results.mjs')) as {
  readResults: (root: string) => Readonly<Record<string, Result>>;
  adapterDigest: (root: string, agent: string) => string;
};

const WITHOUT_LINE = { runs: '**runs**', refuses: 'is refused', waits: 'waits for ever' } as const;

/** What is left to each agent, as `npm run test:agents -- --scenario policy-line-killed,policy-line-stopped` tries it. */
export function withoutLineTable(): string {
  const rows = AGENTS.flatMap(({ adapter, withoutLine }) => {
    if (withoutLine === undefined) return [];
    const { title } = ALL_ADAPTERS.find(({ agent }) => agent === adapter)!;
    const cells = [withoutLine.killed, withoutLine.stopped].map((does) => WITHOUT_LINE[does]);
    return [`| ${title} | ${cells.join(' | ')} |`];
  });
  return table(
    ['agent', 'a call whose line and guard are killed', 'and one whose line and guard are stopped'],
    rows,
  );
}

/** What is shown in a line of its own, and the scenarios that show it. */
const SHOWN: readonly (readonly [what: string, ...scenarios: string[]])[] = [
  ['a harmless call passes, and is on the tape', 'policy-harmless'],
  ['a call is blocked, the model reads rule and reason', 'policy-block'],
  ['installed for the user, it is blocked in every project', 'policy-user-block'],
  ['an ask without a person runs nothing', 'policy-ask'],
  ['a call is rewritten, or blocked with what to call instead', 'policy-rewrite'],
  ['a rewrite is no approval', 'policy-rewrite-is-no-approval'],
  ['a result is redacted', 'policy-redact', 'policy-redact-failed'],
  ['a result is hidden', 'policy-hide-result', 'policy-hide-failed', 'policy-failed-tool'],
  ['context is added at the start of a session', 'policy-start-context'],
  ['context is added to a prompt', 'policy-context'],
  ['context is added to a result', 'policy-result-context'],
  ['a prompt is refused, or replaced by the reason', 'policy-prompt-block'],
  ['a prompt is rewritten', 'policy-prompt-rewrite'],
  ['a stop is sent back', 'policy-stop-goes-on'],
  ['a call of a sub-agent is blocked', 'policy-sub-agent'],
  ['a sub-agent is sent back', 'policy-sub-agent-goes-on'],
  ['two calls at once are both judged', 'policy-two-at-once'],
  ['a tool of an MCP server is judged', 'policy-mcp', 'policy-mcp-harmless'],
  ['its own tool for files is judged by its common name', 'policy-own-write'],
  ['a file is written and read under the policy of `harness init`', 'policy-init-write'],
  ['hooks of two agents in one project decide once', 'policy-two-agents'],
  ['what it would have been refused is on the tape', 'policy-observed'],
  ['a policy that is broken or deleted refuses', 'policy-broken', 'policy-deleted-policy'],
  ['a hook that is killed refuses', 'policy-killed', 'policy-tool-killed', 'policy-result-killed'],
  ['a hook that is stopped refuses', 'policy-stopped', 'policy-tool-stopped'],
  ['a hook that hangs refuses', 'policy-hanging', 'policy-tool-hanging'],
  [
    'an engine that is gone or empty refuses',
    'policy-missing-launcher',
    'policy-tool-missing-launcher',
    'policy-result-missing-launcher',
    'policy-empty-launcher',
  ],
  ['install, doctor and an exact uninstall', 'installed'],
  ['`doctor --live` is green, for a project and for the user', 'live', 'live-user'],
  [
    '`doctor --live` is red for each of the ways to break it',
    ...SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith('live-broken-')),
  ],
];

export function resultParts(): string[] {
  const results = readResults(ROOT);
  const seen = ALL_ADAPTERS.filter(({ agent }) => results[agent] !== undefined);
  const rows = SHOWN.map(
    ([what, ...scenarios]) =>
      `| ${what} | ${seen.map(({ agent }) => cell(results[agent]!, scenarios)).join(' | ')} |`,
  );
  return [
    '## What was seen',
    `Each agent was run without a person and without a network, against a scripted model, with what ${code('harness install')} wrote and no flag that lets hooks run untrusted. A dash: not tried; why stands below.`,
    seen.length === 0 ? 'No results are there.' : table(['', ...seen.map(({ title }) => title)], rows),
    ALL_ADAPTERS.map(({ agent, title }) => `- ${title}: ${wordsOn(agent, results[agent])}`).join('\n'),
    'The dashes:',
    seen.map(({ agent, title }) => `- ${title}: ${dashes(agent, results[agent]!)}.`).join('\n'),
  ];
}

/** What `harness sandbox -- AGENT` gives each agent, and whether it was seen to work and to hold. */
export function sandboxParts(): string[] {
  const results = readResults(ROOT);
  const rows = ALL_AGENTS.map(({ adapter: { agent, title }, programs, sandbox: { writes, hosts, note } }) => {
    const result = results[agent];
    const seen = result === undefined ? '**not run**' : cell(result, ['contained']);
    const version = result === undefined ? '' : Object.values(result.packages)[0];
    const listed = [code(programs[0]), writes.map(code).join(', '), hosts.join(', ')];
    return `| ${[title, version, seen, ...listed, note].join(' | ')} |`;
  });
  return [
    '## Inside a sandbox',
    `${code('harness sandbox -- PROGRAM …')} starts an agent behind the walls of [containment](guide/containment.md). **held**: with what ${code('harness install')} wrote, it reached its model by the proxy and ran a harmless call; a call that the policy refuses was refused and is on the tape; and a program that the policy was told to let pass could not read a credential in the home folder, change or add a rule, add a tape, change the files in which the hooks are registered, nor reach a listener outside, directly or by the proxy. Outside, the same program could do all of it.`,
    table(['agent', 'version', 'seen', 'program', 'may write', 'hosts of its model', 'to know'], rows),
  ];
}

function cell({ scenarios }: Result, names: readonly string[]): string {
  const said = names.map((name) => scenarios[name]);
  const run = said.filter((verdict) => verdict !== undefined);
  if (run.length === 0) return '**not run**';
  const tried = run.filter((verdict) => verdict !== 'not offered');
  if (tried.length === 0) return '–';
  if (tried.includes('WRONG')) return '**WRONG**';
  if (run.length < said.length) return '**not all run**';
  return tried.includes('flaky') ? 'held, at a second try' : 'held';
}

/** What was not tried, by the reason for it. */
function dashes(agent: string, result: Result): string {
  const recipe = AGENTS.find(({ name }) => name === agent)!;
  const rows = new Map<string, string[]>();
  for (const [what, ...scenarios] of SHOWN) {
    if (cell(result, scenarios) !== '–') continue;
    const first = SCENARIOS.find(({ name }) => name === scenarios[0])!;
    const why = whyNotOffered(first, recipe) ?? 'there is no test';
    rows.set(why, [...(rows.get(why) ?? []), what]);
  }
  const reasons = [...rows].map(([why, what]) => `${why} (${what.join('; ')})`);
  return reasons.length === 0 ? 'none' : reasons.join('; ');
}

function wordsOn(agent: string, result: Result | undefined): string {
  const recipe = AGENTS.find(({ name }) => name === agent);
  if (recipe === undefined) return 'not run: there is no test of it.';
  const pinned = versionsOf(recipe.packages);
  if (result === undefined) return `not run yet; the tests are for ${pinned}.`;
  const verdicts = Object.values(result.scenarios);
  const held = verdicts.filter((verdict) => verdict === 'ok' || verdict === 'flaky').length;
  const wrong = verdicts.filter((verdict) => verdict === 'WRONG').length;
  const missing = SCENARIOS.filter(({ name }) => result.scenarios[name] === undefined).length;
  const stale = [
    ...(versionsOf(result.packages) === pinned ? [] : [`the tests are for ${pinned} by now`]),
    ...(adapterDigest(ROOT, agent) === result.adapter ? [] : ['its adapter was changed since']),
  ];
  return [
    `${versionsOf(result.packages)}, ${result.day}, Node ${result.node}: ${held} scenarios held`,
    ...(wrong === 0 ? [] : [`, **${wrong} did not**`]),
    ...(missing === 0 ? [] : [`, **${missing} were not run**`]),
    stale.length === 0 ? '.' : `. **Stale**: ${stale.join('; ')}.`,
  ].join('');
}

function versionsOf(packages: Readonly<Record<string, string>>): string {
  return Object.entries(packages)
    .map(([name, version]) => code(`${name}@${version}`))
    .join(', ');
}
