/**
 * What was made of policy folders, kept for the processes after this one: a file for each folder, under the user's own. It is
 * policy: folders and files must be this user's alone, and each file says by a checksum that it is whole and by its content what
 * it was made of. Whatever does not hold is as good as not there, and the folder is read as always.
 */

import { closeSync, constants, fstatSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOwn, replaceFile } from '../base/own-file.ts';
import { sha256Hex } from '../base/sha256.ts';
import type { KeptProject, KeptProjects } from '../frontends/markdown/kept-project.ts';
import { folderProblem } from './state-folder.ts';

/** A policy of ten thousand hooks is smaller. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Offered {
  readonly dir: string;
  readonly inside: string;
  readonly make: () => KeptProject | null;
}

interface Entry {
  readonly key: string;
  readonly dir: string;
  readonly inside: string;
  readonly project: KeptProject;
}

export class FileKeptProjects implements KeptProjects {
  private readonly state: string;
  private readonly folder: string;
  private readonly key: string;
  private readonly offered: Offered[] = [];

  /** `state` is the folder of what Harness keeps for the user; `key` names what made the data: build and runtime. */
  constructor(state: string, key: string) {
    this.state = state;
    this.folder = join(state, 'compiled', key);
    this.key = key;
  }

  find(dir: string, inside: string): KeptProject | null {
    try {
      if (folderProblem(this.state) !== null || folderProblem(this.folder) !== null) return null;
      const text = readOwn(this.fileOf(dir, inside));
      if (text === null) return null;
      const entry = JSON.parse(text) as Entry;
      const ours = entry.key === this.key && entry.dir === dir && entry.inside === inside;
      return ours ? entry.project : null;
    } catch {
      return null;
    }
  }

  offer(dir: string, inside: string, make: () => KeptProject | null): void {
    this.offered.push({ dir, inside, make });
  }

  /** Writes what was offered, and says whether it wrote any. To be called when the answer is known. */
  save(): boolean {
    let written = false;
    for (const { dir, inside, make } of this.offered.splice(0)) {
      try {
        const project = make();
        if (project === null || folderProblem(this.state) !== null) continue;
        mkdirSync(this.folder, { recursive: true, mode: 0o700 });
        if (folderProblem(this.folder) !== null) continue;
        const text = JSON.stringify({ key: this.key, dir, inside, project } satisfies Entry);
        const bytes = Buffer.from(text);
        replaceFile(this.fileOf(dir, inside), Buffer.concat([Buffer.from(`${checksum(bytes)}\n`), bytes]));
        written = true;
      } catch {
        // A full disk, or a folder that is not ours: the next process reads the files again.
      }
    }
    return written;
  }

  private fileOf(dir: string, inside: string): string {
    return join(this.folder, `${sha256Hex(`${dir}\n${inside}`).slice(0, 32)}.json`);
  }
}

/**
 * Tells a file that is not whole, or that a disk has changed. Against a person who writes other policy there is no use in it:
 * that the folder is this user's alone keeps those out.
 */
function checksum(bytes: Uint8Array): string {
  const whole = bytes.length >> 2;
  const words = new Int32Array(new Uint8Array(bytes.subarray(0, whole << 2)).buffer);
  let one = bytes.length | 0;
  let two = 0x9e3779b9 | 0;
  for (let at = 0; at < whole; at++) {
    one = Math.imul(one ^ words[at]!, 0x85ebca6b);
    one ^= one >>> 13;
    two = (Math.imul(two, 31) + one) | 0;
  }
  for (let at = whole << 2; at < bytes.length; at++) two = (Math.imul(two, 31) + bytes[at]!) | 0;
  return `${(one >>> 0).toString(16)}.${(two >>> 0).toString(16)}`;
}

/** The text behind its own checksum, if the file is this user's alone. */
function readOwn(path: string): string | null {
  const file = openOwn(path, constants.O_RDONLY);
  try {
    const stats = fstatSync(file);
    const user = process.getuid?.();
    const ours = stats.isFile() && (user === undefined || stats.uid === user) && (stats.mode & 0o077) === 0;
    if (!ours || stats.size > MOST_BYTES) return null;
    const bytes = readFileSync(file);
    const at = bytes.indexOf(10);
    const rest = bytes.subarray(at + 1);
    return at !== -1 && bytes.toString('latin1', 0, at) === checksum(rest) ? rest.toString('utf8') : null;
  } finally {
    closeSync(file);
  }
}
