/**
 * What guards a folder now: agents, MCP servers, policy, trust, daemon, and every guard that is off or may be.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadAgent } from '../agent/index.ts';
import { type Adapter, ALL_AGENTS, dirPlace, managedPlace, userPlace } from '../agents/index.ts';
import { isBuiltIn, layerOf } from '../engine/index.ts';
import { type DaemonStatus, daemonStatus, faultKey } from '../launcher/index.ts';
import { machineHost } from '../machine/index.ts';
import { currentPause, FileRunStore, mayBeOff, type Policy, sessionsOf } from '../policy/index.ts';
import { type Inspection, inspect, unregisteredHooks } from '../project/doctor/inspect.ts';
import { type McpServer, mcpProblem, mcpServers } from '../project/doctor/mcp-servers.ts';
import { storeProblems } from '../project/doctor/stores.ts';
import { type LastDecision, lastDecision } from '../project/tapes/last-decision.ts';
import { countOf, openPolicyAt } from '../terminal/index.ts';
import { unfinishedInit } from './unfinished-init.ts';
import { idleHooks } from './validate-targets.ts';

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
  readonly daemon: DaemonStatus;
  /** Packs in audit, in sentences. */
  readonly audited: readonly string[];
  /** Guards that are off, or may be, in sentences. */
  readonly off: readonly string[];
  /** Hooks on events that no agent here fires, in sentences. */
  readonly notHere: readonly string[];
}

/** Where nothing is installed: the policy is for a program of its own, or for nobody. */
export const NO_AGENT = 'no agent is guarded here; see `harness install`';

export async function statusOf(dir: string): Promise<Status> {
  const policy = await openPolicyAt(dir);
  const [here, user] = [dirPlace(dir), userPlace()];
  const seen = ALL_AGENTS.flatMap((agent) =>
    [here, user, managedPlace()].map((place) => inspect(agent, place)),
  ).filter(({ registered, recorded }) => registered.length > 0 || recorded);
  const servers = mcpServers([here, user]);
  const idle = await idleIn(
    policy,
    ALL_AGENTS.map(({ adapter }) => adapter).filter((adapter) =>
      seen.some(({ agent }) => agent === adapter.agent),
    ),
  );
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
    daemon: await daemonStatus(),
    off: [
      ...pauseOff(),
      ...(seen.length + servers.length === 0 ? [NO_AGENT] : agentsOff(seen)),
      ...servers.flatMap((server) => mcpProblem(server) ?? []),
      ...policyOff(policy),
      ...idle.off,
      ...unregisteredHooks(seen, policy),
      ...(await failedOpen(runs)),
      ...storeProblems(runs, machineHost),
    ],
    notHere: idle.notHere,
    audited: auditedPacks(policy),
  };
}

/** What no call of the agents that are installed can meet, in sentences. */
export async function idleIn(
  policy: Policy,
  adapters: readonly Adapter[],
): Promise<{ readonly off: readonly string[]; readonly notHere: readonly string[] }> {
  if (adapters.length === 0 || policy.empty) return { off: [], notHere: [] };
  const { tools } = await loadAgent(policy);
  const idle = idleHooks(adapters, policy, new Set(tools.map(({ name }) => name)));
  const words = (byName: boolean) =>
    idle
      .filter((each) => each.byName === byName)
      .map(({ hook, event, why }) => `hook "${hook}" on ${event} never runs: ${why}`);
  return { off: words(true), notHere: words(false) };
}

/** Packs whose rules are in audit: a choice of `harness.md`, not a guard that failed. */
function auditedPacks({ hooks }: Policy): string[] {
  const audited = hooks.filter((hook) => hook.frontEnd.name === 'packs' && hook.mode === 'shadow');
  return [...new Set(audited.map(({ name }) => name.split(':')[1]!))].map(
    (pack) => `pack ${pack} only records what it would stop; see \`harness report\``,
  );
}

function trustWords({ trust }: Policy): string | null {
  const asking = trust.filter(({ capabilities }) => capabilities.length > 0);
  const words = asking.map(({ dir, capabilities, by }) => {
    const asked = countOf(capabilities.length, 'capability', 'capabilities');
    return by === null
      ? `${dir} requests ${asked} and is not trusted; see \`harness trust\``
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
  return seen.flatMap(({ agent, problems, chosen, watched }) =>
    [...problems, ...chosen, ...(watched === null ? [] : [watched])].map((words) => `${agent}: ${words}`),
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
    (hook) =>
      !isBuiltIn(hook) &&
      hook.mode !== 'enforce' &&
      hook.frontEnd.name !== 'packs' &&
      !observed.includes(layerOf(hook).name),
  );
  return [
    ...(policy.empty ? ['there is no policy here'] : []),
    ...unfinishedInit(policy.root).map(({ message }) => message),
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
