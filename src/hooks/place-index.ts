/**
 * Which hooks of a chain a payload concerns: by a key of it and by the keys of its arguments; by a value itself, by how it begins,
 * by how it ends, by whether it is there. A plan is worked out once for a value and is the same array from then on. What nobody
 * asks for costs a few look-ups, however many hooks there are.
 */
import type { JsonObject } from '../base/json.ts';
import type { ArgumentTest, Selects } from './hook.ts';

/** Names of tools are few; a caller that makes up new ones must not fill the memory. */
const MOST_PLANS = 4096;

type Places = number[];

export class PlaceIndex {
  /** Places of the hooks that are visited whatever the value is. */
  private readonly always: readonly number[];
  private readonly texts = new Texts();
  private readonly plans = new Map<string, readonly number[]>();
  private readonly args = new Map<string, ArgumentIndex>();
  /** The keys of arguments that somebody misses. */
  private readonly missed: ArgumentIndex[] = [];

  constructor(always: readonly number[], indexed: Iterable<readonly [place: number, Selects]>) {
    this.always = always;
    for (const [place, selects] of indexed) {
      this.texts.add(selects, place);
      for (const test of selects.args ?? []) this.argument(test.key).add(test, place);
    }
    for (const index of this.args.values()) if (index.absent.length > 0) this.missed.push(index);
  }

  /** Whether a payload must have arguments for a plan. */
  get asksArguments(): boolean {
    return this.args.size > 0;
  }

  /** In the order in which they run. */
  plan(value: string, args: JsonObject | null): readonly number[] {
    const known = this.plans.get(value) ?? this.remember(value);
    if (args === null) return known;
    const found = this.concerned(args);
    return found === null ? known : inOrder(known, found);
  }

  private remember(value: string): readonly number[] {
    const found = new Set<number>();
    this.texts.find(value, found);
    const plan = found.size === 0 ? this.always : inOrder(this.always, found);
    if (this.plans.size >= MOST_PLANS) this.plans.clear();
    this.plans.set(value, plan);
    return plan;
  }

  private concerned(args: JsonObject): Set<number> | null {
    const found = new Set<number>();
    const keys = Object.keys(args);
    // The fewer are looked up among the more: a call may have thousands of keys, and so may a policy.
    if (keys.length <= this.args.size) {
      for (const key of keys) this.args.get(key)?.find(args[key], found);
    } else {
      for (const [key, index] of this.args) if (Object.hasOwn(args, key)) index.find(args[key], found);
    }
    for (const { key, absent } of this.missed) if (!Object.hasOwn(args, key)) addAll(found, absent);
    return found.size === 0 ? null : found;
  }

  private argument(key: string): ArgumentIndex {
    let index = this.args.get(key);
    if (index === undefined) this.args.set(key, (index = new ArgumentIndex(key)));
    return index;
  }
}

/**
 * Of what may be said of each hook, the part that the fewest others share: a thousand guards of one tool are told apart by its
 * arguments, a thousand that look at one argument by the tool.
 */
export function mostTelling(
  candidates: Iterable<readonly [place: number, readonly Selects[]]>,
): readonly [number, Selects][] {
  const all = [...candidates];
  const uses = new Map<string, number>();
  for (const [, parts] of all) {
    if (parts.length > 1)
      for (const part of parts) for (const word of wordsOf(part)) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  const crowd = (part: Selects) => Math.max(0, ...wordsOf(part).map((word) => uses.get(word) ?? 0));
  return all.map(([place, [first, ...others]]) => {
    const best = others.reduce((a, b) => (crowd(b) < crowd(a) ? b : a), first!);
    return [place, best];
  });
}

function wordsOf({ key, values, prefixes = [], suffixes = [], args = [] }: Selects): string[] {
  const own = [
    ...values.map((v) => `=${v}`),
    ...prefixes.map((v) => `^${v}`),
    ...suffixes.map((v) => `$${v}`),
  ];
  const words = own.map((word) => JSON.stringify([key, word]));
  for (const { key: name, present, absent, values = [], prefixes = [], suffixes = [] } of args) {
    const asked = [
      ...values.map((v) => `=${v}`),
      ...prefixes.map((v) => `^${v}`),
      ...suffixes.map((v) => `$${v}`),
    ];
    if (present === true) asked.push('*');
    if (absent === true) asked.push('-');
    words.push(...asked.map((word) => JSON.stringify(['args', name, word])));
  }
  return words;
}

/** The hooks that ask for one key of the arguments. */
class ArgumentIndex {
  readonly key: string;
  readonly absent: Places = [];
  private readonly present: Places = [];
  private readonly noText: Places = [];
  private readonly texts = new Texts();

  constructor(key: string) {
    this.key = key;
  }

  add(test: ArgumentTest, place: number): void {
    if (test.present === true) this.present.push(place);
    if (test.absent === true) this.absent.push(place);
    if (test.noText === true) this.noText.push(place);
    this.texts.add(test, place);
  }

  find(value: unknown, found: Set<number>): void {
    addAll(found, this.present);
    if (typeof value === 'string') this.texts.find(value, found);
    else addAll(found, this.noText);
  }
}

/** The hooks that ask for a text, for how it begins, for how it ends. */
class Texts {
  private readonly exact = new Map<string, Places>();
  private readonly prefixes = new Edges();
  private readonly suffixes = new Edges();

  add({ values = [], prefixes = [], suffixes = [] }: Omit<ArgumentTest, 'key'>, place: number): void {
    for (const value of new Set(values)) add(this.exact, value, place);
    for (const text of new Set(prefixes)) this.prefixes.add(text, place);
    for (const text of new Set(suffixes)) this.suffixes.add(text, place);
  }

  find(value: string, found: Set<number>): void {
    addAll(found, this.exact.get(value) ?? []);
    this.prefixes.find((length) => value.slice(0, length), value.length, found);
    this.suffixes.find((length) => value.slice(value.length - length), value.length, found);
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
      if (length <= longest) addAll(found, this.byText.get(part(length)) ?? []);
    }
  }
}

function add(map: Map<string, Places>, text: string, place: number): void {
  const places = map.get(text);
  if (places === undefined) map.set(text, [place]);
  else places.push(place);
}

function addAll(found: Set<number>, places: readonly number[]): void {
  for (const place of places) found.add(place);
}

function inOrder(plan: readonly number[], found: ReadonlySet<number>): readonly number[] {
  return [...new Set([...plan, ...found])].sort((a, b) => a - b);
}
