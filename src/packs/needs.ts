/**
 * What a rule must find in a command to concern it at all, read from its condition: plain facts as bits, and texts of which one
 * stands somewhere in the command. A rule that misses any of it is not even asked. Whatever is not certain is not needed.
 */
import {
  expandBraces,
  isJsonObject,
  type Json,
  literalsIn,
  requiredText,
  sizeOfBraces,
} from '../base/index.ts';
import type { Command } from '../shell/index.ts';
import type { ConditionNames } from './condition.ts';

export type Features = number;

/** Texts of which one must be there; of several such lists, one of each. */
export type Texts = readonly (readonly string[])[];

export interface Needs {
  readonly features: Features;
  readonly texts: Texts;
}

const FACTS = {
  assigns: ({ assigns }: Command) => assigns.length > 0,
  code: ({ code }: Command) => code !== null,
  elevated: ({ elevated }: Command) => elevated,
  via: ({ via }: Command) => via.length > 0,
  unread: ({ words, path }: Command) => words.length === 0 && path === '',
  dynamic_program: ({ words }: Command) => isUnknownProgram(words[0]),
  background: ({ background }: Command) => background,
  endless: ({ endless }: Command) => endless,
  recursive: ({ recursive }: Command) => recursive,
  runs_stdin: ({ runsStdin }: Command) => runsStdin,
  fed_by: ({ sources }: Command) => sources.length > 0,
  reads: ({ reads }: Command) => reads.length > 0,
  writes: ({ writes }: Command) => writes.length > 0,
  deletes: ({ deletes }: Command) => deletes.length > 0,
  dynamic: ({ dynamic }: Command) => dynamic,
  remote: ({ remote }: Command) => remote,
  wrapper: ({ wrapper }: Command) => wrapper,
  input: ({ stdin }: Command) => stdin.text !== null,
  mentions: ({ args, code }: Command) => code !== null || args.some(mayBePath),
} as const;

/** Only known when it runs, or a pattern, and not a number: `(( n > 1 ))`, read by a shell that has no such thing. */
export function isUnknownProgram(
  word: { readonly text: string; readonly known: boolean } | undefined,
): boolean {
  if (word === undefined) return false;
  return word.known ? /[*?]/.test(word.text) : word.text !== '$(())';
}

/** Nothing else is taken for a path, see subject.ts. */
export function mayBePath(word: string): boolean {
  return word.includes('/') || word.includes('.') || word.includes('~');
}

type Fact = keyof typeof FACTS;

const TESTS = Object.values(FACTS);
const BITS = new Map<string, Features>((Object.keys(FACTS) as Fact[]).map((key, at) => [key, 1 << at]));
/** It is no command but a tool that is offered: no rule looks at both. */
export const OFFERED: Features = 1 << TESTS.length;
BITS.set('says', OFFERED);
/** It is a call with the ledger of its session: only rules over sinks look at it. */
export const FLOWS: Features = OFFERED << 1;
BITS.set('flow', FLOWS);
/** What is no command. */
export const NO_COMMANDS: Features = OFFERED | FLOWS;
/** Keys that hold only with a fact that has another name. */
const IMPLIED: Readonly<Record<string, Fact>> = {
  language: 'code',
  input_known: 'input',
  deletes_besides: 'deletes',
  reads_from: 'reads',
};

export function featuresOf(command: Command): Features {
  let features = 0;
  for (let at = 0; at < TESTS.length; at++) if (TESTS[at]!(command)) features |= 1 << at;
  return features;
}

export function needsOf(written: Json, names: ConditionNames): Needs {
  if (!isJsonObject(written)) return NOTHING;
  let features = 0;
  const texts: (readonly string[])[] = [];
  const add = (more: Needs) => {
    features |= more.features;
    texts.push(...more.texts);
  };
  for (const [key, value] of Object.entries(written)) {
    if (value === false) continue;
    if (key === 'all' && Array.isArray(value)) for (const each of value) add(needsOf(each, names));
    else if (key === 'effect') add({ features: effectFeatures(value), texts: [] });
    else if (key === 'any' && Array.isArray(value) && value.length > 0) {
      add(ofAny(value.map((each) => needsOf(each, names))));
    } else {
      const one = textsOf(key, value, names);
      add({ features: BITS.get(IMPLIED[key] ?? key) ?? 0, texts: one === null ? [] : [one] });
    }
  }
  return {
    features,
    texts: texts
      .map(shortened)
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, MOST_LISTS),
  };
}

/** The fact without which a command cannot have an effect of a kind; none if it can come about in several ways. */
const FACT_OF_KIND: Readonly<Record<string, Fact>> = {
  read: 'reads',
  write: 'writes',
  permissions: 'writes',
  delete: 'deletes',
  'disk write': 'writes',
};
const FED: ReadonlySet<string> = new Set(['download', 'decoded']);

function effectFeatures(effect: Json): Features {
  if (!isJsonObject(effect)) return 0;
  const { kind, verb, from } = effect;
  const fact = FACT_OF_KIND[`${String(kind)}${kind === 'disk' ? ` ${String(verb)}` : ''}`];
  if (fact !== undefined) return BITS.get(fact)!;
  const origins = from === undefined ? [] : [from].flat().map(String);
  // What is run from there was printed by another command.
  return origins.length > 0 && origins.every((origin) => FED.has(origin)) ? BITS.get('fed_by')! : 0;
}

const NOTHING: Needs = { features: 0, texts: [] };
const MOST_LISTS = 1;
const MOST_TEXTS = 40;
/** More of a text says little more. */
const LONGEST = 4;

/** What all branches need, and one text of each. */
function ofAny(branches: readonly Needs[]): Needs {
  const features = branches.reduce((all, each) => all & each.features, -1);
  const best = branches.map(({ texts }) => texts[0]);
  const texts = best.flatMap((each) => each ?? []);
  const certain = !best.includes(undefined) && texts.length <= MOST_TEXTS;
  return { features, texts: certain ? [texts] : [] };
}

function shortened(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.slice(0, LONGEST)))];
}

/** What is least likely to be there comes first. */
function rank(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + 4 ** -text.length, 0);
}

/** In small letters; null if a condition can hold without any. */
function textsOf(key: string, value: Json, names: ConditionNames): readonly string[] | null {
  const find = FINDERS[key];
  if (find === undefined) return null;
  const words = wordsOf(isJsonObject(value) ? Object.keys(value) : value, names);
  const written = find === ofGlob ? writtenOut(words) : words;
  if (written === null) return null;
  const found = written.map(find);
  const texts = found.flatMap((each) => each ?? []).map((text) => text.toLowerCase());
  const certain = !found.includes(null) && texts.length > 0 && texts.length <= MOST_TEXTS;
  return certain && texts.every(isPlain) ? texts : null;
}

function wordsOf(value: Json, { lists }: ConditionNames): readonly string[] {
  return (Array.isArray(value) ? value : [value])
    .map(String)
    .flatMap((word) => (isList(word) ? (lists.get(word.slice(1)) ?? []) : [word]));
}

export function isList(word: string): boolean {
  return /^\$[a-z]/.test(word);
}

/** `*.{log,tmp}` is two patterns; null if there are more than count. */
function writtenOut(words: readonly string[]): readonly string[] | null {
  let count = 0;
  for (const word of words) count += sizeOfBraces(word)?.alternatives ?? Infinity;
  return count > MOST_TEXTS ? null : words.flatMap((word) => expandBraces(word)!);
}

/** Pairs of letters are looked for, so one letter is nothing. */
function isPlain(text: string): boolean {
  return text.length >= 2 && /^[\x20-\x7e]+$/.test(text);
}

type Finder = (word: string) => readonly string[] | null;

const ofGlob: Finder = (word) => longest(literalsIn(word));
const ofPattern: Finder = (pattern) => requiredText(pattern)?.anyOf ?? null;
const FINDERS: Readonly<Record<string, Finder>> = {
  // Others are found by their name.
  program: (word) => (isProgramGlob(word) ? ofGlob(word) : null),
  path: ofGlob,
  arg: ofGlob,
  operand: ofGlob,
  assigns: ofGlob,
  sub: (words) => longest(words.split(' ').flatMap(literalsIn)),
  // They may be shortened, or stand among other letters.
  flags: (word) => [word.slice(0, word.startsWith('--') ? 3 : 2)],
  option: (name) => [name],
  line: ofPattern,
  text: ofPattern,
  code: ofPattern,
  input: ofPattern,
  says: ofPattern,
};

function longest(texts: readonly string[]): readonly string[] | null {
  const [first] = texts.toSorted((a, b) => b.length - a.length);
  return first === undefined ? null : [first];
}

export function isProgramGlob(word: string): boolean {
  return /[*?[]/.test(word) && word !== '[' && word !== '[[';
}

/** Before a kind of effect in the index: every program whose row states it. */
export const KIND_MARK = '+';

/** Kinds that only the row of a program states; null if there are others, or the condition is about no effect. */
function statedKinds(effect: Json | undefined): readonly string[] | null {
  if (!isJsonObject(effect)) return null;
  const kinds = (Array.isArray(effect.kind) ? effect.kind : [effect.kind]).map(String);
  const writes = effect.verb === undefined || effect.verb === 'write';
  return kinds.some((kind) => DERIVED_KINDS.has(kind) || (kind === 'disk' && writes)) ? null : kinds;
}

/** They follow from paths and code as well. */
const DERIVED_KINDS: ReadonlySet<string> = new Set([
  'read',
  'write',
  'delete',
  'permissions',
  'run',
  'persist',
  'secret',
  'sql',
  'policy',
]);

/** Programs of which a command must be one for a condition to hold, without compiling it; null if it can hold for any. */
export function programsOf(written: Json, names: ConditionNames): readonly string[] | null {
  if (!isJsonObject(written)) return null;
  const { program, all, any } = written;
  if (program !== undefined) {
    const words = wordsOf(program, names);
    if (!words.some(isProgramGlob)) return words;
  }
  const kinds = statedKinds(written.effect);
  if (kinds !== null) return kinds.map((kind) => `${KIND_MARK}${kind}`);
  if (Array.isArray(all)) {
    const found = all.map((each) => programsOf(each, names)).find((each) => each !== null);
    if (found !== undefined && found !== null) return found;
  }
  if (!Array.isArray(any)) return null;
  const each = any.map((one) => programsOf(one, names));
  return each.includes(null) ? null : each.flatMap((one) => one ?? []);
}
