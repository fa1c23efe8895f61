/** The pages on outside agents: what each honours, under which names its tools are known, and the fault matrix. */
import type { Adapter, Answer, EventRow } from '../src/agents/adapter.ts';
import { ALL_AGENTS } from '../src/agents/all-agents.ts';
import { CANONICAL_TOOLS } from '../src/agents/canonical-tools.ts';
import type { CodingAgent } from '../src/agents/coding-agent.ts';
import { degradation } from '../src/agents/degrade.ts';
import { denyAnswer, goOnAnswer, unprintedExit } from '../src/agents/deny.ts';
import { guardLine } from '../src/agents/guard-line.ts';
import type { Switch } from '../src/agents/switches.ts';
import { AGENT_NAMES } from '../src/engine/tool-names.ts';
import { FAULTS, type Required } from '../test/adapters/faults.ts';
import { resultParts, sandboxParts, withoutLineTable } from './agent-results.ts';
import { code, page, table } from './page.ts';

const ALL_ADAPTERS = ALL_AGENTS.map(({ adapter }) => adapter);

export function agentPages(): Map<string, string> {
  return new Map([
    ['docs/agents.md', overviewPage()],
    ['docs/reference/agents.md', agentsPage()],
    ['docs/reference/fault-matrix.md', faultPage()],
  ]);
}

type Carried = 'block' | 'ask' | 'modify' | 'context';

/** What people want of an agent, and where it shows: an event of the catalog and what is answered to it. */
const WISHES: readonly (readonly [title: string, event: string, action: Carried])[] = [
  ['block a call', 'tool.pre', 'block'],
  ['ask about it', 'tool.pre', 'ask'],
  ['rewrite it', 'tool.pre', 'modify'],
  ['redact a result', 'tool.post', 'modify'],
  ['hide a result', 'tool.post', 'block'],
  ['refuse a prompt', 'turn.start', 'block'],
  ['add context', 'turn.start', 'context'],
  ['send a stop back', 'agent.stop', 'block'],
];

function overviewPage(): string {
  const rows = ALL_ADAPTERS.map((adapter) => {
    const cells = WISHES.map(([, event, action]) => wish(adapter, event, action));
    return `| ${adapter.title} | ${seenWith(adapter)} | ${cells.join(' | ')} |`;
  });
  return page(
    '# One policy in every agent',
    'The same hooks decide in each of these agents. What an agent cannot carry becomes the nearest answer that is not weaker: an ask that it would not put to anybody, and a rewrite that it would not make, become a block that says why; a result that it cannot replace is hidden. **no** means that the agent goes on whatever it is told: nothing here can change that, and `harness validate --target AGENT` names the hooks that it concerns.',
    table(['agent', 'version', ...WISHES.map(([title]) => title)], rows),
    'Each agent’s events and tools, and the names that policies know them by, are in the [reference](reference/agents.md); what it is told when the launcher or the policy is broken, in the [fault matrix](reference/fault-matrix.md).',
    ...resultParts(),
    ...sandboxParts(),
    '## Agent by agent',
    'What holds in each, what is weaker, what cannot be, and its own switches that keep hooks from running. A switch that stands in a file or in the environment makes `harness status` and `harness doctor` red, and `harness install` names it. If it leaves some of our hooks running, those refuse every prompt and call of the session until it is taken out. One on the command line is seen while the agent runs, where the system shows command lines (Linux); where the agent keeps transcripts, `status` and `doctor` also name the session afterwards, since it is on no tape. What leaves hooks as they are is a note. **a run**: `npm run test:agents` turned the switch in the real program. `harness install --managed` is [out of reach](agents-install.md#for-a-whole-machine) of most of them.',
    ...ALL_AGENTS.flatMap(agentScreen),
    '## Tools of MCP servers',
    'A policy knows them as `mcp__SERVER__TOOL`. Claude Code, Codex and Qwen Code spell them so. Gemini CLI runs server and tool together (`mcp_SERVER_TOOL`) and names both beside it, from which the name is made. Copilot CLI (`SERVER-TOOL`), OpenCode (`SERVER_TOOL`), Cursor (`MCP:TOOL`), Cline, pi and Goose do not say where the server ends: such a tool keeps the agent’s own spelling, and a policy has to name that.',
  );
}

function agentScreen({ adapter, switches }: CodingAgent): string[] {
  const fates = WISHES.map(([title, event, action]) => [title, wish(adapter, event, action)] as const);
  const those = (fate: string) => fates.flatMap(([title, became]) => (became === fate ? [title] : []));
  const line = (word: string, titles: readonly string[]) =>
    titles.length === 0 ? [] : [`- ${word}: ${titles.join(', ')}`];
  const none = [...those('**no**'), ...those('no event')];
  return [
    `### ${adapter.title}`,
    [
      ...line('Holds', those('yes')),
      ...line('Becomes a block', those('blocked')),
      ...line('Cannot be', none),
      ...adapter.cannot.map((what) => `- ${what}`),
    ].join('\n'),
    ...(switches.length === 0
      ? []
      : [
          table(
            ['switch', 'what it does', 'seen', 'known from'],
            switches.map(
              (one) =>
                `| ${code(one.name)} | ${one.does} | ${seenHow(one)} | ${one.documented ? 'documentation' : 'a run'} |`,
            ),
          ),
        ]),
  ];
}

const SEEN: Readonly<Record<Switch['seen'], string>> = {
  settings: 'in its settings',
  environment: 'in the environment',
  tapes: 'afterwards: its session is on no tape',
  nowhere: '**not seen**',
};

function seenHow(one: Switch): string {
  const seen = one.leaves === 'all' && one.seen === 'nowhere' ? '' : SEEN[one.seen];
  const running = 'words' in one ? 'while it runs, on its command line' : '';
  const parts = [
    ...[running, seen].filter((part) => part !== '' && !(part === SEEN.nowhere && running !== '')),
    ...(one.leaves === 'all' ? ['a note: hooks run and block all the same'] : []),
    ...(one.leaves === 'some' ? ['the session is refused, too'] : []),
  ];
  return parts.join('; ');
}

/** For the first page: agents that honour the same stand in one row. */
export function agentSummary(): string {
  const wishes = WISHES.slice(0, 4);
  const rows = new Map<string, string[]>();
  for (const adapter of ALL_ADAPTERS) {
    const cells = wishes.map(([, event, action]) => wish(adapter, event, action)).join(' | ');
    rows.set(cells, [...(rows.get(cells) ?? []), adapter.title]);
  }
  return table(
    ['', ...wishes.map(([title]) => title)],
    [...rows].map(([cells, titles]) => `| ${titles.join(', ')} | ${cells} |`),
  );
}

/** At the first event of the agent that is this one: a row for failed tools stands behind it. */
function wish(adapter: Adapter, event: string, action: Carried): string {
  const row = adapter.events.find((each) => each.event === event);
  if (row === undefined) return 'no event';
  if (row.honours[action]) return 'yes';
  return row.honours.block && action !== 'context' ? 'blocked' : '**no**';
}

function seenWith({ versions }: Adapter): string {
  return versions.length === 0 ? 'not run' : versions.join(', ');
}

function agentsPage(): string {
  const tools = Object.entries(CANONICAL_TOOLS).map(([name, { about, args }]) => {
    const named = Object.entries(args).map(([arg, what]) => `${code(arg)} ${what}`);
    const { same, narrower } = AGENT_NAMES[name]!;
    const other = [same, narrower].map((names) => names.map(code).join(', ') || 'none').join(' | ');
    return `| ${code(name)} | ${about} | ${named.join(' ')} | ${other} |`;
  });
  return page(
    '# Agents',
    'What each agent does with an answer at each of its events, as it was seen to do, and what becomes of an answer that it cannot carry. An allow is always silence. A hook on `native.…` reads the fields of the agent, under their own names: `payload["command_name"]`. Every event that the version tried fires stands here; `npm run test:agents` compares the tables with the names in the programs.',
    '## Tools under the names that policies use',
    'A hook reads these names and arguments whatever the agent calls them. The agent’s own name and input are in `payload["native"]`. A tool that is in no table keeps its own name and arguments.',
    'A hook may also [use another name of the tool](hook-artifact.md#names-of-tools), in every agent. A narrower name stands for the agent’s tool of that name alone.',
    table(['tool', 'what it does', 'arguments', 'other names', 'narrower names'], tools),
    ...ALL_ADAPTERS.flatMap(agentParts),
  );
}

function agentParts(adapter: Adapter): string[] {
  const tools = adapter.tools.map(({ native, name, args }) => {
    const renamed = Object.entries(args).filter(([from, to]) => from !== to);
    const words = renamed.map(([from, to]) => `${code(from)} → ${code(to)}`).join(', ') || 'as they are';
    return `| ${code(native)} | ${code(name)} | ${words} |`;
  });
  return [
    `## ${adapter.title}`,
    `${code(adapter.agent)}, ${adapter.versions.length === 0 ? 'written from its documentation and not run' : `seen with ${adapter.versions.join(', ')}`}.${adapter.observeOnly === undefined ? '' : ` Can only be watched: ${adapter.observeOnly}.`}`,
    table(['its event', 'is', 'block', 'ask', 'modify', 'context', 'note'], adapter.events.map(eventRow)),
    ...byReason('Of these, registered only if a hook is on the event:', adapter.events, 'onDemand'),
    ...byReason('Its other events are not registered:', adapter.allEvents, 'leftOut'),
    table(['its tool', 'is', 'arguments'], tools),
    ...(adapter.cannot.length === 0
      ? []
      : ['What it cannot do:', adapter.cannot.map((what) => `- ${what}`).join('\n')]),
  ];
}

/** Events of one kind, by the reason that their rows give. */
function byReason(title: string, rows: readonly EventRow[], kind: 'leftOut' | 'onDemand'): string[] {
  const reasons = new Map<string, string[]>();
  for (const { native, [kind]: why } of rows)
    if (why !== undefined) reasons.set(why, [...(reasons.get(why) ?? []), code(native)]);
  if (reasons.size === 0) return [];
  return [title, [...reasons].map(([why, natives]) => `- ${natives.join(', ')}: ${why}`).join('\n')];
}

function eventRow(row: EventRow): string {
  const cells = (['block', 'ask', 'modify', 'context'] as const).map(
    (action) => degradation(action, row) ?? 'yes',
  );
  return `| ${code(row.native)} | ${code(row.event)} | ${cells.join(' | ')} | ${row.note ?? ''} |`;
}

const CLOSED: Readonly<Record<Required, string>> = {
  pass: 'silence',
  policy: 'the block of the policy',
  launcher: 'blocked by the launcher',
  guard: 'blocked by the guard',
  missing: 'blocked by the guard, which says what to type',
  line: 'blocked by the registered line',
};
const OPEN: Readonly<Record<Required, string>> = {
  pass: 'silence',
  policy: 'the block of the policy',
  launcher: 'goes on; on stderr, and counted',
  guard: 'blocked as well',
  missing: 'blocked as well',
  line: 'blocked as well',
};

function faultPage(): string {
  const faults = FAULTS.map(
    ({ name, about, required }) => `| ${name} | ${about} | ${CLOSED[required]} | ${OPEN[required]} |`,
  );
  const agents = ALL_ADAPTERS.filter(({ channel }) => channel !== 'plugin');
  const inside = ALL_ADAPTERS.filter(({ channel }) => channel === 'plugin').map(({ title }) => title);
  return page(
    '# What an agent is told when something goes wrong',
    'Every fault below is tried at every event of every agent that runs a line, with real processes, and in both fail modes where the launcher answers (`test/adapters`): events for which a shell runs and prints the same are tried once, payloads that are no events at calls and prompts, and of the events that are [registered on demand](agents.md) those that can block. A block is given where the agent honours one. Elsewhere, and where the launcher runs with `--fail open`, the agent goes on, and the person at it is told if the agent can tell them. An agent that wants to stop may: sent back by a launcher that is broken, it would never come to an end.',
    table(['fault', 'what happens', 'fail closed', 'fail open'], faults),
    `Fifty calls of one session at once, and ten of them beside eight busy loops, are each decided, counted and on the tape once (\`test/adapters/crowd.slow.test.ts\`). What becomes of a daemon that is killed, stopped, full or replaced is tried in \`test/daemon\`: the launcher decides in its place.`,
    `${inside.join(' and ')} run the guard from inside their own process. The file that is placed there answers for it: without a whole answer in time a call and a prompt are refused and a result is hidden, for every way in which a guard can fail to answer (\`src/agents/in-process.test.ts\`).`,
    'One thing is left to the agent itself. If the line and everything it started are killed or stopped at once, nothing of ours is left to answer. What each agent then does was seen with the real one, by the scenarios `policy-line-killed` and `policy-line-stopped` of `npm run test:agents`; `harness sandbox` bounds what such a call can do.',
    withoutLineTable(),
    '## The answers, byte for byte',
    '`REASON` stands for what went wrong. Without a guard the registered line ends as its last part says. The last column is what is left if nothing can be printed: stdout is closed, its disk is full, or the process may open no file.',
    ...agents.flatMap((adapter) => [`### ${adapter.title}`, answersOf(adapter)]),
  );
}

function answersOf(adapter: Adapter): string {
  const rows = adapter.events.map((row) => {
    const [closed, open] = [denyAnswer, goOnAnswer].map((answer) => shown(answer(adapter, row, 'REASON')));
    const line = guardLine({ adapter, row, guard: null });
    const end = code(line.slice(line.indexOf('||')).replaceAll('|', '\\|'));
    return `| ${code(row.native)} | ${closed} | ${open} | ${end} | ${unprinted(row)} |`;
  });
  return table(['event', 'fail closed', 'fail open', 'without a guard', 'stdout closed or full'], rows);
}

const EXIT_TWO = {
  blocks: 'exit code 2',
  told: 'exit code 2: the model is told, the result stands',
  ignored: 'exit code 2, which it ignores',
} as const;

function unprinted(row: EventRow): string {
  return unprintedExit(row) === null ? 'goes on' : EXIT_TWO[row.exitTwo ?? 'blocks'];
}

function shown({ stdout, stderr, exitCode }: Answer): string {
  if (stdout === '' && stderr === '') return 'silence';
  const said = code(stdout === '' ? stderr : stdout).replaceAll('|', '\\|');
  return exitCode === 0 ? said : `${said} on stderr, exit code ${exitCode}`;
}
