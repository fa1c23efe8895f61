/**
 * Options of programs, from a description of one line: `"nv u:C: --unset= --chdir= --verbose"` has the flags -n and -v, -u
 * and -C with a value, and three long ones. `x::` and `--x[=]` take a value only if it is attached, `--x==` takes two.
 */

/** What the scanner needs of a word. */
export interface OptionWord {
  readonly text: string;
  readonly known: boolean;
  readonly many: boolean;
}

/** 0 without a value, 1 with one, 2 with one that must be attached, 3 with two. */
type Arity = 0 | 1 | 2 | 3;

export interface Spec {
  readonly short: ReadonlyMap<string, Arity>;
  readonly long: ReadonlyMap<string, Arity>;
}

const ARITIES: Readonly<Record<string, Arity>> = { '': 0, '=': 1, '[=]': 2, '==': 3 };
const SPECS = new Map<string, Spec>();

export function specOf(text: string): Spec {
  const before = SPECS.get(text);
  if (before !== undefined) return before;
  const short = new Map<string, Arity>();
  const long = new Map<string, Arity>();
  for (const token of text.split(/\s+/)) {
    const name = /^--?([^=[]+)(\[=\]|==?)?$/.exec(token);
    if (token.startsWith('-') && name !== null) {
      long.set(name[1]!, ARITIES[name[2] ?? '']!);
      continue;
    }
    for (const [, letter, colons] of token.matchAll(/([^:])(:{0,2})/g)) {
      short.set(letter!, colons!.length as Arity);
    }
  }
  const spec = { short, long };
  SPECS.set(text, spec);
  return spec;
}

export interface Option<W extends OptionWord> {
  /** `-u` or `--user`, in full. */
  readonly name: string;
  readonly value: W | null;
  /** Where it stands. */
  readonly at: number;
}

export interface Scan<W extends OptionWord> {
  readonly options: readonly Option<W>[];
  /** Places of the words that are neither options nor values of options. */
  readonly operands: readonly number[];
  /** An option nobody has heard of, or a word that may be one: what follows is not certain. */
  readonly strange: string | null;
}

interface ScanStyle {
  /** Options may stand behind operands. */
  readonly mixed?: boolean;
  /** `-name` is one option and not many letters: find, java, terraform. */
  readonly single?: boolean;
}

/** Reads options from `from` on; without `mixed` it stops at the first operand, and everything behind it is one. */
export function scanOptions<W extends OptionWord>(
  words: readonly W[],
  from: number,
  spec: Spec,
  { mixed = false, single = false }: ScanStyle = {},
): Scan<W> {
  const options: Option<W>[] = [];
  const operands: number[] = [];
  let strange: string | null = null;
  let at = from;
  while (at < words.length) {
    const word = words[at]!;
    const { text } = word;
    if (text === '--' && word.known) {
      at++;
      break;
    }
    if (word.many && !word.known) {
      strange ??= text;
      if (!mixed) {
        at++;
        continue;
      }
    }
    const long = text.startsWith('--') || single;
    // Of `--name=$x` the name is known.
    const named = word.known || (long && LONG_OPTION_WITH_VALUE.test(text));
    if (text.length < 2 || text.charCodeAt(0) !== 45 || !named) {
      if (!mixed) break;
      operands.push(at++);
      continue;
    }
    const taken = long ? takeLong(words, at, spec, options, single) : takeShort(words, at, spec, options);
    if (taken.strange) strange ??= text;
    at += taken.width;
  }
  for (; at < words.length; at++) operands.push(at);
  return { options, operands, strange };
}

const LONG_OPTION_WITH_VALUE = /^--?[\w.-]+=/;

interface ConsumedWords {
  readonly width: number;
  readonly strange: boolean;
}

function takeLong<W extends OptionWord>(
  words: readonly W[],
  at: number,
  spec: Spec,
  options: Option<W>[],
  single: boolean,
): ConsumedWords {
  const word = words[at]!;
  const text = single ? word.text.replace(/^-+/, '') : word.text.slice(2);
  const equals = text.indexOf('=');
  const written = equals === -1 ? text : text.slice(0, equals);
  const name = fullName(spec, written);
  const arity = name === undefined ? undefined : spec.long.get(name);
  const shown = `${single ? '-' : '--'}${name ?? written}`;
  if (equals !== -1) {
    options.push({ name: shown, value: { ...word, text: text.slice(equals + 1) }, at });
    return { width: 1, strange: arity === undefined };
  }
  const value = arity === 1 || arity === 3 ? (words[at + 1] ?? null) : null;
  options.push({ name: shown, value, at });
  return {
    width: value === null ? 1 : arity === 3 ? 3 : 2,
    strange: arity === undefined || value?.many === true,
  };
}

/** Long names may be shortened as long as only one begins so. */
export function fullName(spec: Spec, written: string): string | undefined {
  if (spec.long.has(written)) return written;
  let found: string | undefined;
  for (const name of spec.long.keys()) {
    if (!name.startsWith(written)) continue;
    if (found !== undefined) return undefined;
    found = name;
  }
  return found;
}

function takeShort<W extends OptionWord>(
  words: readonly W[],
  at: number,
  spec: Spec,
  options: Option<W>[],
): ConsumedWords {
  const word = words[at]!;
  const { text } = word;
  let strange = false;
  for (let i = 1; i < text.length; i++) {
    const letter = text[i]!;
    const arity = spec.short.get(letter);
    if (arity === undefined) strange = true;
    if (arity === undefined || arity === 0) {
      options.push({ name: `-${letter}`, value: null, at });
      continue;
    }
    const attached = i + 1 < text.length;
    if (attached) options.push({ name: `-${letter}`, value: { ...word, text: text.slice(i + 1) }, at });
    else if (arity === 2) options.push({ name: `-${letter}`, value: null, at });
    else {
      const value = words[at + 1] ?? null;
      options.push({ name: `-${letter}`, value, at });
      return { width: value === null ? 1 : 2, strange: strange || value?.many === true };
    }
    break;
  }
  return { width: 1, strange };
}
