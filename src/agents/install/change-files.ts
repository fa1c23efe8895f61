/**
 * One installation from plan to disk. Everything is planned before anything is written; if a file cannot be written, those
 * before it are put back. Nothing here knows an agent.
 */
import { SourceFile } from '../../base/index.ts';
import { type FilePlan, type FileRecord, planFile } from './file-plan.ts';
import type { ReadText, WantedFile } from './installer.ts';
import type { Operation } from './operation.ts';
import { readRecord, writeRecord } from './records.ts';
import {
  makeFolders,
  openTarget,
  removeFile,
  removeFolders,
  replaceFile,
  type TargetFile,
} from './target-file.ts';

export interface Change {
  readonly target: TargetFile;
  readonly after: string | null;
  readonly executable: boolean;
  readonly before: FileRecord | null;
  readonly record: FileRecord | null;
  /** The file was edited since it was installed. */
  readonly edited: boolean;
}

export interface Problem {
  readonly file: string;
  /** With `line:col` if there is a place. */
  readonly message: string;
}

export interface PlanRequest {
  readonly agent: string;
  readonly owner: string;
  /** The time now, for the record of when it was installed. */
  readonly now?: number;
  readonly files: readonly WantedFile[];
  readonly install: boolean;
  /** Links out of the folder may be followed to files of the user. */
  readonly followOut: boolean;
  readonly records: string;
}

export type Plan = { readonly changes: readonly Change[] } | { readonly problems: readonly Problem[] };

export function planChanges(request: PlanRequest): Plan {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const texts = new Map<string, string | null>();
  const textOf: ReadText = (file) => texts.get(file) ?? null;
  const found = new Map<string, string | null>();
  for (const wanted of request.files) {
    const target = openTarget(wanted.file, wanted.within, request.followOut);
    if ('problem' in target) {
      problems.push({ file: wanted.file, message: target.problem });
      continue;
    }
    found.set(wanted.file, target.text);
    const before = readRecord(request.records, target.real);
    const operations = request.install ? wanted.operations(textOf) : [];
    const plan = planFile(target.text, before, {
      file: target.real,
      agent: request.agent,
      owner: request.owner,
      ...(request.now !== undefined && { now: request.now }),
      operations,
      leftovers: wanted.leftovers?.((file) => found.get(file) ?? null) ?? operations,
      container: wanted.container,
    });
    if ('refused' in plan) {
      const { line, col } = new SourceFile(wanted.file, target.text ?? '').position(plan.offset);
      problems.push({ file: wanted.file, message: `${wanted.file}:${line}:${col}: ${plan.refused}` });
      continue;
    }
    texts.set(wanted.file, plan.text);
    changes.push(changeOf(target, plan, before, operations));
  }
  return problems.length > 0 ? { problems } : { changes };
}

function changeOf(
  target: TargetFile,
  plan: FilePlan,
  before: FileRecord | null,
  operations: readonly Operation[],
): Change {
  return {
    target,
    after: plan.text,
    executable: operations.some((operation) => operation.kind === 'whole' && operation.executable),
    before,
    record: plan.record,
    edited: plan.edited,
  };
}

export function isChange({ target, after }: Change): boolean {
  return target.text !== after;
}

/** Gives the problem that stopped it, after everything was put back; null if all is done. */
export function commitChanges(changes: readonly Change[], records: string): Problem | null {
  const done: Done[] = [];
  for (const change of changes) {
    try {
      done.unshift({ change, made: commit(change, records) });
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      const left = done.flatMap((one) => putBack(one, records));
      return { file: change.target.file, message: [message, ...left].join('; ') };
    }
  }
  // Last, since files may share a folder; those inside others first.
  const gone = changes.flatMap(({ after, before }) => (after === null ? (before?.folders ?? []) : []));
  for (const folder of [...new Set(gone)].sort((a, b) => b.length - a.length)) removeFolders([folder]);
  return null;
}

interface Done {
  readonly change: Change;
  /** Folders that were made for it. */
  readonly made: readonly string[];
}

function commit({ target, after, executable, before, record }: Change, records: string): readonly string[] {
  if (after === null) {
    if (target.text !== null) removeFile(target);
    writeRecord(records, target.real, record);
    return [];
  }
  const made = makeFolders(target.real);
  // The record first: a crash after it finds the file as it was, which the record knows too.
  if (record !== null) {
    writeRecord(records, target.real, made.length === 0 ? record : { ...record, folders: made });
  }
  if (target.text !== after) {
    try {
      replaceFile(target, after, { stats: target.stats, executable });
    } catch (thrown) {
      writeRecord(records, target.real, before);
      removeFolders(made);
      throw thrown;
    }
  }
  if (record === null) writeRecord(records, target.real, null);
  return made;
}

/** What could not be put back, in words. */
function putBack({ change: { target, after, before }, made }: Done, records: string): string[] {
  const failed = (why: string) => [`${target.file} could not be put back: ${why}`];
  const now = openTarget(target.real, target.real, true);
  if ('problem' in now) return failed(now.problem);
  if (now.text !== after) return failed('it was changed meanwhile');
  try {
    if (target.text === null) {
      if (now.text !== null) removeFile(now);
    } else if (now.text !== target.text) {
      makeFolders(target.real);
      replaceFile(now, target.text, { stats: target.stats });
    }
    writeRecord(records, target.real, before);
    removeFolders(made);
    return [];
  } catch (thrown) {
    return failed((thrown as Error).message);
  }
}
