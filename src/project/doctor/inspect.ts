/**
 * What can be seen of a guard without running it: what is registered, what is missing of it, what keeps it from running. For
 * `status` and `doctor`.
 */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  ALL_AGENTS,
  allRecords,
  type CodingAgent,
  guardPath,
  guardTextOf,
  harmlessSwitchesOn,
  type InstallTarget,
  isManaged,
  isSatisfied,
  isUser,
  missingIn,
  type Operation,
  ownerOf,
  type Registered,
  readJsonc,
  recordsFolder,
  registrationsOf,
  rootOf,
  rowsUnder,
  runningUnguarded,
  stateAt,
  switchesOn,
  textOnDisk,
} from '../../agents/index.ts';
import { SourceFile } from '../../base/index.ts';
import { copyProblem } from '../../launcher/index.ts';
import { ownershipProblem, realPathOrSame } from '../../machine/index.ts';
import type { Policy } from '../../policy/index.ts';

export interface Inspection {
  readonly agent: string;
  readonly scope: 'project' | 'user' | 'machine';
  readonly dir: string;
  readonly settingsFile: string;
  readonly registered: readonly Registered[];
  /** `install` was run for this place, as far as is known. */
  readonly recorded: boolean;
  /** Why it can only be watched; null for an agent that obeys. */
  readonly watched: string | null;
  /** What a team chose to be weaker, in sentences. */
  readonly chosen: readonly string[];
  /** In sentences: the guard is off or has a hole. */
  readonly problems: readonly string[];
  /** In sentences: worth knowing. */
  readonly notes: readonly string[];
}

export function inspect(one: CodingAgent, place: InstallTarget): Inspection {
  const { adapter, installer } = one;
  const { agent } = adapter;
  const settingsFile = installer.settingsFile(place);
  const registered =
    isManaged(place) && installer.hasSystemPlace !== true ? [] : installer.registered(place, textOnDisk);
  const written = writtenFor(ownerOf(agent, place));
  const recorded = written.length > 0;
  const watched = adapter.observeOnly === undefined ? null : `only recorded: ${adapter.observeOnly}`;
  const about = {
    agent,
    watched,
    chosen: guardChoices(place),
    scope: scopeOf(place),
    dir: rootOf(place),
    settingsFile,
  } as const;
  const broken = brokenJson(settingsFile);
  if (registered.length === 0) {
    const gone = recorded ? [`it was installed, but nothing of it stands in ${settingsFile} any more`] : [];
    return { ...about, registered, recorded, problems: recorded ? [...gone, ...broken] : [], notes: [] };
  }
  const known = adapter.events.map(({ native }) => native);
  const events = registered.map(({ event }) => event);
  const missing = rowsUnder(adapter, () => false)
    .map(({ native }) => native)
    .filter((event) => !events.includes(event));
  const twice = [...new Set(events.filter((event, at) => events.indexOf(event) !== at))];
  const unknown = events.filter((event) => !known.includes(event));
  const isRegistered = (event: string) =>
    adapter.events.some((row) => row.event === event && events.includes(row.native));
  const lines = registrationsOf(adapter, installer, place, isRegistered);
  const current = registered.every(
    ({ run }) => !('shell' in run) || lines.some(({ line }) => line === run.shell),
  );
  const others = installer
    .files(place, lines, textOnDisk)
    .slice(adapter.channel === 'file' ? lines.length : 1)
    .filter((file) => !isSatisfied(textOnDisk(file.file) ?? '', file.operations(textOnDisk)));
  return {
    ...about,
    registered,
    recorded,
    problems: [
      ...broken,
      ...guardProblems(place, agent),
      ...editedSince(registered, written),
      ...(missing.length > 0 ? [`not registered for ${missing.join(', ')}`] : []),
      ...(twice.length > 0 ? [`registered more than once for ${twice.join(', ')}`] : []),
      ...others.map(({ file }) => `${file} does not hold what lets the hooks run`),
      ...(registered.some(failsOpen)
        ? ['registered with --fail open: what the launcher cannot decide passes']
        : []),
      ...installer.steps(place, textOnDisk),
      ...switchesOn(one, place, textOnDisk),
      ...runningUnguarded(one, place),
      ...(isManaged(place) ? ofOthers([settingsFile, guardPath(place), engineOf(place)]) : []),
    ],
    notes: [
      ...(watched === null ? [] : [watched]),
      ...(unknown.length > 0
        ? [`also registered for ${unknown.join(', ')}, which this version does not know`]
        : []),
      ...harmlessSwitchesOn(one, place, textOnDisk),
      ...(current ? [] : ['registered by another version: install it again']),
    ],
  };
}

/**
 * Hooks on events that an agent registers only for them, and did not: the policy got them after it was installed. In sentences, of the
 * agents that are installed in one of these places.
 */
export function unregisteredHooks(seen: readonly Inspection[], { registry }: Policy): string[] {
  return ALL_AGENTS.flatMap(({ adapter: { agent, events } }) => {
    const own = seen.filter((one) => one.agent === agent && one.registered.length > 0);
    const registered = own.flatMap((one) => one.registered.map(({ event }) => event));
    const missing = events.filter(
      (row) => row.onDemand !== undefined && registry.has(row.event) && !registered.includes(row.native),
    );
    if (own.length === 0) return [];
    const again = `harness install ${agent}${OPTIONS[own[0]!.scope]}`;
    return missing.flatMap(({ native, event }) =>
      registry
        .list(event)
        .filter(({ standIn }) => standIn !== true)
        .map(
          (hook) =>
            `${agent}: hook "${hook.name}" on ${event} does not run, since ${native} was not registered: run \`${again}\` again`,
        ),
    );
  });
}

function scopeOf(place: InstallTarget): Inspection['scope'] {
  return isManaged(place) ? 'machine' : isUser(place) ? 'user' : 'project';
}

const OPTIONS = { project: '', user: ' --user', machine: ' --managed' } as const;

/** What the guard of a place is, beside what this version writes. */
function guardProblems(place: InstallTarget, agent: string): string[] {
  const [file, copy] = [guardPath(place), isManaged(place) ? null : copyProblem()];
  const text = textOnDisk(file);
  const again = `run \`harness install ${agent}${OPTIONS[scopeOf(place)]}\``;
  const broken =
    text === null
      ? [`${file} is missing or cannot be read, so every call is blocked: ${again}`]
      : text === guardTextOf(place, missingIn(text) ?? 'refuse')
        ? []
        : [`${file} is not the guard that this version writes: look at it, then ${again}`];
  return [...broken, ...(copy === null ? [] : [`${copy}: ${again}`])];
}

/** The engine that the guard of a machine runs. */
function engineOf(place: InstallTarget): string {
  return join(dirname(guardPath(place)), 'engine', 'current', 'dist', 'cli', 'hook.cjs');
}

/** What holds for everybody on a machine is root's alone. */
function ofOthers(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return [`${file} is missing`];
    const problem = ownershipProblem(stats, 'of root');
    return problem === null ? [] : [`${file} ${problem}: it has to be root's alone`];
  });
}

function guardChoices(place: InstallTarget): string[] {
  return missingIn(textOnDisk(guardPath(place)) ?? '') === 'warn'
    ? ['on a machine without Harness calls are not blocked, only warned about (--missing warn)']
    : [];
}

function failsOpen({ run, file }: Registered): boolean {
  const text = 'shell' in run ? run.shell : `${run.argv.join(' ')}\n${textOnDisk(file) ?? ''}`;
  return text.includes('--fail open');
}

interface WrittenFile {
  readonly file: string;
  readonly operations: readonly Operation[];
}

function writtenFor(owner: string): WrittenFile[] {
  return allRecords(recordsFolder(stateAt())).flatMap(({ file, owners }) =>
    owners.filter((one) => one.owner === owner).map(({ operations }) => ({ file, operations })),
  );
}

/** A line may be whole and never be run: its matcher misses, its time is too short, the code around it returns before. */
function editedSince(registered: readonly Registered[], written: readonly WrittenFile[]): string[] {
  const events = registered.map(({ event }) => event);
  const files = new Set(registered.map(({ file }) => realPathOrSame(file)));
  return written
    .filter(({ file }) => files.has(file))
    .flatMap(({ file, operations }) => {
      const text = textOnDisk(file) ?? '';
      const changed = operations.filter((operation) => !isSatisfied(text, [operation]));
      const entries = changed
        .flatMap((operation) => (operation.kind === 'entry' ? operation.path.slice(-1) : []))
        .filter((event) => events.includes(event));
      const whole = changed.some(({ kind }) => kind === 'whole');
      if (!whole && entries.length === 0) return [];
      const which = whole ? '' : ` at ${entries.join(', ')}`;
      return [`${file} was edited${which} since it was installed, so that it may not run: install it again`];
    });
}

/** An agent leaves out a file that it cannot read, and its hooks with it. */
function brokenJson(file: string): string[] {
  const text = file.endsWith('.json') ? textOnDisk(file) : null;
  const reading = text === null ? null : readJsonc(text);
  if (reading === null || reading.ok) return [];
  const { line, col } = new SourceFile(file, text!).position(reading.offset);
  return [`${file}:${line}:${col}: ${reading.message}; the agent cannot read it either`];
}
