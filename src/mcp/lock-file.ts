/**
 * `.harness/mcp.lock`: the definitions that somebody agreed to. A lock that cannot be read is never taken for none. Every
 * update reads and writes the file under one file lock, so that proxies started together lose no pin of each other.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isAbsent, readBytes } from '../files/index.ts';
import { lockWithin, replaceFile } from '../machine/index.ts';
import type { Policy } from '../policy/index.ts';
import { UsageError } from '../terminal/index.ts';
import { type OfferKind, TOOLS } from './offers.ts';
import { EMPTY_LOCK, type Lock, type Pins, pinsIn, readLock, withPins, writeLock } from './pins.ts';

/** From the folder of a project. */
export const LOCK_FILE = join('.harness', 'mcp.lock');
/** Descriptions of thousands of tools are less. */
const MOST_BYTES = 64 * 1024 * 1024;

export function lockOf(policy: Policy): Lock {
  const path = join(policy.root, LOCK_FILE);
  if (isAbsent(path)) return EMPTY_LOCK;
  const read = readBytes('', path, MOST_BYTES);
  if (!(read instanceof Uint8Array)) throw new UsageError(`cannot read ${path}: ${read.message}`);
  const lock = readLock(read.toString('utf8'));
  // A lock that cannot be read pins nothing, and must not look like one that was never made.
  if (lock === null)
    throw new UsageError(`${path} is no lock file of this program; mend it, or take it away to pin anew`);
  return lock;
}

/** For each of a dozen processes that start at once, an update takes a few milliseconds. */
const LOCK_WAIT_MS = 10_000;

/** Pins on first use: where another proxy has pinned this kind of the server meanwhile, its pins are returned and stay. */
export function savePins(
  policy: Policy,
  server: string,
  kind: OfferKind,
  pins: Pins,
  note: (text: string) => void,
): Pins {
  const what = kind === TOOLS ? 'tools' : `${kind.kind} texts`;
  try {
    let saved = pins;
    updateLock(policy, (lock) => {
      const before = pinsIn(lock, server, kind);
      saved = before ?? pins;
      return before === null ? withPins(lock, server, kind, pins) : lock;
    });
    const count = Object.keys(pins).length;
    if (saved === pins && count > 0) note(`pinned ${count} ${what} in ${LOCK_FILE}`);
    return saved;
  } catch (error) {
    note(`the ${what} cannot be pinned beyond this session: ${(error as Error).message}`);
    return pins;
  }
}

/** Pins what a person accepted of a server beside the rest. */
export function addPins(
  policy: Policy,
  server: string,
  kind: OfferKind,
  pins: Pins,
  note: (text: string) => void,
): void {
  const names = Object.keys(pins).join(', ');
  try {
    updateLock(policy, (lock) => withPins(lock, server, kind, { ...pinsIn(lock, server, kind), ...pins }));
    note(`a person accepted ${names}: pinned in ${LOCK_FILE}`);
  } catch (error) {
    note(`${names} cannot be pinned beyond this session: ${(error as Error).message}`);
  }
}

/** Replaces the pins of a server, as a person asked for. */
export function replacePins(policy: Policy, server: string, pinned: ReadonlyMap<OfferKind, Pins>): void {
  try {
    updateLock(policy, (lock) =>
      [...pinned].reduce((next, [kind, pins]) => withPins(next, server, kind, pins), lock),
    );
  } catch (error) {
    throw new UsageError(`the tools cannot be pinned: ${(error as Error).message}`);
  }
}

function updateLock(policy: Policy, next: (lock: Lock) => Lock): void {
  const path = join(policy.root, LOCK_FILE);
  mkdirSync(join(policy.root, '.harness'), { recursive: true });
  const locked = lockWithin(path, LOCK_WAIT_MS);
  if ('heldBy' in locked) throw new Error(`${path} is being written by ${locked.heldBy}`);
  try {
    const before = lockOf(policy);
    const after = next(before);
    if (after === before) return;
    replaceFile(path, writeLock(after), { mode: 0o644 });
  } finally {
    locked.release();
  }
}
