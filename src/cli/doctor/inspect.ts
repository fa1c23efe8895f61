/**
 * What can be seen of a guard without running it: what is registered, what is missing of it, what keeps it from running. For
 * `status` and `doctor`.
 */
import type { NativeClient } from '../../adapters/guard-line.ts';
import { isUser, type Place, type Registered, rootOf } from '../../adapters/install/installer.ts';
import { readJsonc } from '../../adapters/install/jsonc.ts';
import { isSatisfied, type Operation } from '../../adapters/install/operation.ts';
import { allRecords, recordsFolder } from '../../adapters/install/records.ts';
import { registrationsOf } from '../../adapters/install/registrations.ts';
import { SourceFile } from '../../base/source.ts';
import { realOf } from '../../policy/layers.ts';
import { launcher, type NamedAgent, ownerOf, stateAt, textOnDisk } from '../agents-place.ts';
import { nativeClient, nativeProblem } from '../native-client.ts';

export interface Inspection {
  readonly agent: string;
  readonly scope: 'project' | 'user';
  readonly dir: string;
  readonly settingsFile: string;
  readonly registered: readonly Registered[];
  /** `install` was run for this place, as far as is known. */
  readonly recorded: boolean;
  /** Why it can only be watched; null for an agent that obeys. */
  readonly watched: string | null;
  /** The other folder whose policy the registered lines ask; null if it is this one's. */
  readonly asks: string | null;
  /** In sentences: the guard is off or has a hole. */
  readonly problems: readonly string[];
  /** In sentences: worth knowing. */
  readonly notes: readonly string[];
}

export function inspect({ adapter, installer }: NamedAgent, place: Place): Inspection {
  const { agent } = adapter;
  const settingsFile = installer.settingsFile(place);
  const registered = installer.registered(place, textOnDisk);
  const written = writtenFor(ownerOf(agent, place));
  const recorded = written.length > 0;
  const watched = adapter.observeOnly === undefined ? null : `only recorded: ${adapter.observeOnly}`;
  const asks = otherFolder(registered, place);
  const about = {
    agent,
    watched,
    asks,
    scope: isUser(place) ? 'user' : 'project',
    dir: rootOf(place),
    settingsFile,
  } as const;
  const broken = brokenJson(settingsFile);
  if (registered.length === 0) {
    const gone = recorded ? [`it was installed, but nothing of it stands in ${settingsFile} any more`] : [];
    return { ...about, registered, recorded, problems: recorded ? [...gone, ...broken] : [], notes: [] };
  }
  const wanted = adapter.events.map(({ native }) => native);
  const events = registered.map(({ event }) => event);
  const missing = wanted.filter((event) => !events.includes(event));
  const twice = [...new Set(events.filter((event, at) => events.indexOf(event) !== at))];
  const unknown = events.filter((event) => !wanted.includes(event));
  const lines = registrationsOf(adapter, installer, place, launcher());
  const native = nativeClient();
  const fast = native === null ? [] : registrationsOf(adapter, installer, place, { ...launcher(), native });
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
      ...(asks === null ? [] : [`it asks the policy of ${asks}, not that of this folder: install it here`]),
      ...editedSince(registered, written),
      ...(missing.length > 0 ? [`not registered for ${missing.join(', ')}`] : []),
      ...(twice.length > 0 ? [`registered more than once for ${twice.join(', ')}`] : []),
      ...others.map(({ file }) => `${file} does not hold what lets the hooks run`),
      ...(registered.some(failsOpen)
        ? ['registered with --fail open: what the launcher cannot decide passes']
        : []),
      ...installer.steps(place, textOnDisk),
      ...(installer.switchedOff?.(place, textOnDisk) ?? []),
    ],
    notes: [
      ...(watched === null ? [] : [watched]),
      ...(recorded
        ? []
        : ['how it was installed is on no record, so that edits cannot be told: install it again']),
      ...(unknown.length > 0
        ? [`also registered for ${unknown.join(', ')}, which this version does not know`]
        : []),
      ...nativeNotes(registered, native),
      ...(isCurrent(registered, [...lines, ...fast])
        ? []
        : ['registered by another version, or with another node: install it again']),
    ],
  };
}

/** Files that came here from another folder (a git worktree, a copy, a commit) name that one in their lines. */
function otherFolder(registered: readonly Registered[], { scope }: Place): string | null {
  if (!('dir' in scope)) return null;
  return registered.map(folderOf).find((dir) => dir !== null && dir !== scope.dir) ?? null;
}

/** What follows `--dir`: a word of its own, or one of a line of the shell. */
function folderOf({ run, file }: Registered): string | null {
  if ('shell' in run) return folderIn(run.shell);
  const at = run.argv.indexOf('--dir');
  return at === -1 ? folderIn(textOnDisk(file) ?? '') : (run.argv[at + 1] ?? null);
}

function folderIn(line: string): string | null {
  const word = /\s--dir ('(?:[^']|'\\'')*'|[^\s']+)/.exec(line)?.[1] ?? null;
  return word?.replaceAll("'\\''", '\0').replaceAll("'", '').replaceAll('\0', "'") ?? null;
}

function textOf({ run, file }: Registered): string {
  return 'shell' in run ? run.shell : `${run.argv.join(' ')}\n${textOnDisk(file) ?? ''}`;
}

/** A client that is not there costs time and nothing else: the line goes on to the launcher. */
function nativeNotes(registered: readonly Registered[], native: NativeClient | null): string[] {
  if (
    native === null ||
    !registered.some(({ run }) => 'shell' in run && run.shell.includes(native.program))
  ) {
    return [];
  }
  const problem = nativeProblem(native);
  return problem === null
    ? ['registered with the native client']
    : [`the native client ${native.program} is not used: ${problem}; install it again with --native`];
}

function failsOpen(one: Registered): boolean {
  return textOf(one).includes('--fail open');
}

function isCurrent(
  registered: readonly Registered[],
  lines: readonly { readonly line: string; readonly argv: readonly string[] }[],
): boolean {
  return registered.every(({ run, file }) =>
    lines.some(({ line, argv }) => {
      if ('shell' in run) return run.shell === line;
      return run.argv.join('\0') === argv.join('\0') || (textOnDisk(file) ?? '').includes(line);
    }),
  );
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
  const files = new Set(registered.map(({ file }) => realOf(file)));
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
