/**
 * `run --resume` and `--continue`: which session is gone on with. It keeps its id, and with it its tape, its transcript and all that
 * guards have counted and remembered; the policy is the one of now.
 */
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Resumed, resumeTranscript } from '../agent/index.ts';
import { HarnessError } from '../base/index.ts';
import { readTape } from '../tape/index.ts';
import { type Arguments, quote, UsageError } from '../terminal/index.ts';

export interface Resume extends Resumed {
  readonly transcript: string;
}

const LAST = 'last';
const SUFFIX = '.jsonl';

/** Null if a session of its own is to begin. */
export function resumeOption(args: Arguments): string | null {
  const id = args.value('resume');
  if (!args.has('continue')) return id ?? null;
  if (id !== undefined) throw new UsageError('--continue is --resume last: give one of them');
  return LAST;
}

export function findResume(folder: string, wanted: string): Resume {
  const all = transcriptsIn(folder);
  if (all.length === 0) throw new UsageError(`there is no session to go on with in ${quote(folder)}`);
  const exact = all.filter(({ id }) => id === wanted);
  const named = exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(wanted));
  const fits = wanted === LAST ? all.slice(0, 1) : named;
  const some = (of: typeof all) =>
    of
      .slice(0, 5)
      .map(({ id }) => id)
      .join(', ');
  if (fits.length === 0) {
    throw new UsageError(`no session begins with ${quote(wanted)}; the latest are ${some(all)}`);
  }
  if (fits.length > 1) {
    throw new UsageError(`${quote(wanted)} begins ${fits.length} sessions; want one of ${some(fits)}`);
  }
  const { path, id } = fits[0]!;
  const resumed = read(path);
  if (resumed.sessionId !== id) {
    throw new UsageError(`${quote(path)} is the transcript of another session, ${quote(resumed.sessionId)}`);
  }
  return { ...resumed, transcript: path };
}

/** The one written last first. */
function transcriptsIn(folder: string): { path: string; id: string; written: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  } catch {
    return [];
  }
  return names
    .map((name) => join(folder, name))
    .flatMap((path) => {
      // Of a checkout: no link is gone on with, nor what has no end.
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [{ path, id: basename(path, SUFFIX), written: found.mtimeMs }] : [];
    })
    .sort((a, b) => b.written - a.written);
}

function read(path: string): Resumed {
  try {
    return resumeTranscript(readFileSync(path, 'utf8'));
  } catch (thrown) {
    throw new UsageError(`cannot go on with ${quote(path)}: ${(thrown as Error).message}`);
  }
}

/** The digest of the policy that decided on a tape last; null if there is no such tape. */
export function policyOn(tape: string): string | null {
  if (statSync(tape, { throwIfNoEntry: false }) === undefined) return null;
  try {
    const { header, entries } = readTape(tape);
    let { digest } = header.policy;
    for (const { record } of entries) {
      if (record.type === 'policy.changed' && record.accepted) digest = record.to;
    }
    return digest;
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    throw new UsageError(`cannot go on with the tape ${quote(tape)}: ${thrown.message}`);
  }
}
