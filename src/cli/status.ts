/**
 * `harness status`: one screen on what is guarded here: agents, policy, the last decision, and every guard that is off. It only
 * looks; `doctor` tries.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALLERS } from '../adapters/install/agents.ts';
import { machineHost } from '../base/host.ts';
import { isBuiltIn, layerOf } from '../hooks/layer.ts';
import { currentPause } from '../policy/pause.ts';
import type { Policy } from '../policy/policy.ts';
import { sessionsOf } from '../policy/state-folder.ts';
import { FileRunStore } from '../policy/stores/file-run-store.ts';
import { mayBeOff } from '../policy/strict.ts';
import { dirPlace, namedAgents, userPlace } from './agents-place.ts';
import type { Run } from './command.ts';
import { type Seen, seeDaemon } from './daemon/reach.ts';
import { daemonWords } from './daemon.ts';
import { type Inspection, inspect } from './doctor/inspect.ts';
import { type McpServer, mcpProblem, mcpServers } from './doctor/mcp-servers.ts';
import { faultKey } from './hook/launch-session.ts';
import type { Output } from './output.ts';
import { countOf } from './problems.ts';
import { openPolicyAt } from './project-dir.ts';
import { snapshotTimes } from './snapshot/place.ts';
import { alignColumns, type Cell } from './table.ts';
import { type LastDecision, lastDecision } from './tape/last-decision.ts';

export interface Status {
  readonly dir: string;
  readonly agents: readonly Inspection[];
  /** MCP servers behind the proxy, and those beside them that are not. */
  readonly servers: readonly McpServer[];
  readonly policy: { readonly digest: string | null; readonly strict: boolean; readonly hooks: number };
  readonly layers: readonly { readonly name: string; readonly dir: string }[];
  /** Null if no folder asks for anything. */
  readonly trust: string | null;
  readonly last: LastDecision | null;
  readonly daemon: Seen;
  /** Of the heap that the launcher starts from, in milliseconds since the epoch; null: it starts plainly. */
  readonly snapshot: { readonly made: number; readonly used: number } | null;
  /** Guards that are off, or may be, in sentences. */
  readonly off: readonly string[];
}

/** Where nothing is installed: the policy is for a program of its own, or for nobody. */
export const NO_AGENT = 'no agent is guarded here; see `harness install`';

export const run: Run = async (args, output) => {
  const status = await statusOf(args.positionals[0] ?? '.');
  if (args.has('json')) output.line(JSON.stringify(dataOf(status)));
  else print(status, output);
  return 0;
};

export async function statusOf(dir: string): Promise<Status> {
  const policy = await openPolicyAt(dir);
  const [here, user] = [dirPlace(dir), userPlace()];
  const agents = await namedAgents([...INSTALLERS.keys()]);
  const seen = agents
    .flatMap((agent) => [inspect(agent, here), inspect(agent, user)])
    .filter(({ registered, recorded }) => registered.length > 0 || recorded);
  const servers = mcpServers([here, user]);
  const runs = [
    join(policy.root, '.harness', 'runs'),
    'user' in user.scope ? join(user.scope.user, 'runs') : '',
  ];
  return {
    dir: 'dir' in here.scope ? here.scope.dir : dir,
    agents: seen,
    servers,
    policy: {
      digest: policy.empty ? null : policy.digest.digest,
      strict: policy.settings.strict,
      hooks: policy.authored,
    },
    layers: policy.layers.map(({ name, dir: folder }) => ({ name, dir: folder })),
    trust: trustWords(policy),
    last: lastDecision(runs),
    daemon: await seeDaemon(),
    snapshot: snapshotTimes(machineHost, 'dir' in here.scope ? here.scope.dir : dir),
    off: [
      ...pauseOff(),
      ...(seen.length + servers.length === 0 ? [NO_AGENT] : agentsOff(seen)),
      ...servers.flatMap((server) => mcpProblem(server) ?? []),
      ...policyOff(policy),
      ...(await failedOpen(runs)),
    ],
  };
}

function trustWords({ trust }: Policy): string | null {
  const asking = trust.filter(({ powers }) => powers.length > 0);
  const words = asking.map(({ dir, powers, by }) => {
    const asked = countOf(powers.length, 'power');
    return by === null
      ? `${dir} asks for ${asked} and is not trusted; see \`harness trust\``
      : `${dir} is trusted with ${asked}`;
  });
  return words.length === 0 ? null : words.join('; ');
}

function pauseOff(): string[] {
  const pause = currentPause(machineHost);
  return pause === null
    ? []
    : [`everything: paused until ${new Date(pause.until).toISOString()}: ${pause.reason}`];
}

function agentsOff(seen: readonly Inspection[]): string[] {
  return seen.flatMap(({ agent, problems, watched }) =>
    [...problems, ...(watched === null ? [] : [watched])].map((problem) => `${agent}: ${problem}`),
  );
}

function policyOff(policy: Policy): string[] {
  const errors = policy.problems.filter(({ severity }) => severity === 'error').length;
  const may = policy.hooks.flatMap((hook) => {
    const why = isBuiltIn(hook) ? null : mayBeOff(hook);
    return why === null ? [] : [`hook "${hook.name}" on ${hook.event} may be off: ${why}`];
  });
  const observed = policy.layers.filter(({ project }) => project.settings.observe).map(({ name }) => name);
  const quiet = policy.hooks.filter(
    (hook) => !isBuiltIn(hook) && hook.mode !== 'enforce' && !observed.includes(layerOf(hook).name),
  );
  return [
    ...(policy.empty ? ['there is no policy here'] : []),
    ...(errors > 0
      ? [`${countOf(errors, 'error')} in the policy: what they touch is blocked; see \`harness validate\``]
      : []),
    ...may,
    ...observed.map((name) => `every hook of the layer ${name} only watches: it says \`observe: true\``),
    ...quiet.map(
      ({ name, event, mode }) => `hook "${name}" on ${event} only ${mode === 'warn' ? 'warns' : 'watches'}`,
    ),
    ...(machineHost.env('HARNESS_DISABLE_HOOKS') === '1'
      ? ['HARNESS_DISABLE_HOOKS is set: hooks of agent.json are off']
      : []),
  ];
}

async function failedOpen(runs: readonly string[]): Promise<string[]> {
  const counts = await Promise.all(
    // Looking must not make a folder: an empty one for the user would already be a layer.
    runs
      .map((folder) => sessionsOf(folder, machineHost))
      .filter((folder) => existsSync(join(folder, 'state')))
      .map(async (folder) => {
        const found = await new FileRunStore(join(folder, 'state'), { waitMs: 200 })
          .user()
          .get(faultKey(true));
        return found.ok && typeof found.value === 'number' ? found.value : 0;
      }),
  );
  const sum = counts.reduce((all, count) => all + count, 0);
  return sum === 0 ? [] : [`the launcher let ${countOf(sum, 'event')} pass undecided (--fail open)`];
}

function print(status: Status, output: Output): void {
  const { dir, agents, servers, policy, layers, trust, last, daemon, snapshot, off } = status;
  const title = (text: string) => output.line(output.paint('bold', text));
  title(dir);
  const rows: Cell[][] = [
    [{ text: '  policy' }, { text: policyWords(policy) }],
    ...layers.map(({ name, dir: folder }, at): Cell[] => [
      { text: at === 0 ? '  layers' : '' },
      { text: `${name} ${folder}` },
    ]),
    [{ text: '  trust' }, { text: trust ?? 'nothing is asked for' }],
    [{ text: '  daemon' }, { text: daemonWords(daemon) }],
    [{ text: '  start' }, { text: startWords(snapshot) }],
    [{ text: '  last' }, { text: last === null ? 'nothing was decided yet' : lastWords(last) }],
  ];
  for (const line of alignColumns(rows, output.paint)) output.line(line);
  if (agents.length > 0) {
    title('agents');
    const lines = agents.map(({ agent, scope, registered, problems }): Cell[] => [
      { text: `  ${agent}` },
      { text: scope },
      { text: countOf(registered.length, 'event') },
      problems.length === 0
        ? { text: 'registered', style: 'green' }
        : { text: countOf(problems.length, 'problem'), style: 'red' },
    ]);
    for (const line of alignColumns(lines, output.paint)) output.line(line);
  }
  if (servers.length > 0) {
    title('MCP servers');
    const lines = servers.map(({ server, client, scope, problem }): Cell[] => [
      { text: `  ${server}` },
      { text: client },
      { text: scope },
      problem === null ? { text: 'behind the proxy', style: 'green' } : { text: 'not guarded', style: 'red' },
    ]);
    for (const line of alignColumns(lines, output.paint)) output.line(line);
  }
  title(off.length === 0 ? 'no guard is off' : 'guards that are off');
  for (const sentence of off) output.line(`  ${output.paint('red', '!')} ${sentence}`);
}

function policyWords({ digest, strict, hooks }: Status['policy']): string {
  if (digest === null) return 'none';
  return `${digest.slice(0, 12)}, ${countOf(hooks, 'hook')}, ${strict ? 'strict' : 'not strict'}`;
}

function startWords(snapshot: Status['snapshot']): string {
  if (snapshot === null) return 'plainly: no heap snapshot is kept for this folder';
  return `from the heap snapshot of ${new Date(snapshot.made).toISOString().replace('T', ' ').slice(0, 19)}`;
}

function lastWords({ at, event, action, hook, host }: LastDecision): string {
  const time = at === null ? '' : `${new Date(at).toISOString().replace('T', ' ').slice(0, 19)} `;
  return `${time}${host} ${event}: ${action}${hook === null ? '' : ` by ${hook}`}`;
}

function dataOf({ agents, ...status }: Status) {
  return {
    ...status,
    agents: agents.map(({ registered, ...seen }) => ({
      ...seen,
      events: registered.map(({ event }) => event),
    })),
  };
}
