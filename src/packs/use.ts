/**
 * `use:` of harness.md: which packs are in force and how, rule by rule. A name that does not exist is a mistake with the nearest
 * one in its message, and its stand-in blocks; a `use:` that cannot be understood puts every pack in force, because nobody knows which was meant.
 */
import { didYouMean } from '../base/index.ts';
import type { Mode } from '../engine/index.ts';
import type { WrittenUse } from '../files/index.ts';
import type { Pack, Rule } from './pack.ts';

export const USE_MODES = ['off', 'audit', 'ask', 'enforce'] as const;
export type UseMode = (typeof USE_MODES)[number];

/** One line of it. */
export interface UseEntry {
  readonly name: string;
  readonly mode: UseMode;
  /** Of a pack from elsewhere. */
  readonly digest?: string;
}

export function entriesOf(use: WrittenUse): UseEntry[] {
  const items = Array.isArray(use) ? use : [use];
  return items.flatMap((item): UseEntry[] => {
    if (typeof item === 'string') return [{ name: item, mode: 'enforce' }];
    return Object.entries(item as Record<string, unknown>).map(([name, value]) => entryOf(name, value));
  });
}

function entryOf(name: string, value: unknown): UseEntry {
  // YAML of another dialect has `off` as a word for false.
  if (value === false) return { name, mode: 'off' };
  if (value === true || value === null) return { name, mode: 'enforce' };
  if (typeof value === 'string') return { name, mode: value as UseMode };
  const { mode = 'enforce', digest } = value as { mode?: UseMode; digest?: string };
  return { name, mode, ...(digest !== undefined && { digest }) };
}

/** A pack of somebody else is named by where it stands. */
export function isForeign(name: string): boolean {
  return name.startsWith('./') || name.startsWith('../') || name.startsWith('npm:');
}

/** A pack with the mode of each of its rules. */
export interface UsedPack {
  readonly pack: Pack;
  readonly modes: ReadonlyMap<Rule, UseMode>;
}

/** A name that does not exist; `off`: it was not to be in force anyway. */
export interface UseFault {
  readonly message: string;
  readonly off: boolean;
}

export interface ResolvedPack {
  readonly used: readonly UsedPack[];
  readonly faults: readonly UseFault[];
}

/** `packs` are those that could be loaded, by the name used in the file; a folder may hold several. */
export function resolveUse(
  entries: readonly UseEntry[],
  packs: ReadonlyMap<string, readonly Pack[]>,
): ResolvedPack {
  const faults: UseFault[] = [];
  const modes = new Map<Pack, Map<Rule, UseMode>>();
  const set = (pack: Pack, rules: readonly Rule[], mode: UseMode) => {
    const own = modes.get(pack) ?? new Map<Rule, UseMode>();
    for (const rule of rules) own.set(rule, mode);
    modes.set(pack, own);
  };
  // Packs first, so that a rule may be named before its pack.
  for (const { name, mode } of entries) {
    for (const pack of packs.get(name) ?? []) set(pack, pack.rules, mode);
  }
  const known = [...packs.values()].flat();
  for (const { name, mode } of entries) {
    if (packs.has(name) || isForeign(name)) continue;
    const rule = known.flatMap(({ rules }) => rules).find((each) => each.name === name);
    const pack = known.find((each) => each.name === rule?.pack);
    if (rule === undefined || pack === undefined)
      faults.push({ message: unknownName(name, known), off: mode === 'off' });
    else set(pack, [rule], mode);
  }
  return { used: [...modes].map(([pack, own]) => ({ pack, modes: own })), faults };
}

export function unknownName(name: string, packs: readonly Pack[]): string {
  const [pack = '', rule] = name.split('/');
  const owner = packs.find((each) => each.name === pack);
  if (rule !== undefined && owner !== undefined) {
    return `there is no rule ${JSON.stringify(name)}${didYouMean(
      name,
      owner.rules.map((each) => each.name),
    )}`;
  }
  const names = packs.flatMap((each) => [each.name, ...each.rules.map((one) => one.name)]);
  return `there is no pack or rule ${JSON.stringify(name)}${didYouMean(name, names)}`;
}

/** How a hook of the pipeline carries out a mode. */
export function hookMode(mode: UseMode): Mode {
  return mode === 'audit' ? 'shadow' : 'enforce';
}
