/**
 * The shape of a token, written as a small part of RE2's language (literals, classes, counts, groups of alternatives) and
 * matched at one place without ever going back: a run takes all it can, an alternative is kept once it fits. So the time
 * is that of reading the match once, and a shape can never be made slow by a text.
 */

export interface Shape {
  /** Whether one of its alternatives matches exactly this part. */
  readonly fits: (text: string, start: number, end: number) => boolean;
  /** The end of the match that begins at `at`, or -1. */
  readonly match: (text: string, at: number) => number;
  /** The literal beginnings a match can have. */
  readonly prefixes: readonly string[];
  /** Whether a character could still belong to the last part: a token never ends in the middle of such a run. */
  readonly continues: (code: number) => boolean;
}

/** For each of the first 128 characters whether it is a member. Others never are. */
type Members = Uint8Array;

type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'run'; readonly members: Members; readonly min: number; readonly max: number }
  | {
      readonly kind: 'group';
      readonly choices: readonly (readonly Piece[])[];
      readonly min: number;
      readonly max: number;
    };

/** Throws for a shape outside the language: the table is fixed, and a test compiles all of it. */
export function compileShape(source: string): Shape {
  const choices = new ShapeReader(source).read();
  const last = lastMembers([{ kind: 'group', choices, min: 1, max: 1 }]);
  return {
    match: (text, at) => matchChoice(choices, text, at),
    fits: (text, start, end) => choices.some((pieces) => matchPieces(pieces, text, start) === end),
    prefixes: choices.flatMap(prefixesOf),
    continues: (code) => code < 128 && last[code] === 1,
  };
}

function matchPieces(pieces: readonly Piece[], text: string, start: number): number {
  let at = start;
  for (const piece of pieces) {
    if (piece.kind === 'literal') {
      if (!text.startsWith(piece.text, at)) return -1;
      at += piece.text.length;
    } else {
      at = piece.kind === 'run' ? matchRun(piece, text, at) : matchGroup(piece, text, at);
      if (at === -1) return -1;
    }
  }
  return at;
}

function matchRun(run: Extract<Piece, { kind: 'run' }>, text: string, start: number): number {
  const { members, min, max } = run;
  const end = Math.min(text.length, start + max);
  let at = start;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code > 127 || members[code] === 0) break;
    at++;
  }
  return at - start < min ? -1 : at;
}

function matchGroup(group: Extract<Piece, { kind: 'group' }>, text: string, start: number): number {
  let at = start;
  for (let count = 0; count < group.max; count++) {
    const end = matchChoice(group.choices, text, at);
    if (end === -1) return count < group.min ? -1 : at;
    at = end;
  }
  return at;
}

function matchChoice(choices: readonly (readonly Piece[])[], text: string, at: number): number {
  for (const choice of choices) {
    const end = matchPieces(choice, text, at);
    if (end !== -1) return end;
  }
  return -1;
}

/** More beginnings than this are no help to the scanner. */
const MOST_PREFIXES = 64;

function prefixesOf(pieces: readonly Piece[]): string[] {
  let prefixes = [''];
  for (const piece of pieces) {
    const next = beginnings(piece);
    if (next === null || prefixes.length * next.texts.length > MOST_PREFIXES) break;
    prefixes = prefixes.flatMap((before) => next.texts.map((text) => before + text));
    if (!next.whole) break;
  }
  return prefixes;
}

/** What a piece can begin with, and whether that is all of it; null if it is not literal. */
function beginnings(piece: Piece): { texts: readonly string[]; whole: boolean } | null {
  if (piece.kind === 'literal') return { texts: [piece.text], whole: true };
  if (piece.kind === 'run') {
    if (piece.min !== 1 || piece.max !== 1) return null;
    const texts = [...piece.members].flatMap((held, code) => (held === 1 ? [String.fromCharCode(code)] : []));
    return texts.length > 16 ? null : { texts, whole: true };
  }
  if (piece.min !== 1 || piece.max !== 1) return null;
  const whole = piece.choices.every((choice) => choice.every(({ kind }) => kind === 'literal'));
  return { texts: piece.choices.flatMap(prefixesOf), whole };
}

function lastMembers(pieces: readonly Piece[]): Members {
  const last = pieces.at(-1);
  if (last?.kind === 'run') return last.members;
  if (last?.kind !== 'group') return NO_MEMBERS;
  const all = new Uint8Array(128);
  for (const choice of last.choices)
    for (const [code, held] of lastMembers(choice).entries()) all[code]! |= held;
  return all;
}

const NO_MEMBERS: Members = new Uint8Array(128);

class ShapeReader {
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  read(): readonly (readonly Piece[])[] {
    const choices = this.alternatives();
    if (this.at < this.source.length) this.fail(`${JSON.stringify(this.source[this.at])} closes nothing`);
    return choices;
  }

  private alternatives(): Piece[][] {
    const choices = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at++;
      choices.push(this.sequence());
    }
    return choices;
  }

  private sequence(): Piece[] {
    const pieces: Piece[] = [];
    while (this.at < this.source.length && !')|'.includes(this.source[this.at]!)) pieces.push(this.piece());
    return joinLiterals(pieces);
  }

  private piece(): Piece {
    const char = this.source[this.at]!;
    if (char === '(') {
      const choices = this.choices();
      return { kind: 'group', choices, ...this.count() };
    }
    const members = char === '[' ? this.members() : this.single();
    const { min, max } = this.count();
    if (typeof members === 'string' && min === 1 && max === 1) return { kind: 'literal', text: members };
    return { kind: 'run', members: typeof members === 'string' ? membersOf(members) : members, min, max };
  }

  private choices(): Piece[][] {
    this.at++;
    if (this.source.startsWith('?:', this.at)) this.at += 2;
    const choices = this.alternatives();
    if (this.source[this.at] !== ')') this.fail('a group is not closed');
    this.at++;
    return choices;
  }

  private members(): Members {
    const end = this.source.indexOf(']', this.at);
    if (end === -1) this.fail('a class is not closed');
    const inside = this.source.slice(this.at + 1, end);
    this.at = end + 1;
    const known = CLASSES.get(inside);
    if (known !== undefined) return known;
    const members = membersOf(expanded(inside));
    CLASSES.set(inside, members);
    return members;
  }

  private single(): string {
    const char = this.source[this.at++]!;
    if (char !== '\\') {
      if ('.*+?{}^$'.includes(char)) this.fail(`${char} is not in the language of shapes`);
      return char;
    }
    const escaped = this.source[this.at++];
    if (escaped === undefined || /[A-Za-z0-9]/.test(escaped))
      this.fail(`\\${escaped} is not in the language`);
    return escaped!;
  }

  private count(): { min: number; max: number } {
    const next = this.source[this.at];
    if (next === '?') {
      this.at++;
      return { min: 0, max: 1 };
    }
    if (next !== '{') return { min: 1, max: 1 };
    const [whole, low, comma, high] = /^\{(\d+)(,?)(\d*)\}/.exec(this.source.slice(this.at)) ?? [];
    if (whole === undefined) this.fail('a count is not closed');
    this.at += whole!.length;
    const min = Number(low);
    return { min, max: comma === '' ? min : high === '' ? Infinity : Number(high) };
  }

  private fail(why: string): never {
    throw new TypeError(`shape ${this.source} at ${this.at}: ${why}`);
  }
}

/** Most shapes use the same few classes. */
const CLASSES = new Map<string, Members>();

function expanded(inside: string): string {
  return inside.replace(/\\(.)|(.)-(.)/g, (_, escaped: string, low: string, high: string) => {
    if (escaped !== undefined) return escaped;
    let all = '';
    for (let code = low.charCodeAt(0); code <= high.charCodeAt(0); code++) all += String.fromCharCode(code);
    return all;
  });
}

function membersOf(characters: string): Members {
  const members = new Uint8Array(128);
  for (const char of characters) members[char.charCodeAt(0)] = 1;
  return members;
}

function joinLiterals(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    if (piece.kind === 'literal' && before?.kind === 'literal') {
      joined[joined.length - 1] = { kind: 'literal', text: before.text + piece.text };
    } else {
      joined.push(piece);
    }
  }
  return joined;
}
