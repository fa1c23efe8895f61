/**
 * The heartbeat: sessions that an agent wrote down itself, held against our tapes. One that is on no tape was judged by nobody:
 * its hooks were switched off, or its configuration was put aside.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import { readTape } from '../tape/index.ts';
import { dirPlace, managedPlace, ownerOf, stateAt, textOnDisk, userPlace } from './agent-options.ts';
import { AGENTS, ALL_AGENTS } from './all-agents.ts';
import { type InstallTarget, isManaged } from './install/installer.ts';
import { allRecords, recordsFolder } from './install/records.ts';

export interface UnjudgedSession {
  readonly agent: string;
  readonly session: string;
  /** The agent's own transcript. */
  readonly file: string;
  readonly began: number;
}

/** Older sessions are no longer reported. */
const REPORTED_MS = 30 * 24 * 3600 * 1000;

/** Of one installation: sessions that began after it and are on no tape of it. */
export function unjudgedSessions(
  agent: string,
  place: InstallTarget,
  settingsFile: string,
): readonly UnjudgedSession[] {
  const transcripts = AGENTS.get(agent)?.transcripts;
  const installed = installedAt(ownerOf(agent, place), settingsFile);
  if (transcripts?.ownSessions === undefined || installed === null) return [];
  const { scope } = isManaged(place) ? userPlace() : place;
  const folder = 'dir' in scope ? join(scope.dir, '.harness', 'runs') : join(scope.user, 'runs');
  const later = transcripts
    .ownSessions(place)
    .filter(({ began }) => began > Math.max(installed, machineHost.now() - REPORTED_MS));
  // A tape has the name of its session, unless that is no file name.
  const missing = later.filter(({ session }) => !existsSync(join(folder, `${session}.jsonl`)));
  if (missing.length === 0) return [];
  const taped = sessionsOnTape(folder);
  return missing.filter(({ session }) => !taped.has(session)).map((one) => ({ agent, ...one }));
}

/** When it was first installed, by its record: an edit of the settings afterwards hides nothing. Null: it is not there. */
function installedAt(owner: string, settingsFile: string): number | null {
  const times = allRecords(recordsFolder(stateAt())).flatMap(({ owners }) =>
    owners.flatMap((one) => (one.owner === owner && one.since !== undefined ? [one.since] : [])),
  );
  if (times.length > 0) return Math.min(...times);
  // A version before 0.3 recorded no time, and a checkout brings its settings without a record.
  return statSync(settingsFile, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Of everything that is installed, as far as it was recorded. */
export function heartbeat(): readonly UnjudgedSession[] {
  const owners = new Set(
    allRecords(recordsFolder(stateAt())).flatMap(({ owners }) => owners.map(({ owner }) => owner)),
  );
  const found = new Map<string, UnjudgedSession>();
  // Root has the record of what is installed for everybody.
  const machine = managedPlace();
  for (const { adapter, installer } of ALL_AGENTS) {
    if (installer.hasSystemPlace !== true || installer.registered(machine, textOnDisk).length === 0) continue;
    for (const one of unjudgedSessions(adapter.agent, machine, installer.settingsFile(machine)))
      found.set(one.file, one);
  }
  for (const owner of owners) {
    const [, agent = '', dir] = /^(\S+) (?:--user|--dir (.+))$/s.exec(owner) ?? [];
    const installer = AGENTS.get(agent)?.installer;
    if (installer === undefined || (dir !== undefined && !existsSync(dir))) continue;
    const place = dir === undefined ? userPlace() : dirPlace(dir);
    for (const one of unjudgedSessions(agent, place, installer.settingsFile(place))) found.set(one.file, one);
  }
  return [...found.values()].sort((a, b) => a.began - b.began);
}

export function unjudgedText({ agent, session, file }: UnjudgedSession): string {
  return `session ${session} of ${agent} is on no tape: nothing guarded it (${file})`;
}

function sessionsOnTape(folder: string): ReadonlySet<string> {
  const sessions = new Set<string>();
  for (const name of tapesIn(folder)) {
    try {
      sessions.add(readTape(join(folder, name)).header.session);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
  }
  return sessions;
}

function tapesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
}
