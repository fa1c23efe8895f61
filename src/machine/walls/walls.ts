/**
 * The walls of one program: the plan, the launcher, the group it is counted in and the way out of its network. Made for each
 * program anew, from what the machine offers and what stands in the places of the policy by then.
 */
import { dirname } from 'node:path';
import type { Host, Launcher, ProcessRequest } from '../host.ts';
import { homeFolder } from '../places.ts';
import { withLauncher } from '../process.ts';
import { typeScriptRunner } from '../script.ts';
import { launcherFor } from './bubblewrap.ts';
import { type Group, openGroup } from './cgroup.ts';
import type { Containment } from './contain.ts';
import { filterFile } from './filter-file.ts';
import { findSandbox, groupName, sandboxProblem } from './offer.ts';
import { nodePlaces, planFor, type SandboxPlaces } from './places.ts';
import type { PlannedNetwork, SandboxPlan } from './plan.ts';
import { type SandboxProxy, startProxy } from './proxy.ts';
import { covers, type Sandbox } from './sandbox.ts';

export interface Walls {
  readonly launcher: Launcher;
  readonly plan: SandboxPlan;
  readonly group: Group | null;
}

/** The walls of one program, or why there are none. The caller closes the group when the program has ended. */
export async function makeWalls(
  host: Host,
  { workspace, guarded, domains }: Containment,
  sandbox: Sandbox,
  {
    cwd,
    needed,
    placed = [],
    terminal = false,
  }: Pick<SandboxPlaces, 'cwd' | 'needed' | 'placed' | 'terminal'>,
): Promise<Walls | { readonly problem: string }> {
  const offer = await findSandbox(host, workspace);
  const problem = sandboxProblem(offer, sandbox);
  if (problem !== null || offer.tools === null) return { problem: problem ?? 'it cannot be had' };
  const home = homeFolder(host);
  const network = await networkFor(sandbox, domains);
  const places = {
    workspace,
    home,
    guarded: guarded(),
    cwd,
    placed,
    terminal,
    needed: [...nodePlaces(process.execPath), ...needed],
  };
  const plan = planFor(sandbox, places, network);
  if ('problem' in plan) return plan;
  const group = openGroup(offer.groups, sandbox.limits, groupName(host));
  if (group !== null && 'problem' in group) return group;
  return { plan, group, launcher: launcherFor(plan, offer.tools, group?.folders) };
}

/** A command line with its walls before it, for those who start a program by themselves and hand over no descriptors. */
export interface Wrapped {
  readonly argv: readonly string[];
  readonly env: Record<string, string>;
  /** When the program has ended. */
  close(): void;
}

export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

export async function wrapCommand(
  host: Host,
  containment: Containment,
  sandbox: Sandbox,
  command: Command,
): Promise<Wrapped | { readonly problem: string }> {
  const { argv, cwd, env } = command;
  const walls = await makeWalls(host, containment, sandbox, { cwd, needed: [] });
  if ('problem' in walls) return walls;
  const { launcher, group } = walls;
  const file = launcher.filter === undefined ? null : filterFile(launcher.filter);
  return {
    argv: ['/bin/sh', '-c', OPEN, 'sh', file?.path ?? '/dev/null', ...launcher.argv, ...argv],
    env: withLauncher(env, launcher),
    close: () => {
      group?.close();
      file?.remove();
    },
  };
}

/** The two descriptors that a launcher is told of. */
const OPEN = 'f=$1; shift; exec "$@" 3>/dev/null 4<"$f"';

/** A hook runs in the folder of its layer, which may be none that tools see; TypeScript runs by way of files of ours. */
export function requiredSandbox({ guards, cwd }: ProcessRequest, workspace: string): string[] {
  const runner = typeScriptRunner('register.mjs');
  const own = guards === true && !covers(workspace, cwd) ? [cwd] : [];
  return [...own, ...(runner === null ? [] : [dirname(runner)])];
}

/** One for each list of domains, for as long as this process lives. */
const proxies = new WeakMap<() => readonly string[], Promise<SandboxProxy>>();

async function networkFor({ network }: Sandbox, domains: () => readonly string[]): Promise<PlannedNetwork> {
  if (network !== 'allowed') return { kind: network };
  let proxy = proxies.get(domains);
  if (proxy === undefined) proxies.set(domains, (proxy = startProxy(domains)));
  return { kind: 'proxy', socket: (await proxy).socket, node: process.execPath };
}
