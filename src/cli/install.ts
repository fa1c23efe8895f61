/**
 * `harness install`: registers the launcher with agents. Each agent is planned as a whole before anything of it is written, and
 * put back as a whole if a file cannot be written; another agent's trouble does not touch it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeClient } from '../adapters/guard-line.ts';
import {
  type Change,
  commitChanges,
  isChange,
  type Plan,
  type Problem,
  planChanges,
} from '../adapters/install/change-files.ts';
import { isUser, type Place } from '../adapters/install/installer.ts';
import { closeRecords, openRecords, recordsFolder } from '../adapters/install/records.ts';
import { type Launcher, registrationsOf } from '../adapters/install/registrations.ts';
import { lockWithin } from '../base/file-lock.ts';
import { machineHost } from '../base/host.ts';
import {
  launcher,
  type NamedAgent,
  namedAgents,
  ownerOf,
  placeOf,
  refuseWindows,
  stateAt,
  textOnDisk,
} from './agents-place.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { buildNative, nativeClient } from './native-client.ts';
import type { Output } from './output.ts';
import { openPolicyAt } from './project-dir.ts';
import { forgetWhatWasMade } from './snapshot/forget.ts';
import { unifiedDiff } from './unified-diff.ts';

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
  const [first, ...clients] = args.positionals;
  const agents = first === 'mcp' ? [] : await namedAgents(args.positionals);
  if ('dir' in place.scope) await demandPolicy(place.scope.dir);
  else demandUserFolder(place.scope.user);
  if (first === 'mcp') return (await import('./install-mcp.ts')).wrapServers(clients, place, args, output);
  const native =
    args.has('native') && !args.has('print') ? await buildNative() : nativeIf(args.has('native'));
  const started = { ...launcher(), ...(native !== null && { native }) };
  const plan = (agent: NamedAgent) => planInstall(agent, place, started, args.has('observe-only'));
  const results = withRecords(args, () => agents.map((agent) => installed(plan(agent), agent, place, args)));
  report(results, 'installed', args, output);
  const isNew = !args.has('print') && results.some(({ changes }) => changes.some(isChange));
  if (isNew && !args.has('json')) for (const warning of warnings(started, place)) output.note(warning);
  const good = results.filter(({ problems }) => problems.length === 0).map(({ agent }) => agent);
  const { scope, userFolder = null } = place;
  if (isNew && 'dir' in scope) {
    const { holdSoon } = await import('./snapshot/start-holding.ts');
    holdSoon(started.entry, scope.dir, userFolder, good);
  }
  if (good.length > 0 && !args.has('json') && !args.has('print')) {
    output.line();
    output.line(`Next: harness doctor ${good.join(' ')}${optionOf(place)}`);
  }
  return good.length === results.length ? 0 : 1;
};

/** With --print nothing is compiled either. */
function nativeIf(wanted: boolean): NativeClient | null {
  return wanted ? nativeClient() : null;
}

/** What may take the guard away later. */
function warnings({ entry }: Launcher, { scope }: Place): string[] {
  return [
    ...(entry.includes('/_npx/')
      ? [
          'note: this is a copy in the cache of npx; if that is emptied, every call is refused. Install harness-hooks',
        ]
      : []),
    ...('dir' in scope && existsSync(join(scope.dir, '.git'))
      ? [
          'note: what was written names paths of this machine; keep it out of git, and install it on each machine',
        ]
      : []),
  ];
}

/** The launcher installed for a folder denies everything if that folder has no policy: better to say so now. */
async function demandPolicy(dir: string): Promise<void> {
  const policy = await openPolicyAt(dir);
  if (policy.layers.some((layer) => layer.kind === 'project' && layer.dir === dir)) return;
  throw new UsageError(
    `${dir} has no policy, and without one every call would be refused; make one with \`harness init ${dir}\``,
  );
}

function demandUserFolder(folder: string): void {
  if (existsSync(folder)) return;
  throw new UsageError(
    `${folder} is not there, and without it every call would be refused; make a policy with \`harness init ${folder}\``,
  );
}

function planInstall(
  { adapter, installer }: NamedAgent,
  place: Place,
  started: Launcher,
  observe: boolean,
): Plan & { readonly events: readonly string[] } {
  const { agent } = adapter;
  if (adapter.observeOnly !== undefined && !observe) {
    const message = `${adapter.observeOnly}; with --observe-only it is installed to be recorded`;
    return { events: [], problems: [{ file: installer.settingsFile(place), message }] };
  }
  const registrations = registrationsOf(adapter, installer, place, started);
  const request = {
    agent,
    owner: ownerOf(agent, place),
    files: installer.files(place, registrations, textOnDisk),
    install: true,
    followOut: isUser(place),
    records: recordsFolder(stateAt()),
  };
  return { ...planChanges(request), events: registrations.map(({ row }) => row.native) };
}

function installed(
  plan: Plan & { readonly events: readonly string[] },
  { adapter, installer }: NamedAgent,
  place: Place,
  args: Arguments,
): Result {
  const result = commitUnlessPrinted(plan, adapter.agent, args);
  if (result.problems.length > 0) return result;
  const after = new Map(result.changes.map(({ target, after: text }) => [target.file, text]));
  const steps = installer.steps(place, (file) => (after.has(file) ? after.get(file)! : textOnDisk(file)));
  const more = [...(installer.advice?.(place) ?? []), ...(installer.switchedOff?.(place, textOnDisk) ?? [])];
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
    closeRecords(stateAt(), () => forgetWhatWasMade(machineHost));
  }
}

export function optionOf({ scope }: Place): string {
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
