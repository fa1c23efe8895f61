/**
 * Whether some of our hooks do not run while this one does: a switch of the agent keeps them from it, or the policy got a hook on an event
 * that is registered on demand and was not. Then the gates of the session refuse. The files that decide it are read when the session
 * begins; after that they are read again only if one of them changed.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Adapter,
  gateSwitches,
  type InstallTarget,
  loadGateSwitches,
  loadInstaller,
  type NativeCall,
  textOnDisk,
} from '../agents/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { homeFolder, MANAGED_FOLDER } from '../machine/index.ts';
import type { Policy } from '../policy/index.ts';
import type { DecisionContext } from './decision-context.ts';
import type { HookOptions } from './hook-options.ts';

export interface GateCheck {
  /** What the agent is told. */
  readonly refusal: string | null;
  /** What the session has to remember; null if that has not changed. */
  readonly change: JsonObject | null;
}

/** Said at every gate of the session. */
export const PART_OFF = 'part of the guard of this session is switched off';

const NOTHING: GateCheck = { refusal: null, change: null };

/** Where an agent goes ahead. A result or a stop that is refused would undo nothing. */
const GATES: ReadonlySet<string> = new Set(['turn.start', 'tool.pre', 'delegation.pre']);

export async function gateCheck(
  { agent, events }: Adapter,
  { row }: NativeCall,
  options: HookOptions,
  { host, cwd, root, policy }: Pick<DecisionContext, 'host' | 'cwd'> & InSession,
  remembered: Json | undefined,
): Promise<GateCheck> {
  if (!GATES.has(row.event) || !row.honours.block) return NOTHING;
  const onDemand = events.filter(
    ({ event, honours, onDemand }) => onDemand !== undefined && honours.block && isSubscribed(policy, event),
  );
  const wanted = onDemand.map(({ native }) => native);
  const fingerprint = (files: readonly string[]) => [...wanted, fingerprintOf(files)].join(' ');
  const known = rememberedIn(remembered);
  if (known !== null && fingerprint(known.files) === known.fingerprint)
    return { refusal: known.refusal, change: null };
  const switches = await loadGateSwitches(agent);
  const home = homeFolder(host);
  if ((switches === null && wanted.length === 0) || home === null) return NOTHING;
  const around = { home, env: host.env };
  const place: InstallTarget = { ...placeOf(options, cwd), ...around };
  const off = gateSwitches(switches ?? [], place, textOnDisk);
  const missing =
    wanted.length === 0
      ? null
      : await notRegistered(agent, wanted, [place, { scope: { dir: root }, ...around }]);
  const files = [...off.files, ...(missing?.files ?? [])];
  const words = [
    ...off.on.map((one) => `${one}. A person has to remove that setting`),
    ...(missing?.words ?? []),
  ];
  const refusal = words.length === 0 ? null : `Blocked: ${PART_OFF}. ${words.join('. ')}`;
  return { refusal, change: { files, fingerprint: fingerprint(files), refusal } };
}

/** What stands in for a broken hook is at every gate, and blocks with its own reason where the agent asks. */
function isSubscribed({ registry }: Policy, event: string): boolean {
  return registry.has(event) && registry.list(event).some(({ standIn }) => standIn !== true);
}

/** The folder whose policy holds, and the policy. */
interface InSession {
  readonly root: string;
  readonly policy: Policy;
}

/** Of events that the policy has a hook on: those that no place registers. */
async function notRegistered(agent: string, wanted: readonly string[], places: readonly InstallTarget[]) {
  const installer = await loadInstaller(agent);
  const registered = places.flatMap((place) => installer.registered(place, textOnDisk));
  const missing = wanted.filter((native) => !registered.some(({ event }) => event === native));
  return {
    files: places.map((place) => installer.settingsFile(place)),
    words: missing.map(
      (native) =>
        `The policy has a hook on ${native}, which is not registered. A person has to run: harness install ${agent}`,
    ),
  };
}

function placeOf({ dir, user, managed }: HookOptions, cwd: string): Pick<InstallTarget, 'scope' | 'managed'> {
  if (managed === true) return { scope: { user: MANAGED_FOLDER }, managed: '/' };
  return { scope: dir === null ? { user: resolve(cwd, user ?? '.') } : { dir: resolve(cwd, dir) } };
}

interface Remembered {
  readonly files: readonly string[];
  readonly fingerprint: string;
  readonly refusal: string | null;
}

function rememberedIn(value: Json | undefined): Remembered | null {
  return isJsonObject(value) ? (value as unknown as Remembered) : null;
}

function fingerprintOf(files: readonly string[]): string {
  return files
    .map((file) => statFingerprint(statSync(file, { bigint: true, throwIfNoEntry: false })))
    .join(' ');
}

function statFingerprint(stats: BigIntStats | undefined): string {
  return stats === undefined ? '-' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
