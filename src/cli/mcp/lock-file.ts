/**
 * `.harness/mcp.lock`: the definitions of tools that somebody agreed to. A lock that cannot be read is never taken for none.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY_LOCK, type Lock, type Pin, readLock, writeLock } from '../../adapters/mcp/pins.ts';
import { isAbsent, readBytes } from '../../files/read-file.ts';
import type { Policy } from '../../policy/policy.ts';
import { UsageError } from '../command.ts';

const LOCK_FILE = join('.harness', 'mcp.lock');
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

export function savePins(
  policy: Policy,
  name: string,
  pins: Readonly<Record<string, Pin>>,
  note: (text: string) => void,
): void {
  const path = join(policy.root, LOCK_FILE);
  const lock = lockOf(policy);
  const next: Lock = { version: 1, servers: { ...lock.servers, [name]: pins } };
  try {
    mkdirSync(join(policy.root, '.harness'), { recursive: true });
    const beside = `${path}.${process.pid}`;
    writeFileSync(beside, writeLock(next), { flag: 'wx' });
    renameSync(beside, path);
    note(`pinned ${Object.keys(pins).length} tools in ${LOCK_FILE}`);
  } catch (error) {
    note(`the tools cannot be pinned beyond this session: ${(error as Error).message}`);
  }
}
