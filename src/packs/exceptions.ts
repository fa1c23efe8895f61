/**
 * Exceptions from rules: written by people in harness.md, each with its reason, for a folder or until a day. They count for rules
 * of their own layer and of those below it.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { compileParts, partsOf } from '../base/index.ts';
import type { WrittenException } from '../files/index.ts';
import type { RuleMatch } from './pack.ts';

export interface Exception {
  /** `core/delete-project`, or `core` for a whole pack. */
  readonly rule: string;
  readonly folder: string | null;
  /** Midnight after this day, UTC, in milliseconds. */
  readonly until: number | null;
  readonly reason: string;
  /** Whether a command that runs in this folder is meant. */
  readonly covers: (cwd: string | null) => boolean;
}

const DAY = 86_400_000;

export type ReadException =
  | { readonly ok: true; readonly exception: Exception }
  | { readonly ok: false; readonly message: string };

/** `dir` is the folder of the layer, which a relative folder is seen from. */
export function readException(written: WrittenException, dir: string): ReadException {
  const { rule, folder, expires, reason } = written;
  const day = expires === undefined ? null : Date.parse(`${expires}T00:00:00Z`);
  if (day !== null && Number.isNaN(day)) {
    return { ok: false, message: `expires: want a day such as 2026-12-31, got ${JSON.stringify(expires)}` };
  }
  const until = day === null ? null : day + DAY;
  return {
    ok: true,
    exception: { rule, folder: folder ?? null, until, reason, covers: coversOf(folder, dir) },
  };
}

function coversOf(folder: string | undefined, dir: string): Exception['covers'] {
  if (folder === undefined) return () => true;
  const whole = isAbsolute(folder) ? folder : join(resolve(dir), folder);
  const test = compileParts(partsOf(whole.replace(/\/\*\*$/, '')));
  return (cwd) => cwd !== null && test(partsOf(cwd));
}

export function isExcepted(
  exceptions: readonly Exception[],
  { rule, command }: RuleMatch,
  cwd: string | null,
  now: number,
): Exception | null {
  for (const exception of exceptions) {
    if (exception.rule !== rule.name && exception.rule !== rule.pack) continue;
    if (exception.until !== null && now >= exception.until) continue;
    if (exception.covers(folderOf(command.cwd, cwd))) return exception;
  }
  return null;
}

/** Where a command runs: what a `cd` before it said, seen from where the text starts. */
function folderOf(own: string | null, cwd: string | null): string | null {
  if (own === null) return null;
  if (own.startsWith('/')) return own;
  if (own.startsWith('~') || cwd === null) return null;
  return own === '' ? cwd : join(cwd, own);
}
