/**
 * A checkpoint: which tapes there were, the name of each file, how long each was and the hash of its last entry then. A tape can
 * grow; one that is gone, renamed, shorter, or different up to that entry shows. A checkpoint proves as much as the place it lies in.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { replaceFile } from '../../machine/index.ts';
import { headerOf, type Verification } from '../../tape/index.ts';
import { quote, UsageError } from '../../terminal/index.ts';

export interface Checkpoint {
  readonly version: 1;
  /** By session. */
  readonly tapes: Readonly<Record<string, CheckedTape>>;
}

interface CheckedTape {
  readonly entries: number;
  readonly head: string;
  /** The name of the file; absent in checkpoints written before names were checked. */
  readonly file?: string;
}

/** A verified tape and the path of its file. */
type VerifiedTape = Verification & { readonly file: string };

export interface Lost {
  readonly session: string;
  readonly problem: string;
}

/** Null if there is none yet. */
export function readCheckpoint(file: string): Checkpoint | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new UsageError(`cannot read the checkpoint ${quote(file)}: ${(thrown as Error).message}`);
  }
  const data = parse(text);
  if (data === null) throw new UsageError(`${quote(file)} is not a checkpoint of tapes`);
  return data;
}

/** What was there at the checkpoint and is not now. Of a single tape only that one is looked for. */
export function lostTapes(before: Checkpoint, found: readonly VerifiedTape[], single: boolean): Lost[] {
  const now = new Map(found.map((tape) => [tape.session ?? '', tape]));
  const wanted = Object.entries(before.tapes).filter(([session]) => !single || now.has(session));
  return wanted.flatMap(([session, { entries, head, file }]) => {
    const tape = now.get(session);
    if (tape === undefined) return [{ session, problem: `the tape is gone; it had ${entries} entries` }];
    if (tape.entries < entries) {
      return [{ session, problem: `the tape has ${tape.entries} entries; it had ${entries}` }];
    }
    if (tape.marked !== head) {
      return [{ session, problem: `entry ${entries} is not the one it was: the tape was written anew` }];
    }
    const name = basename(tape.file);
    if (file === undefined || file === name) return [];
    return [{ session, problem: `the tape was renamed: its file was ${file} and is ${name}` }];
  });
}

/** Tapes that are not looked at this time stay on it. */
export function writeCheckpoint(
  file: string,
  before: Checkpoint | null,
  found: readonly VerifiedTape[],
): void {
  const tapes: Record<string, Checkpoint['tapes'][string]> = { ...before?.tapes };
  for (const { session, entries, head, file } of found) {
    if (session !== null && head !== null) tapes[session] = { entries, head, file: basename(file) };
  }
  try {
    replaceFile(file, `${JSON.stringify({ version: 1, tapes }, null, 2)}\n`);
  } catch (thrown) {
    throw new UsageError(`cannot write the checkpoint ${quote(file)}: ${(thrown as Error).message}`);
  }
}

/** Empty for a file that is no tape. */
export function sessionOf(file: string): string {
  try {
    return headerOf(file)?.session ?? '';
  } catch {
    return '';
  }
}

function parse(text: string): Checkpoint | null {
  try {
    const data: unknown = JSON.parse(text);
    if (!isJsonObject(data) || data.version !== 1 || !isJsonObject(data.tapes)) return null;
    const sound = Object.values(data.tapes).every(
      (tape) => isJsonObject(tape) && Number.isSafeInteger(tape.entries) && typeof tape.head === 'string',
    );
    return sound ? (data as unknown as Checkpoint) : null;
  } catch {
    return null;
  }
}
