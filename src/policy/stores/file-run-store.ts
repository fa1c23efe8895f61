/**
 * Run state in files, one journal an area: `user.jsonl` and `sessions/ID.jsonl`. A change is a line at its end, written under
 * a lock that is waited for a bounded time; a process that dies leaves it to the others at once. Reading takes no lock.
 *
 * What stands here decides what guards do: the folder has to belong to this user and to be closed to others.
 */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap, HarnessError, sha256Hex } from '../../base/index.ts';
import {
  type AreaState,
  type RunStore,
  type Steady,
  type Step,
  SteppedArea,
  type Steps,
  type Stored,
} from '../../engine/index.ts';
import { bootId, lockWithin, makeFolder, ownershipProblem, uptimeMs } from '../../machine/index.ts';
import { Journal } from './journal.ts';

export interface FileRunStoreOptions {
  /** How long to wait for another process to let go of an area; by default one second. It blocks this process. */
  readonly waitMs?: number;
  /** The disk must have a change before it is acknowledged; see `RunStore.syncChanges`. */
  readonly sync?: boolean;
  /** A clock that cannot be set, on which all processes of this machine agree; by default how long it has been running. */
  readonly steady?: Steady | null;
}

const WAIT_MS = 1000;

/** Areas in memory; others are read again when they are asked for. */
const MOST_AREAS = 64;

export class FileRunStore implements RunStore {
  readonly dir: string;
  private readonly waitMs: number;
  private readonly steady: Steady | null;
  private sync: boolean;
  private readonly areas = new BoundedMap<string, { readonly area: SteppedArea; readonly steps: FileSteps }>(
    MOST_AREAS,
    { onDrop: ({ steps }) => steps.close() },
  );

  constructor(dir: string, { waitMs = WAIT_MS, sync = false, steady }: FileRunStoreOptions = {}) {
    this.dir = dir;
    this.waitMs = waitMs;
    this.sync = sync;
    this.steady = steady === undefined ? { now: uptimeMs, boot: bootId() } : steady;
  }

  session(id: string): SteppedArea {
    const name = PLAIN_NAME.test(id) ? id : `id-${sha256Hex(id).slice(0, 40)}`;
    return this.area(join(this.dir, 'sessions'), name);
  }

  user(): SteppedArea {
    return this.area(this.dir, 'user');
  }

  syncChanges(on: boolean): void {
    this.sync = on;
  }

  /** Closes the files of all areas; they are opened again when they are written to. */
  close(): void {
    for (const { steps } of this.areas.values()) steps.close();
    this.areas.clear();
  }

  private area(folder: string, name: string): SteppedArea {
    const path = join(folder, `${name}.jsonl`);
    return this.areas.useOrMake(path, () => {
      const steps = new FileSteps([this.dir, folder], path, this.waitMs, () => this.sync);
      return { area: new SteppedArea(steps, this.steady), steps };
    }).area;
  }
}

/** Names that differ in nothing but case would be one file on some systems. */
const PLAIN_NAME = /^[a-z0-9_][a-z0-9._-]{0,99}$/;

class FileSteps implements Steps {
  private readonly folders: readonly string[];
  private readonly path: string;
  private readonly waitMs: number;
  private readonly syncs: () => boolean;
  private readonly journal: Journal;
  private checked = false;

  constructor(folders: readonly string[], path: string, waitMs: number, syncs: () => boolean) {
    this.folders = folders;
    this.path = path;
    this.waitMs = waitMs;
    this.syncs = syncs;
    this.journal = new Journal(path);
  }

  write<T>(decide: (state: AreaState) => Step<T> | HarnessError): Stored<T> {
    return this.guarded(() => {
      const locked = lockWithin(this.path, this.waitMs);
      if ('heldBy' in locked) {
        throw new HarnessError('STORE_BUSY', `${this.path} is being written by ${locked.heldBy}`);
      }
      try {
        const step = decide(this.journal.catchUp(true));
        if (!('lines' in step)) throw step;
        this.journal.append(step.lines, this.syncs());
        return step.result;
      } finally {
        locked.release();
      }
    });
  }

  read<T>(look: (state: AreaState) => T): Stored<T> {
    return this.guarded(() => look(this.journal.catchUp(false)));
  }

  close(): void {
    this.journal.close();
  }

  private guarded<T>(act: () => T): Stored<T> {
    try {
      if (!this.checked) this.prepare();
      return { ok: true, value: act() };
    } catch (thrown) {
      // It may have been taken away meanwhile, and has to be looked at again.
      this.checked = false;
      if (thrown instanceof HarnessError) return { ok: false, error: thrown };
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { ok: false, error: new HarnessError('STORE_FAILED', `${this.path}: ${message}`) };
    }
  }

  private prepare(): void {
    for (const folder of this.folders) {
      makeFolder(folder, 0o700);
      const stat = lstatSync(folder);
      const why = stat.isDirectory() ? ownershipProblem(stat, 'unwritable') : 'is not a folder';
      if (why !== null)
        throw new HarnessError('STORE_FAILED', `${folder} ${why}: run state is not stored there`);
    }
    this.checked = true;
  }
}
