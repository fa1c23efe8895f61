/**
 * `harness install`: registers the launcher with agents. Each agent is planned as a whole before anything of it is written, and
 * put back as a whole if a file cannot be written; another agent's trouble does not touch it.
 */
import { existsSync } from 'node:fs';
import {
  type Change,
  type CodingAgent,
  closeRecords,
  commitChanges,
  guardFile,
  guardPath,
  type InstallTarget,
  isChange,
  isManaged,
  isUser,
  type Missing,
  missingIn,
  namedAgents,
  openRecords,
  ownerOf,
  type Plan,
  type Problem,
  placeOf,
  planChanges,
  recordsFolder,
  refuseWindows,
  registrationsOf,
  stateAt,
  switchesOn,
  textOnDisk,
} from '../agents/index.ts';
import { copyEngine, removeCopies } from '../launcher/index.ts';
import { lockWithin, machineHost } from '../machine/index.ts';
import { type Policy, removeOrphanedSessions, removeSessions } from '../policy/index.ts';
import {
  type Arguments,
  type Output,
  openPolicyAt,
  quote,
  type Run,
  UsageError,
  unifiedDiff,
} from '../terminal/index.ts';
import { ownName } from './own-name.ts';

/** What became of one agent. */
export interface Result {
  readonly agent: string;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  readonly events: readonly string[];
  /** It cannot be stopped: it is only recorded. */
  readonly watched?: boolean;
  readonly cannot: readonly string[];
  readonly steps: readonly string[];
}

export const run: Run = async (args, output) => {
  refuseWindows();
  const place = placeOf(args);
  if (isManaged(place)) return (await import('./install-managed.ts')).installManaged(place, args, output);
  const [first, ...clients] = args.positionals;
  const agents = first === 'mcp' ? [] : namedAgents(args.positionals);
  const policy =
    'dir' in place.scope ? await demandPolicy(place.scope.dir) : await demandUserFolder(place.scope.user);
  if (first === 'mcp') return (await import('./install-mcp.ts')).wrapServers(clients, place, args, output);
  const missing = missingOf(args, place);
  const plan = (agent: CodingAgent) =>
    planInstall(agent, place, { missing, observe: args.has('observe-only'), policy });
  if (!args.has('print')) await copyEngine();
  const results = withRecords(args, () => agents.map((agent) => installed(plan(agent), agent, place, args)));
  report(results, 'installed', args, output);
  const good = results.filter(({ problems }) => problems.length === 0).map(({ agent }) => agent);
  if (good.length > 0 && !args.has('json') && !args.has('print')) {
    output.line();
    output.line(`Next: ${ownName()} doctor ${good.join(' ')}${optionOf(place)}`);
  }
  return good.length === results.length ? 0 : 1;
};

/** What the guard is to do on a machine without Harness: as asked for, or as a guard that is there does already. */
export function missingOf(args: Arguments, place: InstallTarget): Missing {
  const given = args.value('missing');
  if (given === 'refuse' || given === 'warn') return given;
  if (given !== undefined) throw new UsageError(`--missing: want refuse or warn, got ${quote(given)}`);
  return missingIn(textOnDisk(guardPath(place)) ?? '') ?? 'refuse';
}

/** The launcher installed for a folder denies everything if that folder has no policy: better to say so now. */
async function demandPolicy(dir: string): Promise<Policy> {
  const policy = await openPolicyAt(dir);
  if (policy.layers.some((layer) => layer.kind === 'project' && layer.dir === dir)) return policy;
  throw new UsageError(
    `${dir} has no policy, and without one every call would be refused; make one with \`harness init ${dir}\``,
  );
}

async function demandUserFolder(folder: string): Promise<Policy> {
  if (existsSync(folder)) return openPolicyAt(folder);
  throw new UsageError(
    `${folder} is not there, and without it every call would be refused; make a policy with \`harness init ${folder}\``,
  );
}

interface InstallOptions {
  readonly missing: Missing;
  readonly observe?: boolean;
  /** Some events are registered only for its hooks; null if it is not known yet. */
  readonly policy: Policy | null;
}

export function planInstall(
  { adapter, installer }: CodingAgent,
  place: InstallTarget,
  { missing, observe = false, policy }: InstallOptions,
): Plan & { readonly events: readonly string[] } {
  const { agent } = adapter;
  if (adapter.observeOnly !== undefined && !observe) {
    const message = `${adapter.observeOnly}; with --observe-only it is installed to be recorded`;
    return { events: [], problems: [{ file: installer.settingsFile(place), message }] };
  }
  const isSubscribed = (event: string) => policy?.registry.has(event) === true;
  const registrations = registrationsOf(adapter, installer, place, isSubscribed);
  const request = {
    agent,
    owner: ownerOf(agent, place),
    now: machineHost.now(),
    files: installer.files(place, registrations, textOnDisk),
    install: true,
    followOut: isUser(place),
    records: recordsFolder(stateAt()),
  };
  const plan = mergePlans(planGuard(place, missing), planChanges(request));
  return { ...plan, events: registrations.map(({ row }) => row.native) };
}

/** The guard belongs to its place: all agents there run it. `missing` is null to take it out. */
export function planGuard(place: InstallTarget, missing: Missing | null): Plan {
  const [agent, install] = ['guard', missing !== null];
  const records = recordsFolder(stateAt());
  const files = [guardFile(place, missing)];
  return planChanges({
    agent,
    owner: ownerOf(agent, place),
    now: machineHost.now(),
    files,
    install,
    followOut: isUser(place),
    records,
  });
}

export function mergePlans(first: Plan, second: Plan): Plan {
  if ('changes' in first && 'changes' in second) return { changes: [...first.changes, ...second.changes] };
  return { problems: [first, second].flatMap((plan) => ('problems' in plan ? plan.problems : [])) };
}

export function installed(
  plan: Plan & { readonly events: readonly string[] },
  agent: CodingAgent,
  place: InstallTarget,
  args: Arguments,
): Result {
  const { adapter, installer } = agent;
  const result = commitUnlessPrinted(plan, adapter.agent, args);
  if (result.problems.length > 0) return result;
  const after = new Map(result.changes.map(({ target, after: text }) => [target.file, text]));
  const steps = installer.steps(place, (file) => (after.has(file) ? after.get(file)! : textOnDisk(file)));
  const more = [...(installer.advice?.(place) ?? []), ...switchesOn(agent, place, textOnDisk)];
  return {
    ...result,
    events: plan.events,
    watched: adapter.observeOnly !== undefined,
    cannot: adapter.cannot,
    steps: [...steps, ...more],
  };
}

export function commitUnlessPrinted(plan: Plan, agent: string, args: Arguments): Result {
  const nothing = { agent, events: [], cannot: [], steps: [] };
  if ('problems' in plan) return { ...nothing, changes: [], problems: plan.problems };
  const problem = args.has('print') ? null : commitChanges(plan.changes, recordsFolder(stateAt()));
  return {
    ...nothing,
    changes: problem === null ? plan.changes : [],
    problems: problem === null ? [] : [problem],
  };
}

/** One at a time: two installations at once would each undo what the other wrote. */
export function withRecords(args: Arguments, work: () => Result[]): Result[] {
  if (args.has('print')) return work();
  const problem = openRecords(stateAt());
  if (problem !== null) throw new UsageError(problem);
  const lock = lockWithin(`${recordsFolder(stateAt())}/install`, 5000);
  if ('heldBy' in lock) throw new UsageError(`another installation is under way, by ${lock.heldBy}`);
  try {
    return work();
  } finally {
    lock.release();
    removeOrphanedSessions(machineHost);
    closeRecords(stateAt(), () => {
      removeSessions(machineHost);
      removeCopies();
    });
  }
}

export function optionOf({ scope, managed }: InstallTarget): string {
  if (managed !== undefined) return ' --managed';
  return 'dir' in scope ? (scope.dir === process.cwd() ? '' : ` --dir ${scope.dir}`) : ' --user';
}

export function report(results: readonly Result[], done: string, args: Arguments, output: Output): void {
  if (args.has('json')) {
    output.line(JSON.stringify({ [done]: results.map(dataOf) }));
    return;
  }
  if (args.has('print')) printDiffs(results, output);
  for (const result of results) {
    for (const { message } of result.problems) {
      output.note(
        `${output.paintNote('red', 'error')}: ${result.agent}: ${message}; nothing of it was written`,
      );
    }
    if (result.problems.length === 0 && !args.has('print')) printResult(result, done, output);
  }
}

function printDiffs(results: readonly Result[], output: Output): void {
  // Several agents may change one file: shown one after the other, each against what is there now.
  for (const { target, after } of results.flatMap(({ changes }) => changes)) {
    const diff = unifiedDiff(target.real, target.text, after);
    if (diff !== '') output.line(diff);
  }
}

function printResult(result: Result, done: string, output: Output): void {
  const { agent, changes, events, watched, cannot, steps } = result;
  const changed = changes.filter(isChange);
  const what =
    changed.length === 0 ? (done === 'installed' ? 'is installed already' : 'was not installed here') : done;
  output.line(`${output.paint('bold', agent)} ${what}`);
  for (const change of changed) output.line(`  ${wordOf(change)} ${change.target.file}${remarksOn(change)}`);
  if (events.length > 0) output.line(`  ${watched ? 'records' : 'guards'} ${events.join(', ')}`);
  // Said once, when it is new.
  for (const sentence of changed.length === 0 ? [] : cannot)
    output.line(`  ${output.paint('dim', 'note')}    ${sentence}`);
  for (const step of steps) output.line(`  ${output.paint('yellow', 'you')}     ${step}`);
}

function wordOf({ target, after }: Change): string {
  return target.text === null ? 'wrote' : after === null ? 'removed' : 'changed';
}

function remarksOn({ target, edited }: Change): string {
  const linked = target.linked ? ` (a link: it stands at ${target.real})` : '';
  return `${linked}${edited ? ' (edited since it was installed: only what is ours was taken out)' : ''}`;
}

function dataOf({ agent, changes, problems, events, cannot, steps }: Result) {
  const files = changes.map((change) => ({
    file: change.target.file,
    change: isChange(change) ? wordOf(change) : 'unchanged',
    diff: unifiedDiff(change.target.real, change.target.text, change.after),
    edited: change.edited,
  }));
  return { agent, files, events, cannot, steps, problems };
}
