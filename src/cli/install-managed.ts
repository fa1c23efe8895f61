/**
 * `harness install --managed`: registers the guard of the machine in the places that agents read for an administrator. As root it writes
 * them on this machine; with `--out` it writes the same files below a folder, to be rolled out to others.
 */
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  ALL_AGENTS,
  type CodingAgent,
  commitChanges,
  type InstallTarget,
  namedAgents,
  type Plan,
  recordsFolder,
  stateAt,
} from '../agents/index.ts';
import { placeEngine } from '../launcher/index.ts';
import { isRoot, MANAGED_FOLDER } from '../machine/index.ts';
import type { Policy } from '../policy/index.ts';
import { type Arguments, type Output, openPolicyAt, UsageError } from '../terminal/index.ts';
import { installed, missingOf, planInstall, type Result, report, withRecords } from './install.ts';
import { ownName } from './own-name.ts';

export async function installManaged(place: InstallTarget, args: Arguments, output: Output): Promise<number> {
  const agents = namedAgents(args.positionals);
  if (agents.length === 0) throw new UsageError('want AGENT, got none');
  const without = agents.filter(({ installer }) => installer.hasSystemPlace !== true);
  if (without.length > 0) throw new UsageError(noPlaceWords(without));
  const isHere = !args.has('out');
  if (isHere && !args.has('print')) demandRoot();
  if (!isHere && !existsSync(resolve(place.managed!, '..')))
    throw new UsageError(`--out: the folder above ${place.managed} is missing`);
  const policy = isHere ? await demandMachinePolicy() : await policyToRollOut(place);
  // Every user's agents read what is written here.
  process.umask(0o022);
  const missing = missingOf(args, place);
  const results = withRecords(args, () =>
    agents.map((agent) => {
      const plan = planInstall(agent, place, { missing, policy });
      return isHere ? installed(plan, agent, place, args) : written(plan, agent, place, args);
    }),
  );
  const isGood = results.every(({ problems }) => problems.length === 0);
  const engine = engineFolder(place);
  if (isGood && !args.has('print')) placeEngine(engine, isHere);
  report(results, isHere ? 'installed' : 'written', args, output);
  if (isGood && !args.has('json') && !args.has('print')) {
    output.line();
    output.line(
      isHere
        ? `Next: ${ownName()} doctor ${agents.map(({ adapter }) => adapter.agent).join(' ')} --managed`
        : `Next: put the policy of the machines into ${join(place.managed!, MANAGED_FOLDER)}, and roll out what is below ${place.managed} as root's`,
    );
  }
  return isGood ? 0 : 1;
}

export function demandRoot(): void {
  if (!isRoot()) {
    throw new UsageError(
      '--managed wants root, since users must not be able to take it out; or write files with --out DIR',
    );
  }
}

export function removeEngine(place: InstallTarget): void {
  rmSync(engineFolder(place), { recursive: true, force: true });
}

function engineFolder({ scope }: InstallTarget): string {
  return join('user' in scope ? scope.user : MANAGED_FOLDER, 'engine');
}

function noPlaceWords(without: readonly CodingAgent[]): string {
  const those = ALL_AGENTS.filter(({ installer }) => installer.hasSystemPlace === true);
  const names = (agents: readonly CodingAgent[]) => agents.map(({ adapter }) => adapter.agent).join(', ');
  return `${names(without)}: no place of the machine from which users cannot take its hooks is known; --managed is for ${names(those)}`;
}

/** The guard of a machine denies everything if the machine has no policy. */
async function demandMachinePolicy(): Promise<Policy> {
  const policy = await openPolicyAt('/');
  if (policy.layers.some(({ kind }) => kind === 'managed')) return policy;
  throw new UsageError(
    `${MANAGED_FOLDER} has no policy, and without one every call would be refused; make one with \`harness init ${MANAGED_FOLDER}\``,
  );
}

/** The policy that stands beside the files already; null if it is put there later. */
async function policyToRollOut({ managed }: InstallTarget): Promise<Policy | null> {
  const folder = join(managed!, MANAGED_FOLDER);
  return existsSync(folder) ? openPolicyAt(managed!, { places: { managed: folder, user: null } }) : null;
}

/** Files for other machines: nothing is installed here, so nothing is recorded. */
function written(
  plan: Plan & { readonly events: readonly string[] },
  agent: CodingAgent,
  place: InstallTarget,
  args: Arguments,
): Result {
  const { adapter, installer } = agent;
  const about = {
    agent: adapter.agent,
    cannot: adapter.cannot,
    steps: [...(installer.advice?.(place) ?? [])],
  };
  if ('problems' in plan) return { ...about, events: [], changes: [], problems: plan.problems };
  const changes = plan.changes.map((change) => ({ ...change, before: null, record: null }));
  const problem = args.has('print') ? null : commitChanges(changes, recordsFolder(stateAt()));
  return { ...about, events: plan.events, changes, problems: problem === null ? [] : [problem] };
}
