/**
 * Run state in files, one journal an area: `user.jsonl` and `sessions/ID.jsonl`. A change is a line at its end, written under
 * a lock that is waited for a bounded time; a process that dies leaves it to the others at once. Reading takes no lock.
 *
 * What stands here decides what guards do: the folder has to belong to this user and to be closed to others.
 */

import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../../base/errors.ts';
import { bootId, lockWithin } from '../../base/file-lock.ts';
import { uptimeMs } from '../../base/host.ts';
import { sha256Hex } from '../../base/sha256.ts';
import type { Steady } from '../../hooks/stores/area-clock.ts';
import type { AreaState, Step } from '../../hooks/stores/area-state.ts';
import { SteppedArea, type Steps } from '../../hooks/stores/memory-run-store.ts';
import type { RunStore, Stored } from '../../hooks/stores/run-store.ts';
import { Journal } from './journal.ts';

export interface FileRunStoreOptions {
  /** How long to wait for another process to let go of an area; by default one second. It blocks this process. */
  readonly waitMs?: number;
  /** A clock that cannot be set, on which all processes of this machine agree; by default how long it has been running. */
  readonly steady?: Steady | null;
}

const WAIT_MS = 1000;

/** So many areas are kept in memory; others are read again when they are asked for. */
const KEPT_AREAS = 64;

export class FileRunStore implements RunStore {
  readonly dir: string;
  private readonly waitMs: number;
  private readonly steady: Steady | null;
  private readonly areas = new Map<string, SteppedArea>();

  constructor(dir: string, { waitMs = WAIT_MS, steady }: FileRunStoreOptions = {}) {
    this.dir = dir;
    this.waitMs = waitMs;
    this.steady = steady === undefined ? { now: uptimeMs, boot: bootId() } : steady;
  }

  session(id: string): SteppedArea {
    const name = PLAIN_NAME.test(id) ? id : `id-${sha256Hex(id).slice(0, 40)}`;
    return this.area(join(this.dir, 'sessions'), name);
  }

  user(): SteppedArea {
    return this.area(this.dir, 'user');
  }

  private area(folder: string, name: string): SteppedArea {
    const path = join(folder, `${name}.jsonl`);
    const known = this.areas.get(path);
    this.areas.delete(path);
    const steps = () => new FileSteps([this.dir, folder], path, this.waitMs);
    const area = known ?? new SteppedArea(steps(), this.steady);
    this.areas.set(path, area);
    if (this.areas.size > KEPT_AREAS) this.areas.delete(this.areas.keys().next().value!);
    return area;
  }
}

/** Names that differ in nothing but case would be one file on some systems. */
const PLAIN_NAME = /^[a-z0-9_][a-z0-9._-]{0,99}$/;

class FileSteps implements Steps {
  private readonly folders: readonly string[];
  private readonly path: string;
  private readonly waitMs: number;
  private readonly journal: Journal;
  private checked = false;

  constructor(folders: readonly string[], path: string, waitMs: number) {
    this.folders = folders;
    this.path = path;
    this.waitMs = waitMs;
    this.journal = new Journal(path);
  }

  write<T>(decide: (state: AreaState) => Step<T> | HarnessError): Stored<T> {
    return this.guarded(() => {
      const locked = lockWithin(this.path, this.waitMs);
      if ('heldBy' in locked) {
        throw new HarnessError('STORE_BUSY', `${this.path} is held by ${locked.heldBy}`);
      }
      try {
        const step = decide(this.journal.catchUp(true));
        if (!('lines' in step)) throw step;
        this.journal.append(step.lines);
        return step.result;
      } finally {
        locked.release();
      }
    });
  }

  read<T>(look: (state: AreaState) => T): Stored<T> {
    return this.guarded(() => look(this.journal.catchUp(false)));
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
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stat = lstatSync(folder);
      const others = (stat.mode & 0o022) !== 0;
      const foreign = process.getuid !== undefined && stat.uid !== process.getuid();
      if (stat.isDirectory() && !foreign && !others) continue;
      const why = foreign
        ? 'belongs to another user'
        : others
          ? 'can be written by others'
          : 'is not a folder';
      throw new HarnessError('STORE_FAILED', `${folder} ${why}: run state is not kept there`);
    }
    this.checked = true;
  }
}
