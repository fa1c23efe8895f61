/**
 * How far the hub has acknowledged each file of the outbox. Derived data: without it the hub is asked and the files are read. What
 * waits to be sent, and what may be pruned, is answered from it.
 */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Host } from '../machine/index.ts';
import { registeredTapes } from '../policy/index.ts';
import { type Enrolled, findEnrolled } from './enrolment.ts';
import { linesAfter, type OutboxTape, type Position, tapesOfFolder } from './outbox.ts';

/** The last line that the hub has, and where it is in the file. */
export interface Acknowledged extends Position {
  readonly ino: number;
  readonly branch: number;
  /** The entry of the signed head that the hub was sent. */
  readonly signed: number;
  /** Why the tape is put aside, and the size the file had then. */
  readonly problem?: string;
  readonly problemSize?: number;
}

export type AcknowledgedFiles = Record<string, Acknowledged>;

export interface TapeProblem {
  readonly file: string;
  readonly problem: string;
}

const FILE = 'acknowledged.json';

export function readAcknowledged(enrolled: Enrolled): AcknowledgedFiles {
  return enrolled.read<AcknowledgedFiles>(FILE) ?? {};
}

export function saveAcknowledged(enrolled: Enrolled, files: AcknowledgedFiles): void {
  enrolled.write(FILE, files);
}

/** Every tape in the folders that sessions of this machine registered. */
export function outboxOf(host: Pick<Host, 'env'>): OutboxTape[] {
  return registeredTapes(host).flatMap(tapesOfFolder);
}

export interface UnsentEntries {
  readonly tapes: number;
  readonly entries: number;
  readonly bytes: number;
  readonly problems: readonly TapeProblem[];
}

/** What the hub has not acknowledged yet, by what is known here. */
export function unsentEntries(enrolled: Enrolled, host: Pick<Host, 'env'>): UnsentEntries {
  const files = readAcknowledged(enrolled);
  let [tapes, entries, bytes] = [0, 0, 0];
  const problems: TapeProblem[] = [];
  for (const { file, ino, size } of outboxOf(host)) {
    const known = files[file]?.ino === ino ? files[file] : undefined;
    if (known?.problem !== undefined) problems.push({ file, problem: known.problem });
    const end = known?.end ?? 0;
    if (end >= size) continue;
    tapes++;
    bytes += size - end;
    // The header is no entry.
    entries += Math.max(0, linesAfter(file, end) - (end === 0 ? 1 : 0));
  }
  return { tapes, entries, bytes, problems };
}

/**
 * Whether the hub has every byte of a file, for `tape prune`. True on a machine that joined no hub, and for a file in a folder that
 * no session of this machine registered.
 */
export function isAcknowledged(host: Pick<Host, 'env'>, name: string): boolean {
  const enrolled = findEnrolled(host);
  const file = resolve(name);
  if (enrolled === null || !registeredTapes(host).includes(dirname(file))) return true;
  const known = readAcknowledged(enrolled)[file];
  const { ino, size } = statSync(file);
  return known !== undefined && known.ino === ino && known.end >= size && known.problem === undefined;
}
