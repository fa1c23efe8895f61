/**
 * What is registered for each event of an agent, and the guard that all of it runs: lines with limits inside those of the agent, and
 * one script for a project or a user.
 */
import { join } from 'node:path';
import { MANAGED_FOLDER } from '../../machine/index.ts';
import type { Adapter, EventRow } from '../adapter.ts';
import { ALL_AGENTS } from '../all-agents.ts';
import { guardLine, USER_GUARD } from '../guard-line.ts';
import { guardScript, type Missing } from './guard-script.ts';
import {
  guardPath,
  type Installer,
  type InstallTarget,
  isManaged,
  isUser,
  type Registration,
  rootOf,
  type WantedFile,
} from './installer.ts';
import type { Operation } from './operation.ts';

/** How long an agent waits for the line. */
const AGENT_MS = 15_000;
/** The guard answers by itself before that; the rest is for starting and ending it. */
const SHARE = 2 / 3;

/** Whether a policy has a hook on an event of the catalog. */
export type IsSubscribed = (event: string) => boolean;

/** The events of an agent that are registered under a policy. */
export function rowsUnder({ events }: Adapter, isSubscribed: IsSubscribed): readonly EventRow[] {
  return events.filter(({ event, onDemand }) => onDemand === undefined || isSubscribed(event));
}

export function registrationsOf(
  adapter: Adapter,
  installer: Installer,
  place: InstallTarget,
  isSubscribed: IsSubscribed = () => false,
): Registration[] {
  // Files to be rolled out name the guard where it will stand.
  const guard = isManaged(place) ? join(MANAGED_FOLDER, USER_GUARD) : isUser(place) ? guardPath(place) : null;
  return rowsUnder(adapter, isSubscribed).map((row) => ({
    row,
    line: guardLine({ adapter, row, guard }),
    timeoutMs: timeoutOf(installer, row),
  }));
}

function timeoutOf({ timeoutMs }: Installer, row: Adapter['events'][number]): number {
  return Math.min(AGENT_MS, timeoutMs?.(row) ?? AGENT_MS);
}

const secondsOf = (timeoutMs: number) => Math.floor((timeoutMs * SHARE) / 1000);

/** The guard for every agent that there is: installing a second one changes nothing in it. */
export function guardText(
  missing: Missing,
  limit = secondsOf(AGENT_MS),
  whose: { readonly plugin?: string; readonly managed?: boolean } = {},
): string {
  const limits = ALL_AGENTS.flatMap(({ adapter: { agent, events }, installer }) =>
    events.flatMap((row) => {
      const timeoutMs = timeoutOf(installer, row);
      return timeoutMs < AGENT_MS ? [{ agent, event: row.native, limit: secondsOf(timeoutMs) }] : [];
    }),
  );
  return guardScript({
    adapters: ALL_AGENTS.map(({ adapter }) => adapter),
    missing,
    limit,
    limits,
    ...whose,
  });
}

/** What a guard does without Harness, as it says itself; null if it is none. */
export function missingIn(text: string): Missing | null {
  const found = /^missing=(refuse|warn) /m.exec(text)?.[1];
  return found === undefined ? null : (found as Missing);
}

/** The guard of a place. */
export function guardTextOf(place: InstallTarget, missing: Missing): string {
  return guardText(missing, undefined, { managed: isManaged(place) });
}

/** The guard as a file to be written; `missing` is null to uninstall. */
export function guardFile(place: InstallTarget, missing: Missing | null): WantedFile {
  const whole = (text: string): Operation => ({ kind: 'whole', text, executable: true });
  return {
    file: guardPath(place),
    within: 'dir' in place.scope ? rootOf(place) : place.scope.user,
    container: null,
    operations: () => (missing === null ? [] : [whole(guardTextOf(place, missing))]),
    leftovers: () => [whole('')],
  };
}
