/**
 * The files of a policy as bytes: one JSON object of paths, the same bytes for the same files. A machine unpacks it into a folder of
 * its own; a path never leads out of it.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { canonicalJson, HarnessError, isJsonObject } from '../../base/index.ts';
import { untrusted } from './metadata.ts';

export interface PackedFile {
  /** Base64. */
  readonly content: string;
  readonly executable?: true;
}

export type PackedFiles = Readonly<Record<string, PackedFile>>;

export const MOST_FILES = 2000;
export const MOST_BYTES = 8 * 1024 * 1024;

/** What stands in a policy folder and is no policy: records of work, and what belongs to the machine. */
const LEFT_OUT = ['runs', 'state', 'approvals', 'guard', 'cache', 'trust'];
const TOP = ['.harness', 'harness.md', 'agent.json', 'harn.toml'];

/** `further`: files outside these folders that hooks run, from the folder. Throws FLEET_REFUSED for a link or too much. */
export function packFolder(dir: string, further: readonly string[]): PackedFiles {
  const isProject = existsAs(join(dir, '.harness')) === 'folder';
  const roots = isProject ? TOP : readdirSync(dir);
  const paths = new Set(further);
  for (const root of roots)
    if (!LEFT_OUT.includes(root)) for (const path of walk(dir, root, 0)) paths.add(path);
  if (paths.size > MOST_FILES) throw refused(`${dir} has more than ${MOST_FILES} files`);
  const files: Record<string, PackedFile> = {};
  let bytes = 0;
  for (const path of [...paths].sort()) {
    const content = readFileSync(join(dir, path));
    bytes += content.length;
    if (bytes > MOST_BYTES) throw refused(`the policy in ${dir} is larger than ${MOST_BYTES} bytes`);
    const executable = (lstatSync(join(dir, path)).mode & 0o100) !== 0;
    files[path] = { content: content.toString('base64'), ...(executable && { executable }) };
  }
  return files;
}

function walk(dir: string, path: string, depth: number): string[] {
  const kind = existsAs(join(dir, path));
  if (kind === null) return [];
  if (kind === 'file') return [path];
  if (kind === 'other')
    throw refused(
      `${path} is a link or no plain file; a policy that is published has its files in its folder`,
    );
  const names = readdirSync(join(dir, path)).filter((name) => depth > 0 || !LEFT_OUT.includes(name));
  return names.flatMap((name) => walk(dir, `${path}/${name}`, depth + 1));
}

function existsAs(path: string): 'file' | 'folder' | 'other' | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
}

export function packedBytes(files: PackedFiles): Buffer {
  return Buffer.from(canonicalJson({ files }));
}

/** Throws FLEET_UNTRUSTED if the bytes are no archive. */
export function readPacked(bytes: Uint8Array): PackedFiles {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw untrusted('the archive is damaged: it is no JSON');
  }
  const files = isJsonObject(value) && isJsonObject(value.files) ? value.files : null;
  if (files === null) throw untrusted('the archive is damaged: it has no files');
  const paths = Object.keys(files);
  if (paths.length === 0) throw untrusted('the archive is empty');
  if (paths.length > MOST_FILES) throw untrusted(`the archive has more than ${MOST_FILES} files`);
  for (const path of paths) {
    const file = files[path];
    if (!isJsonObject(file) || typeof file.content !== 'string' || !isInside(path))
      throw untrusted(`the archive has a file that cannot be unpacked: ${JSON.stringify(path)}`);
  }
  return files as unknown as PackedFiles;
}

function isInside(path: string): boolean {
  return (
    !path.includes('\0') &&
    !path.includes('\\') &&
    path.split('/').every((part) => !['', '.', '..'].includes(part))
  );
}

/** Into a folder that is new. `shared`: other users of the machine read it. */
export function unpackTo(folder: string, files: PackedFiles, shared: boolean): void {
  const [folderMode, fileMode] = shared ? [0o755, 0o644] : [0o700, 0o600];
  for (const [path, { content, executable }] of Object.entries(files)) {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true, mode: folderMode });
    writeFileSync(to, Buffer.from(content, 'base64'), { flag: 'wx' });
    // Whatever the umask of this process takes away.
    chmodSync(to, executable === true ? folderMode : fileMode);
    for (let parent = dirname(to); parent.length >= folder.length; parent = dirname(parent))
      chmodSync(parent, folderMode);
  }
}

/** Whether a folder holds these files and no others. */
export function isUnpacked(folder: string, files: PackedFiles): boolean {
  try {
    const found = readdirSync(folder).flatMap((name) => allIn(folder, name));
    return (
      found.length === Object.keys(files).length &&
      found.every((path) => files[path]?.content === readFileSync(join(folder, path)).toString('base64'))
    );
  } catch {
    return false;
  }
}

function allIn(folder: string, path: string): string[] {
  if (existsAs(join(folder, path)) !== 'folder') return [relative(folder, join(folder, path))];
  return readdirSync(join(folder, path)).flatMap((name) => allIn(folder, `${path}/${name}`));
}

function refused(message: string): HarnessError {
  return new HarnessError('FLEET_REFUSED', message);
}
