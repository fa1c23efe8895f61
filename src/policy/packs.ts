/**
 * The packs of rules of every layer as hooks. A layer can only add: what one switches off stays in force for another, and an
 * exception counts for rules of its own layer and of those below.
 */
import type { Problem } from '../base/index.ts';
import type { Hook, HookLayer } from '../engine/index.ts';
import { brokenHook, type UseInFile } from '../frontends/index.ts';
import {
  type Exception,
  entriesOf,
  isForeign,
  loadForeign,
  PACK_PRIORITY,
  type Pack,
  packHooks,
  packPlaces,
  readException,
  resolveUse,
  shippedPacks,
  type UsedPack,
  type UseEntry,
  unknownName,
} from '../packs/index.ts';

export interface PackLayer extends HookLayer {
  readonly dir: string;
  readonly use: readonly UseInFile[];
}

/** A pack that is in force, and for whom. */
export interface LayerPack extends UsedPack {
  readonly layer: string;
}

export interface PackParts {
  readonly hooks: readonly Hook[];
  readonly problems: readonly Problem[];
  readonly packs: readonly LayerPack[];
  readonly exceptions: readonly Exception[];
  /** Files and folders that packs of others are read from, absolute. */
  readonly sources: readonly string[];
}

/** `layers` from the highest authority to the lowest. */
export async function packParts(layers: readonly PackLayer[]): Promise<PackParts> {
  const parts = { hooks: [] as Hook[], problems: [] as Problem[], packs: [] as LayerPack[] };
  const exceptions: Exception[] = [];
  const sources = layers.flatMap(foreignSources);
  for (const layer of layers) {
    for (const file of layer.use) {
      const read = readUse(file, layer, await foreignPacks(file, layer, parts.problems, parts.hooks));
      exceptions.push(...read.exceptions);
      parts.problems.push(...read.problems);
      // What a name that does not exist was to guard, nobody knows.
      for (const [at, problem] of read.unknown.entries())
        parts.hooks.push(...standIns(file, layer, `unknown_${at + 1}`, problem));
      parts.packs.push(...read.used.map((used) => ({ ...used, layer: layer.name })));
      const { name, rank, allowedDomains } = layer;
      const own: HookLayer = { name, rank, ...(allowedDomains !== undefined && { allowedDomains }) };
      for (const [position, used] of read.used.entries()) {
        const place = { file: file.file, line: file.line, position: 1000 + 2 * position };
        parts.hooks.push(...packHooks(used, [...exceptions], place).map((hook) => ({ ...hook, layer: own })));
      }
    }
  }
  return { ...parts, exceptions, sources };
}

function readUse(file: UseInFile, { dir }: PackLayer, foreign: ReadonlyMap<string, readonly Pack[]>) {
  const shipped = shippedPacks();
  const packs = new Map<string, readonly Pack[]>([
    ...shipped.map((pack) => [pack.name, [pack]] as const),
    ...foreign,
  ]);
  // What cannot be understood may have meant any of them.
  const entries: readonly UseEntry[] =
    file.use === null ? shipped.map(({ name }) => ({ name, mode: 'enforce' })) : entriesOf(file.use);
  const { used, faults } = resolveUse(entries, packs);
  const unknown: Problem[] = [];
  const problems = faults.map(({ message, off }) => {
    const problem = problemAt(file, 'PACK_UNKNOWN', `use: ${message}`);
    if (!off) unknown.push(problem);
    return problem;
  });
  const exceptions = file.exceptions.flatMap((written, at): Exception[] => {
    const read = readException(written, dir);
    if (!read.ok) {
      problems.push(problemAt(file, 'EXCEPTION_INVALID', `exceptions[${at}].${read.message}`));
      return [];
    }
    const all = [...packs.values()].flat();
    const known = all.some(
      ({ name, rules }) => name === written.rule || rules.some((rule) => rule.name === written.rule),
    );
    if (known) return [read.exception];
    problems.push(problemAt(file, 'PACK_UNKNOWN', `exceptions[${at}]: ${unknownName(written.rule, all)}`));
    return [];
  });
  return { used, problems, unknown, exceptions };
}

/** Packs from elsewhere by the name that names them; each that cannot be loaded leaves a stand-in that blocks. */
async function foreignPacks(
  file: UseInFile,
  { dir, name, rank }: PackLayer,
  problems: Problem[],
  hooks: Hook[],
): Promise<ReadonlyMap<string, readonly Pack[]>> {
  const found = new Map<string, readonly Pack[]>();
  for (const entry of foreignEntries(file)) {
    const loaded = await loadForeign(entry.name, entry.digest, dir);
    if (loaded.ok) found.set(entry.name, loaded.packs);
    else {
      const problem = problemAt(file, 'PACK_INVALID', loaded.message);
      problems.push(problem);
      hooks.push(...standIns(file, { name, rank }, entry.name, problem));
    }
  }
  return found;
}

function foreignEntries({ use }: UseInFile): UseEntry[] {
  if (use === null) return [];
  return entriesOf(use).filter(({ name, mode }) => isForeign(name) && mode !== 'off');
}

function foreignSources({ dir, use }: PackLayer): string[] {
  return use.flatMap(foreignEntries).flatMap(({ name }) => packPlaces(name, dir));
}

/** In place of a pack that is not there: it blocks what the pack would have judged. */
function standIns(file: UseInFile, { name, rank }: HookLayer, pack: string, problem: Problem): Hook[] {
  const broken = {
    name: `pack:${pack}`,
    event: 'tool.pre',
    priority: PACK_PRIORITY,
    mode: 'enforce',
    source: file.file,
    position: 999,
    frontEnd: 'packs',
    problem,
  } as const;
  return brokenHook(broken).map((hook) => ({ ...hook, layer: { name, rank } }));
}

function problemAt({ file, line }: UseInFile, code: Problem['code'], message: string): Problem {
  return { severity: 'error', code, message, position: { file, line, col: 1 } };
}
