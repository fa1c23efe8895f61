/**
 * Packs of others: a file or folder of the project, or an npm package that is installed there. Data, never code, and pinned: one
 * without the digest that was looked at, or with another one, is not in force and its place blocks.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { check, expectationOf, isError, pathText, sha256Hex, toData } from '../base/index.ts';
import { FileReport, parseYaml } from '../files/index.ts';
import { compilePack, type Pack } from './pack.ts';
import { completePack, PACK_FILE } from './shape.ts';
import { shippedShared } from './shipped.ts';

export type LoadedPacks =
  | { readonly ok: true; readonly packs: readonly Pack[] }
  | { readonly ok: false; readonly message: string };

const LARGEST = 1_048_576;
const MOST_FILES = 100;

export async function loadForeign(
  name: string,
  digest: string | undefined,
  dir: string,
): Promise<LoadedPacks> {
  let files: readonly PackFile[];
  try {
    files = filesOf(placeOf(name, dir)).map((file) => ({ ...file, path: relative(dir, file.path) }));
  } catch (thrown) {
    return refuse(name, `cannot be read: ${(thrown as Error).message}`);
  }
  if (files.length === 0) return refuse(name, 'holds no *.yaml');
  const own = `sha256:${filesDigest(files)}`;
  if (digest === undefined)
    return refuse(name, `is not pinned: look at it, then write {mode: enforce, digest: ${own}}`);
  if (digest !== own) return refuse(name, `is not what was pinned: want ${digest}, got ${own}`);
  const packs: Pack[] = [];
  for (const file of files) {
    const made = readPack(file, own);
    if (typeof made === 'string') return refuse(name, `${file.name}: ${made}`);
    packs.push(made);
  }
  return { ok: true, packs };
}

function refuse(name: string, why: string): LoadedPacks {
  return { ok: false, message: `the pack ${JSON.stringify(name)} ${why}` };
}

interface PackFile {
  readonly name: string;
  /** From the folder of the policy. */
  readonly path?: string;
  readonly text: string;
}

/** Where a pack of that name is read from: a file, a folder, or the folder of packs in a package. */
export function packPlaces(name: string, dir: string): string[] {
  const place = resolve(placeOf(name, dir));
  return [place, join(place, 'packs')];
}

function placeOf(name: string, dir: string): string {
  return name.startsWith('npm:') ? join(dir, 'node_modules', name.slice(4)) : join(dir, name);
}

function filesOf(place: string): Required<PackFile>[] {
  const stats = statSync(place);
  if (!stats.isDirectory()) return [fileAt(place, place.slice(place.lastIndexOf('/') + 1))];
  const own =
    readdirSync(place).includes('packs') && place.includes('node_modules') ? join(place, 'packs') : place;
  return readdirSync(own)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .slice(0, MOST_FILES)
    .map((name) => fileAt(join(own, name), name));
}

function fileAt(path: string, name: string): Required<PackFile> {
  const found = statSync(path);
  if (!found.isFile()) throw new Error(`${name} is not a file`);
  if (found.size > LARGEST) throw new Error(`${name} is larger than 1 MiB`);
  return { name, path, text: readFileSync(path, 'utf8') };
}

function filesDigest(files: readonly PackFile[]): string {
  return sha256Hex(files.map(({ name, text }) => `${name}\n${text.length}\n${text}`).join('\n'));
}

/** What a pack of one file is pinned by. */
export function packDigest(name: string, text: string): string {
  return `sha256:${filesDigest([{ name, text }])}`;
}

/** The pack, or what is wrong with it. */
export function readPack({ name, text, path = name }: PackFile, digest: string): Pack | string {
  const report = new FileReport(name, text);
  const root = parseYaml({ yaml: text, yamlStart: 0, body: '' }, report, `parse pack ${name}`);
  if (root === null) return report.firstError().message;
  const data = toData(root);
  const fault = check(PACK_FILE, data).find(isError);
  if (fault !== undefined) {
    const what =
      fault.kind === 'unknown' ? 'no key of a pack' : `want ${expectationOf(fault.field, fault.value)}`;
    return `${pathText(fault.path)}: ${what}`;
  }
  const rules = root.entries.get('rules')?.value;
  const siteOf = (at: number) =>
    rules?.kind === 'list' ? { file: path, line: report.lineOf(rules.items[at]!.start) } : undefined;
  const { pack, faults } = compilePack(completePack(data), shippedShared(), digest, siteOf);
  return faults.length === 0 ? pack : `rule ${faults[0]!.rule}: ${faults[0]!.message}`;
}
