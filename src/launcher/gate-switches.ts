/**
 * Whether a switch of the agent keeps some of our hooks from running while this one runs: then the gates of the session refuse. The files
 * that can set one are read when the session begins; after that they are read again only if one of them changed.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Adapter,
  gateSwitches,
  loadGateSwitches,
  type NativeCall,
  type Place,
  textOnDisk,
} from '../agents/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { homeFolder, MANAGED_FOLDER } from '../machine/index.ts';
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
  { agent }: Adapter,
  { row }: NativeCall,
  options: HookOptions,
  { host, cwd }: Pick<DecisionContext, 'host' | 'cwd'>,
  remembered: Json | undefined,
): Promise<GateCheck> {
  if (!GATES.has(row.event) || !row.honours.block) return NOTHING;
  const known = rememberedIn(remembered);
  if (known !== null && fingerprintOf(known.files) === known.fingerprint)
    return { refusal: known.refusal, change: null };
  const switches = await loadGateSwitches(agent);
  const home = homeFolder(host);
  if (switches === null || home === null) return NOTHING;
  const place: Place = { ...placeOf(options, cwd), home, env: host.env };
  const { files, on } = gateSwitches(switches, place, textOnDisk);
  const refusal =
    on.length === 0 ? null : `Blocked: ${PART_OFF}. ${on.join('. ')}. A person has to remove that setting`;
  return { refusal, change: { files: [...files], fingerprint: fingerprintOf(files), refusal } };
}

function placeOf({ dir, user, managed }: HookOptions, cwd: string): Pick<Place, 'scope' | 'managed'> {
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
  return files.map((file) => lookOf(statSync(file, { bigint: true, throwIfNoEntry: false }))).join(' ');
}

function lookOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? '-' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
