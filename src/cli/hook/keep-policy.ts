/**
 * The policy of a session, kept by digest: a copy of every file it was read from, so that a change made behind the back of the
 * people who answer for it does not take effect in mid-session.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { leadsOut } from '../../files/read-file.ts';
import type { KeptLayer, LoadedLayer } from '../../policy/loaded-layer.ts';
import type { Policy } from '../../policy/policy.ts';

const MANIFEST = 'layers.json';

/** Written beside and moved into place: half a copy is never read. Throws what the file system throws. */
export function keepPolicy(folder: string, { digest, layers }: Policy, scratch: string): void {
  const place = join(folder, digest.digest);
  if (existsSync(join(place, MANIFEST))) return;
  const beside = `${place}.${scratch}`;
  try {
    const kept = layers.map((layer, i) => {
      const { kind, name, rank, dir, insides, broken } = layer;
      mkdirSync(join(beside, String(i)), { recursive: true, mode: 0o700 });
      for (const file of new Set([...layer.project.files, ...programsOf(layer)])) {
        const to = join(beside, String(i), file);
        mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
        if (existsSync(join(dir, file)))
          cpSync(join(dir, file), to, { recursive: true, dereference: !isLent(dir, file), filter: hasEnd });
      }
      return { kind, name, rank, dir, insides, ...(broken !== undefined && { broken }) };
    });
    writeFileSync(join(beside, MANIFEST), JSON.stringify(kept), { mode: 0o600 });
    renameSync(beside, place);
  } catch (thrown) {
    rmSync(beside, { recursive: true, force: true });
    // Another process was first.
    if (!existsSync(join(place, MANIFEST))) throw thrown;
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
  const files = project.hooks.flatMap(({ power }) =>
    Object.keys(power?.files ?? {}).map((name) => relative(dir, join(power!.root, name))),
  );
  return files.filter((name) => !name.startsWith('..'));
}

/** Null if it was not kept. */
export function keptLayers(folder: string, digest: string): KeptLayer[] | null {
  const place = join(folder, digest);
  try {
    const layers = JSON.parse(readFileSync(join(place, MANIFEST), 'utf8')) as KeptLayer[];
    return layers.map((layer, i) => ({ ...layer, copy: join(place, String(i)) }));
  } catch {
    return null;
  }
}
