/**
 * `{a,b}` in a pattern stands for several patterns, also inside one another. They are counted before one of them is written
 * out, so that a short pattern that stands for millions is refused at the cost of reading it.
 */

/** More than a person writes. */
export const MOST_ALTERNATIVES = 1000;
const MOST_CHARACTERS = 1 << 18;

export const TOO_MANY_ALTERNATIVES = `braces stand for more than ${MOST_ALTERNATIVES} alternatives or ${MOST_CHARACTERS} characters`;

export interface BraceSize {
  readonly alternatives: number;
  /** Of all alternatives together. */
  readonly characters: number;
}

/** How much the pattern stands for; null if that is more than `expandBraces` writes out. */
export function sizeOfBraces(pattern: string): BraceSize | null {
  if (!pattern.includes('{')) return SIZES.text(pattern);
  if (pattern.length > MOST_CHARACTERS) return null;
  const size = read(pattern, SIZES);
  return size.alternatives > MOST_ALTERNATIVES || size.characters > MOST_CHARACTERS ? null : size;
}

/** Every pattern it stands for, in order; null if there are more than the bounds allow. */
export function expandBraces(pattern: string): readonly string[] | null {
  if (!pattern.includes('{')) return [pattern];
  return sizeOfBraces(pattern) === null ? null : read(pattern, TEXTS);
}

/** What is made of a pattern: both the size and the texts are put together in the same two ways. */
interface Builder<T> {
  readonly text: (text: string) => T;
  readonly behind: (first: T, second: T) => T;
  readonly or: (one: T, other: T) => T;
}

const SIZES: Builder<BraceSize> = {
  text: ({ length }) => ({ alternatives: 1, characters: length }),
  behind: (a, b) => ({
    alternatives: a.alternatives * b.alternatives,
    characters: a.characters * b.alternatives + b.characters * a.alternatives,
  }),
  or: (a, b) => ({
    alternatives: a.alternatives + b.alternatives,
    characters: a.characters + b.characters,
  }),
};

const TEXTS: Builder<string[]> = {
  text: (text) => [text],
  behind: (first, second) => first.flatMap((start) => second.map((end) => start + end)),
  or: (one, other) => {
    for (const text of other) one.push(text);
    return one;
  },
};

/** A list that is open: the alternatives before the last comma, and what stands behind it. */
interface Open<T> {
  readonly before: T | null;
  readonly last: T;
}

/** No recursion: a pattern may nest as deep as it is long. */
function read<T>(pattern: string, { text, behind, or }: Builder<T>): T {
  const signs = signsOf(pattern);
  const open: Open<T>[] = [];
  let before: T | null = null;
  let last = text('');
  let from = 0;
  for (const at of signs) {
    if (at > from) last = behind(last, text(pattern.slice(from, at)));
    from = at + 1;
    if (pattern[at] === '{') {
      open.push({ before, last });
      [before, last] = [null, text('')];
    } else if (pattern[at] === ',') {
      before = before === null ? last : or(before, last);
      last = text('');
    } else {
      const list: T = before === null ? last : or(before, last);
      const outer = open.pop()!;
      [before, last] = [outer.before, behind(outer.last, list)];
    }
  }
  return from < pattern.length ? behind(last, text(pattern.slice(from))) : last;
}

/**
 * Where the braces and commas of lists stand. A brace without its partner, one without a comma, and `${NAME}` are plain
 * text.
 */
function signsOf(pattern: string): number[] {
  const lists: number[][] = [];
  const open: number[][] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '{') open.push([at]);
    else if (char === ',') open.at(-1)?.push(at);
    else if (char === '}') {
      const signs = open.pop();
      if (signs === undefined || signs.length === 1 || pattern[signs[0]! - 1] === '$') continue;
      signs.push(at);
      lists.push(signs);
    }
  }
  return lists.flat().sort((a, b) => a - b);
}
