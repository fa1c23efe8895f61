/**
 * A disk under loss of power: the recorded changes of processes up to some moment, and of what no sync had brought to the disk by then
 * any part. What a file was given since its last sync may be there by units of 512 or 4096 bytes, as old, new or zero bytes, at any of
 * its sizes. What happened to names since the last sync of their folder may be there or not, each rename whole or not at all, changes of
 * one name in their order. A real file system allows less.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export type Recorded =
  | { readonly op: 'create'; readonly path: string; readonly ino: number }
  | { readonly op: 'write'; readonly ino: number; readonly at: number; readonly data: string }
  | { readonly op: 'size'; readonly ino: number; readonly size: number }
  | { readonly op: 'sync'; readonly ino: number }
  | { readonly op: 'syncdir'; readonly path: string }
  | { readonly op: 'mkdir' | 'unlink' | 'rmdir'; readonly path: string }
  | { readonly op: 'symlink'; readonly path: string; readonly target: string }
  | { readonly op: 'link'; readonly path: string; readonly to: string }
  | { readonly op: 'rename'; readonly path: string; readonly to: string }
  /** A call was answered: what it was promised has to be there from here on. */
  | { readonly op: 'answered'; readonly call: string };

type NamesOnly = Extract<Recorded, { op: 'mkdir' | 'unlink' | 'rmdir' | 'symlink' | 'link' }>;

/** What stands under a name. A file is known by its number in the model: the system gives numbers again. */
type Node = { readonly file: number } | { readonly target: string } | 'folder';
type Tree = Map<string, Node>;

type Change = { readonly at: number; readonly data: Buffer } | { readonly size: number };

interface ModelFile {
  /** What the disk has for certain. */
  base: Buffer;
  /** Changes since, in their order. */
  changes: Change[];
}

interface NameChange {
  /** Names it takes or gives. */
  readonly names: readonly string[];
  readonly apply: (tree: Tree) => void;
  durable: boolean;
}

export type Random = () => number;

/** Numbers that are the same for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export class PowerLoss {
  private readonly root: string;
  private readonly begin: ReadonlyMap<string, Buffer | string | null>;

  /** The tree as it is now is on the disk. */
  constructor(root: string) {
    this.root = root;
    this.begin = new Map(treeAt(root));
  }

  /** Puts one of the states in the place of the folder that a loss of power after so many of the changes may leave. */
  strike(recorded: readonly Recorded[], random: Random): void {
    const disk = new Disk(this.begin);
    for (const change of recorded) disk.apply(change);
    rmSync(this.root, { recursive: true, force: true });
    mkdirSync(this.root);
    const tree = disk.namesAfter(random);
    for (const path of [...tree.keys()].sort()) {
      // A name whose folder did not reach the disk.
      if (lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true) continue;
      const node = tree.get(path)!;
      if (node === 'folder') mkdirSync(path, { mode: 0o700 });
      else if ('target' in node) symlinkSync(node.target, path);
      else {
        writeFileSync(path, disk.contentAfter(node.file, random), { mode: 0o600 });
        // The machine was started again since.
        utimesSync(path, LONG_AGO, LONG_AGO);
      }
    }
  }
}

const LONG_AGO = 1_000_000_000;

function* treeAt(folder: string): Generator<[string, Buffer | string | null]> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      yield [path, null];
      yield* treeAt(path);
    } else yield [path, entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path)];
  }
}

class Disk {
  private readonly files: ModelFile[] = [];
  /** The file that has a number of the system now. */
  private readonly byNumber = new Map<number, number>();
  /** Names as running processes see them. */
  private readonly live: Tree = new Map();
  private readonly begin: Tree;
  private readonly changes: NameChange[] = [];

  constructor(begin: ReadonlyMap<string, Buffer | string | null>) {
    for (const [path, content] of begin) {
      if (content === null) this.live.set(path, 'folder');
      else if (typeof content === 'string') this.live.set(path, { target: content });
      else this.live.set(path, { file: this.files.push({ base: content, changes: [] }) - 1 });
    }
    this.begin = new Map(this.live);
  }

  apply(change: Recorded): void {
    if ('ino' in change) this.applyToFile(change);
    else if (change.op === 'syncdir') this.syncNames(change.path);
    else if (change.op === 'rename') this.rename(change.path, change.to);
    else if (change.op !== 'answered') this.applyToNames(change);
  }

  private applyToFile(change: Extract<Recorded, { ino: number }>): void {
    if (change.op === 'create') {
      const file = this.files.push({ base: Buffer.alloc(0), changes: [] }) - 1;
      this.byNumber.set(change.ino, file);
      this.name([change.path], (tree) => tree.set(change.path, { file }));
      return;
    }
    const file = this.files[this.byNumber.get(change.ino) ?? -1];
    if (file === undefined) return;
    if (change.op === 'write') file.changes.push({ at: change.at, data: Buffer.from(change.data, 'base64') });
    else if (change.op === 'size') file.changes.push({ size: change.size });
    else Object.assign(file, { base: contents(file).at(-1)!, changes: [] });
  }

  private applyToNames(change: NamesOnly): void {
    const node: Node | null | undefined =
      change.op === 'mkdir'
        ? 'folder'
        : change.op === 'symlink'
          ? { target: change.target }
          : change.op === 'link'
            ? this.live.get(change.path)
            : null;
    const name = change.op === 'link' ? change.to : change.path;
    if (node === null) this.name([name], (tree) => tree.delete(name));
    else if (node !== undefined) this.name([name], (tree) => tree.set(name, node));
  }

  private syncNames(folder: string): void {
    for (const one of this.changes)
      if (one.names.some((name) => dirname(name) === folder)) one.durable = true;
  }

  private rename(from: string, to: string): void {
    const moved = [...this.live].filter(([path]) => path === from || path.startsWith(`${from}/`));
    if (moved.length === 0) return;
    this.name([from, to], (tree) => {
      // Of a folder, what is in it by then.
      for (const [path, node] of [...tree])
        if (path === from || path.startsWith(`${from}/`)) {
          tree.delete(path);
          tree.set(to + path.slice(from.length), node);
        }
      if (!tree.has(to)) tree.set(to, moved[0]![1]);
    });
  }

  private name(names: readonly string[], apply: (tree: Tree) => void): void {
    apply(this.live);
    this.changes.push({ names, apply, durable: false });
  }

  /** Names as the disk may have them. Half of the time in their order, as a journal of the file system keeps it. */
  namesAfter(random: Random): Tree {
    const tree: Tree = new Map(this.begin);
    const inOrder = random() < 0.5;
    const last = Math.floor(random() * (this.changes.length + 1));
    const likely = random();
    const missed = new Set<string>();
    for (const [at, { names, apply, durable }] of this.changes.entries()) {
      const isThere =
        durable || (inOrder ? at < last : random() < likely && !names.some((name) => missed.has(name)));
      if (isThere) apply(tree);
      else for (const name of names) missed.add(name);
    }
    return tree;
  }

  contentAfter(number: number, random: Random): Buffer {
    const versions = contents(this.files[number]!);
    const newest = versions.at(-1)!;
    const choice = random();
    if (versions.length === 1 || choice < 0.25) return newest;
    if (choice < 0.4) return versions[0]!;
    const { length } = versions[Math.floor(random() * versions.length)]!;
    const content = Buffer.alloc(length);
    const unit = random() < 0.5 ? 512 : 4096;
    for (let at = 0; at < length; at += unit) {
      const pick = random();
      const version =
        pick < 0.4 ? newest : pick < 0.7 ? versions[0]! : versions[Math.floor(random() * versions.length)]!;
      if (at < version.length) version.copy(content, at, at, Math.min(at + unit, length));
    }
    return content;
  }
}

/** What the disk has for certain, and the file after each change since. */
function contents({ base, changes }: ModelFile): Buffer[] {
  const versions = [base];
  for (const change of changes) {
    const before = versions.at(-1)!;
    const size = 'size' in change ? change.size : Math.max(before.length, change.at + change.data.length);
    const after = Buffer.alloc(size);
    before.copy(after, 0, 0, size);
    if ('data' in change) change.data.copy(after, change.at);
    versions.push(after);
  }
  return versions;
}
