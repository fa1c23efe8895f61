/**
 * The packs that ship. Their text is made from `packs/*.yaml` by `npm run build`, with digest and index, after every rule was
 * compiled there: nothing has to be found on disk, parsed as YAML or checked when a policy is opened, and a rule is not even
 * read before a command concerns it.
 */
import { namesOf, type Pack, type Rule, type SharedNames, sharedNames } from './pack.ts';
import { type IndexPlan, PlannedIndex } from './rule-index.ts';
import type { WrittenPack, WrittenRule, WrittenShared } from './shape.ts';
import { shippedText } from './shipped-text.ts';

/** A pack in the first line of that text, with the names of its rules; a line for each rule follows, in their order. */
export interface ShippedPack extends Omit<WrittenPack, 'rules'> {
  readonly digest: string;
  readonly rules: readonly string[];
  /** The line of each in `packs/NAME.yaml`. */
  readonly lines: readonly number[];
  readonly index: IndexPlan;
}

export interface Shipped {
  readonly shared: WrittenShared;
  readonly packs: readonly ShippedPack[];
}

let written: Shipped | null = null;
/** Of all rules of all packs. */
let texts: readonly string[] = [];
let shared: SharedNames | null = null;
const compiled = new Map<string, Pack>();

function shipped(): Shipped {
  if (written === null) {
    const [head, ...lines] = shippedText().split('\n');
    written = JSON.parse(head!) as Shipped;
    texts = lines;
  }
  return written;
}

export function shippedShared(): SharedNames {
  shared ??= sharedNames(shipped().shared);
  return shared;
}

/** In the order in which they are shown. */
export function shippedNames(): readonly string[] {
  return shipped().packs.map(({ pack }) => pack);
}

class ShippedRule implements Rule {
  readonly name: string;
  readonly pack: string;
  readonly site: Rule['site'];
  private readonly text: string;
  private read: WrittenRule | null = null;

  constructor(pack: string, id: string, line: number, text: string) {
    this.name = `${pack}/${id}`;
    this.pack = pack;
    this.site = { file: `harness-hooks/packs/${pack}.yaml`, line };
    this.text = text;
  }

  get written(): WrittenRule {
    this.read ??= JSON.parse(this.text) as WrittenRule;
    return this.read;
  }
}

export function shippedPack(name: string): Pack | null {
  const before = compiled.get(name);
  if (before !== undefined) return before;
  const { packs } = shipped();
  const place = packs.findIndex(({ pack }) => pack === name);
  const found = packs[place];
  if (found === undefined) return null;
  const first = packs.slice(0, place).reduce((count, { rules }) => count + rules.length, 0);
  const { version, description, digest } = found;
  const rules = found.rules.map((id, at) => new ShippedRule(name, id, found.lines[at]!, texts[first + at]!));
  const index = new PlannedIndex(found.index, rules, namesOf(found, shippedShared()));
  const pack = { name, version, description, rules, digest, index };
  compiled.set(name, pack);
  return pack;
}

export function isShipped(pack: Pack): boolean {
  return compiled.get(pack.name) === pack;
}

export function shippedPacks(): readonly Pack[] {
  return shippedNames().map((name) => shippedPack(name)!);
}
