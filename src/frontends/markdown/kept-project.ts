/**
 * What was made of the Markdown files of a folder, as data, so that a process that decides once need not read them again. It
 * counts only as long as every file that was read is still there with the same text, and no other that would be: the texts
 * themselves are held against each other. Folders in which something is wrong, and what needs more than this, are not kept.
 */
import type { Problem } from '../../base/errors.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { loadArtifact } from '../../files/artifact.ts';
import { decode, readBytes } from '../../files/read-file.ts';
import type { HookTest, ProjectSettings, ReadResult } from '../project-reader.ts';
import { readHarnessFile } from './harness-file.ts';
import { type KeptHook, keptHook } from './kept-hook.ts';

export interface KeptSource {
  readonly path: string;
  /** What is on disk, a character for each byte. */
  readonly bytes: string;
  /** SHA-256 of it. */
  readonly digest: string;
}

export interface KeptProject {
  /** Every file in the order they are read. */
  readonly sources: readonly KeptSource[];
  /** How many of them are `harness.md`. */
  readonly harness: number;
  readonly hooks: readonly KeptHook[];
  readonly problems: readonly Problem[];
  readonly tests: readonly HookTest[];
  readonly settings: ProjectSettings;
}

/** Where such data is kept; both never throw. */
export interface KeptProjects {
  find(dir: string, inside: string): KeptProject | null;
  /** `make` gives null for what cannot be kept, and is called when nobody waits any more. */
  offer(dir: string, inside: string, make: () => KeptProject | null): void;
}

/** Whether the files that are there now are those that were read. `paths` are the ones that would be read. */
export function isSame(dir: string, { sources, harness }: KeptProject, paths: Paths | null): boolean {
  if (paths === null) return false;
  if (harness !== paths.harness.length || sources.length !== harness + paths.hooks.length) return false;
  return [...paths.harness, ...paths.hooks].every((path, at) => {
    const known = sources[at]!;
    if (known.path !== path) return false;
    const read = readBytes(dir, path);
    return read instanceof Uint8Array && read.toString('latin1') === known.bytes;
  });
}

export interface Paths {
  readonly harness: readonly string[];
  readonly hooks: readonly string[];
}

/** The result of reading, without what has to be looked for each time. */
export function fromKept(dir: string, kept: KeptProject): ReadResult {
  const byPath = new Map(kept.sources.map((source) => [source.path, source]));
  return {
    hooks: kept.hooks.map((hook) => keptHook(hook, () => textOf(byPath.get(hook.hook.source)!))),
    broken: [],
    problems: kept.problems,
    files: kept.sources.map(({ path }) => path),
    digests: new Map(kept.sources.map(({ path, digest }) => [path, digest])),
    tests: kept.tests,
    settings: kept.settings,
    get harness() {
      return kept.sources
        .slice(0, kept.harness)
        .map(({ path }) => readHarnessFile(loadArtifact(dir, path, '', { plainTextIsFine: true })));
    },
    powers: [],
  };
}

/** Null if what is on disk is not, or not any more, what was read. */
export function keepSource(dir: string, path: string, text: string): KeptSource | null {
  const read = readBytes(dir, path);
  if (!(read instanceof Uint8Array)) return null;
  const decoded = decode(read);
  if (!decoded.ok || decoded.text !== text) return null;
  return { path, bytes: read.toString('latin1'), digest: sha256Hex(read) };
}

function textOf({ bytes }: KeptSource): string {
  const decoded = decode(Buffer.from(bytes, 'latin1'));
  return decoded.ok ? decoded.text : '';
}
