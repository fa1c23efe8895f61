/**
 * The policy of a session, kept by digest: a copy of every file it was read from, so that a change made behind the back of the
 * people who answer for it does not take effect in mid-session.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { leadsOut } from '../files/index.ts';
import { bootMark, inTurns, isOfEarlierBoot, makeFolder } from '../machine/index.ts';
import type { CopiedLayer, LoadedLayer, Policy } from '../policy/index.ts';

const MANIFEST = 'layers.json';
/** More than any copy takes: a process that was at it was killed, or ended at its deadline. */
const ABANDONED_MS = 600_000;

/** Written beside and moved into place: half a copy is never read. Throws what the file system throws. */
export async function savePolicyCopy(
  folder: string,
  { digest, layers }: Policy,
  scratch: string,
): Promise<void> {
  const place = join(folder, digest.digest);
  if (isOfThisBoot(place)) return;
  const beside = `${place}.${scratch}`;
  try {
    makeFolder(folder, 0o700);
    mkdirSync(beside, { mode: 0o700 });
    clearAbandoned(folder, beside);
    const kept: Omit<CopiedLayer, 'copy'>[] = [];
    for (const [i, layer] of layers.entries()) {
      const { kind, name, rank, dir, insides, broken } = layer;
      mkdirSync(join(beside, String(i)), { mode: 0o700 });
      for await (const file of inTurns(new Set([...layer.project.files, ...programsOf(layer)]))) {
        const to = join(beside, String(i), file);
        mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
        const { bytes, mode } = layer.project.snapshot.content(file);
        const lent = isLent(dir, file);
        // As it was read: the file may have changed since.
        if (bytes !== null && !lent) writeFileSync(to, bytes, { mode: mode | 0o600 });
        else if (existsSync(join(dir, file)))
          cpSync(join(dir, file), to, { recursive: true, dereference: !lent, filter: hasEnd });
      }
      kept.push({ kind, name, rank, dir, insides, ...(broken !== undefined && { broken }) });
    }
    writeFileSync(join(beside, MANIFEST), JSON.stringify({ boot: bootMark(), layers: kept }), {
      mode: 0o600,
    });
    // Another session was at it too, and came first.
    if (isOfThisBoot(place)) return rmSync(beside, { recursive: true });
    // Its files are not synced: a copy of an earlier boot may be damaged, and makes room.
    const old = `${beside}.old`;
    if (existsSync(place)) renameSync(place, old);
    renameSync(beside, place);
    rmSync(old, { recursive: true, force: true });
  } catch (thrown) {
    rmSync(beside, { recursive: true, force: true });
    // Another process was first.
    if (!isOfThisBoot(place)) throw thrown;
  }
}

/** Half copies of other processes; `beside` is the newest. */
function clearAbandoned(folder: string, beside: string): void {
  const now = statSync(beside).mtimeMs;
  for (const name of readdirSync(folder).filter((each) => each.includes('.'))) {
    const path = join(folder, name);
    const { mtimeMs = now } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (now - mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** A table or library that was refused for where its link leads. It stays a link: a copy would be a file, and read. */
function isLent(dir: string, file: string): boolean {
  return /(?:^|\/)(?:data|lib)\/[^/]+$/.test(file) && leadsOut(dir, file);
}

/** Not a pipe or a device, nor a link to one: the digest knows them as unreadable, and so they are in the copy. */
function hasEnd(path: string): boolean {
  const found = statSync(path);
  return found.isFile() || found.isDirectory();
}

/** What its hooks run is part of it: a guard whose program is not there decides nothing. */
function programsOf({ dir, project }: LoadedLayer): string[] {
  const files = project.hooks.flatMap(({ capability }) =>
    Object.keys(capability?.files ?? {}).map((name) => relative(dir, join(capability!.root, name))),
  );
  return files.filter((name) => !name.startsWith('..'));
}

interface Manifest {
  /** The start of the machine that the copy was made in. */
  readonly boot: string;
  readonly layers: readonly CopiedLayer[];
}

/** Null if there is none, or a loss of power damaged it. */
function manifestOf(place: string): Manifest | null {
  try {
    const manifest = JSON.parse(readFileSync(join(place, MANIFEST), 'utf8')) as Manifest;
    return Array.isArray(manifest.layers) ? manifest : null;
  } catch {
    return null;
  }
}

function isOfThisBoot(place: string): boolean {
  const manifest = manifestOf(place);
  return manifest !== null && !isOfEarlierBoot(manifest.boot ?? '');
}

/** Null if it was not kept. */
export function loadPolicyCopy(folder: string, digest: string): CopiedLayer[] | null {
  const place = join(folder, digest);
  return manifestOf(place)?.layers.map((layer, i) => ({ ...layer, copy: join(place, String(i)) })) ?? null;
}
