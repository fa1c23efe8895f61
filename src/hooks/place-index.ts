/**
 * Which hooks of a chain a value of the indexed key concerns: by the value itself, by how it begins, by how it ends. A plan is
 * worked out once for a value and is the same array from then on. A value nobody asks for costs a few look-ups, however many
 * hooks there are.
 */
import type { Selects } from './hook.ts';

/** Names of tools are few; a caller that makes up new ones must not fill the memory. */
const MOST_PLANS = 4096;

type Places = number[];

export class PlaceIndex {
  /** Places of the hooks that are visited whatever the value is. */
  private readonly always: readonly number[];
  private readonly exact = new Map<string, Places>();
  private readonly prefixes = new Edges();
  private readonly suffixes = new Edges();
  private readonly plans = new Map<string, readonly number[]>();

  constructor(always: readonly number[], indexed: Iterable<readonly [place: number, Selects]>) {
    this.always = always;
    for (const [place, { values, prefixes = [], suffixes = [] }] of indexed) {
      for (const value of new Set(values)) add(this.exact, value, place);
      for (const text of new Set(prefixes)) this.prefixes.add(text, place);
      for (const text of new Set(suffixes)) this.suffixes.add(text, place);
    }
  }

  /** In the order in which they run. */
  plan(value: string): readonly number[] {
    const known = this.plans.get(value);
    if (known !== undefined) return known;
    const plan = this.made(value);
    if (this.plans.size >= MOST_PLANS) this.plans.clear();
    this.plans.set(value, plan);
    return plan;
  }

  private made(value: string): readonly number[] {
    const found = new Set<number>(this.exact.get(value));
    this.prefixes.find((length) => value.slice(0, length), value.length, found);
    this.suffixes.find((length) => value.slice(value.length - length), value.length, found);
    if (found.size === 0) return this.always;
    return [...this.always, ...found].sort((a, b) => a - b);
  }
}

/** Texts of a few lengths: each length is one look-up. */
class Edges {
  private readonly byText = new Map<string, Places>();
  private readonly lengths = new Set<number>();

  add(text: string, place: number): void {
    this.lengths.add(text.length);
    add(this.byText, text, place);
  }

  find(part: (length: number) => string, longest: number, found: Set<number>): void {
    for (const length of this.lengths) {
      if (length > longest) continue;
      for (const place of this.byText.get(part(length)) ?? []) found.add(place);
    }
  }
}

function add(map: Map<string, Places>, text: string, place: number): void {
  const places = map.get(text);
  if (places === undefined) map.set(text, [place]);
  else places.push(place);
}
