/**
 * Which hooks of a chain a payload concerns, by one key of it: the value itself, how it begins, how it ends. A plan is worked out
 * once for a value and is the same array from then on.
 */
import { BoundedMap } from '../base/index.ts';
import type { IndexableTest } from './hook.ts';

/** Names of tools are few; a caller that makes up new ones must not fill the memory. */
const MOST_PLANS = 4096;

type HookPositions = number[];

export class HookIndex {
  /** Places of the hooks that are visited whatever the value is. */
  private readonly always: readonly number[];
  private readonly exact = new Map<string, HookPositions>();
  private readonly prefixes = new Edges();
  private readonly suffixes = new Edges();
  private readonly plans = new BoundedMap<string, readonly number[]>(MOST_PLANS);
  /** For a tool whose agent has another name for it. */
  private readonly renamedPlans = new BoundedMap<string, readonly number[]>(MOST_PLANS);

  constructor(always: readonly number[], indexed: Iterable<readonly [place: number, IndexableTest]>) {
    this.always = always;
    for (const [place, { values, prefixes = [], suffixes = [] }] of indexed) {
      for (const value of new Set(values)) add(this.exact, value, place);
      for (const text of new Set(prefixes)) this.prefixes.add(text, place);
      for (const text of new Set(suffixes)) this.suffixes.add(text, place);
    }
  }

  /** In the order in which they run. `own`: another value of which the conditions may speak, the agent's own name of a tool. */
  plan(value: string, own: string | null): readonly number[] {
    const isRenamed = own !== null && own !== value;
    const plans = isRenamed ? this.renamedPlans : this.plans;
    // The length tells where the first name ends: no two pairs have one key.
    const key = isRenamed ? `${value.length} ${value}${own}` : value;
    const known = plans.get(key);
    if (known !== undefined) return known;
    const found = new Set<number>();
    this.find(value, found);
    if (isRenamed) this.find(own, found);
    const plan = found.size === 0 ? this.always : [...this.always, ...found].sort((a, b) => a - b);
    plans.set(key, plan);
    return plan;
  }

  private find(value: string, found: Set<number>): void {
    addAll(found, this.exact.get(value) ?? []);
    this.prefixes.find((length) => value.slice(0, length), value.length, found);
    this.suffixes.find((length) => value.slice(value.length - length), value.length, found);
  }
}

/** Texts of a few lengths: each length is one look-up. */
class Edges {
  private readonly byText = new Map<string, HookPositions>();
  private readonly lengths = new Set<number>();

  add(text: string, place: number): void {
    this.lengths.add(text.length);
    add(this.byText, text, place);
  }

  find(part: (length: number) => string, longest: number, found: Set<number>): void {
    for (const length of this.lengths) {
      if (length <= longest) addAll(found, this.byText.get(part(length)) ?? []);
    }
  }
}

function add(map: Map<string, HookPositions>, text: string, place: number): void {
  const places = map.get(text);
  if (places === undefined) map.set(text, [place]);
  else places.push(place);
}

function addAll(found: Set<number>, places: readonly number[]): void {
  for (const place of places) found.add(place);
}
