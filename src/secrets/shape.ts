/**
 * The shape of a token, written as a small part of RE2's language (literals, classes, counts, groups of alternatives) and
 * matched at one place without ever going back: a run takes all it can, an alternative is kept once it fits. So the time
 * is that of reading the match once, and a shape can never be made slow by a text.
 */

export interface Shape {
  /** The end of the match that begins at `at`, or -1. */
  readonly match: (text: string, at: number) => number;
  /** Whether one of its alternatives matches exactly this part. */
  readonly fits: (text: string, start: number, end: number) => boolean;
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
      readonly choices: readonly Sequence[];
      readonly min: number;
      readonly max: number;
    };

type Sequence = readonly Piece[];

/** Throws for a shape outside the language: the table is fixed, and a test compiles all of it. */
export function compileShape(source: string): Shape {
  const choices = new ShapeReader(source).read();
  const last = lastMembers(choices);
  return {
    match: (text, at) => matchChoice(choices, text, at),
    fits: (text, start, end) => choices.some((pieces) => matchPieces(pieces, text, start) === end),
    continues: (code) => code < 128 && last[code] === 1,
  };
}

const LITERAL = /^(?:\\\W|[\w:~+/ -])+(?![{?])/;

/** Literal texts one of which every match begins with, without reading more of the shape than its beginning. */
export function prefixesOf(source: string): readonly string[] {
  const literal = (LITERAL.exec(source)?.[0] ?? '').replaceAll('\\', '');
  // Three characters are enough to be found by.
  return literal.length >= 3 ? [literal] : new ShapeReader(source).prefixes();
}

function matchPieces(pieces: Sequence, text: string, start: number): number {
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

function matchChoice(choices: readonly Sequence[], text: string, at: number): number {
  for (const choice of choices) {
    const end = matchPieces(choice, text, at);
    if (end !== -1) return end;
  }
  return -1;
}

function lastMembers(choices: readonly Sequence[]): Members {
  const all = new Uint8Array(128);
  for (const choice of choices) {
    const last = choice.at(-1);
    if (last === undefined || last.kind === 'literal') continue;
    const members = last.kind === 'run' ? last.members : lastMembers(last.choices);
    for (let code = 0; code < 128; code++) all[code]! |= members[code]!;
  }
  return all;
}

/** More beginnings than this are no help to the scanner. */
const MOST_PREFIXES = 64;
const MOST_MEMBERS = 16;

class ShapeReader {
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  read(): readonly Sequence[] {
    const choices = this.alternatives();
    if (this.at < this.source.length) this.fail(`${JSON.stringify(this.source[this.at])} closes nothing`);
    return choices;
  }

  prefixes(): readonly string[] {
    let prefixes = [''];
    while (this.at < this.source.length && this.source[this.at] !== '|') {
      const { texts, whole } = beginnings(this.piece());
      if (texts.length === 0 || prefixes.length * texts.length > MOST_PREFIXES) break;
      prefixes = prefixes.flatMap((before) => texts.map((text) => before + text));
      if (!whole) break;
    }
    return prefixes;
  }

  private alternatives(): Sequence[] {
    const choices = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at++;
      choices.push(this.sequence());
    }
    return choices;
  }

  private sequence(): Sequence {
    const pieces: Piece[] = [];
    while (this.at < this.source.length && !')|'.includes(this.source[this.at]!)) pieces.push(this.piece());
    return pieces;
  }

  private piece(): Piece {
    const char = this.source[this.at]!;
    if (char === '(') return { kind: 'group', choices: this.group(), ...this.count() };
    if (char === '[') return { kind: 'run', members: this.members(), ...this.count() };
    const text = this.literal();
    if (!this.isCount()) return { kind: 'literal', text };
    // A count belongs to the last character alone.
    return { kind: 'run', members: membersOf(text), ...this.count() };
  }

  /** All characters up to the next special one, or one character that has a count. */
  private literal(): string {
    let text = '';
    while (this.at < this.source.length && !'([)|'.includes(this.source[this.at]!)) {
      const before = this.at;
      const char = this.single();
      if (this.isCount() && text !== '') {
        this.at = before;
        break;
      }
      text += char;
      if (this.isCount()) break;
    }
    return text;
  }

  private single(): string {
    const char = this.source[this.at++]!;
    if (char !== '\\') {
      if ('.*+?{}^$]'.includes(char)) this.fail(`${char} is not in the language of shapes`);
      return char;
    }
    const escaped = this.source[this.at++];
    if (escaped === undefined || /[A-Za-z0-9]/.test(escaped))
      this.fail(`\\${escaped} is not in the language`);
    return escaped!;
  }

  private group(): readonly Sequence[] {
    this.at++;
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
    let members = CLASSES.get(inside);
    if (members === undefined) CLASSES.set(inside, (members = membersOf(inside)));
    return members;
  }

  private isCount(): boolean {
    const next = this.source[this.at];
    return next === '?' || next === '{';
  }

  private count(): { min: number; max: number } {
    if (!this.isCount()) return { min: 1, max: 1 };
    if (this.source[this.at++] === '?') return { min: 0, max: 1 };
    const end = this.source.indexOf('}', this.at);
    const [low = '', high] = this.source.slice(this.at, end).split(',');
    if (end === -1 || !/^\d+$/.test(low)) this.fail('a count is not closed');
    this.at = end + 1;
    const min = Number(low);
    return { min, max: high === undefined ? min : high === '' ? Infinity : Number(high) };
  }

  private fail(why: string): never {
    throw new TypeError(`shape ${this.source} at ${this.at}: ${why}`);
  }
}

/** What a piece can begin with, and whether that is all of it; no text if it is not literal. */
function beginnings(piece: Piece): { texts: readonly string[]; whole: boolean } {
  if (piece.kind === 'literal') return { texts: [piece.text], whole: true };
  if (piece.min !== 1 || piece.max !== 1) return { texts: [], whole: false };
  if (piece.kind === 'run') {
    const texts: string[] = [];
    for (let code = 0; code < 128; code++)
      if (piece.members[code] === 1) texts.push(String.fromCharCode(code));
    return { texts: texts.length > MOST_MEMBERS ? [] : texts, whole: true };
  }
  const first = piece.choices.map((choice) => choice[0]);
  if (!first.every((one) => one?.kind === 'literal')) return { texts: [], whole: false };
  return {
    texts: first.map((one) => (one as { text: string }).text),
    whole: piece.choices.every(({ length }) => length === 1),
  };
}

/** Most shapes use the same few classes. */
const CLASSES = new Map<string, Members>();

/** `A-Z` is a range, a backslash takes the next character as it is, a hyphen at an end is one. */
function membersOf(inside: string): Members {
  const members = new Uint8Array(128);
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] === '\\') at++;
    const low = inside.charCodeAt(at);
    const isRange = inside[at + 1] === '-' && at + 2 < inside.length;
    const high = isRange ? inside.charCodeAt(at + 2) : low;
    members.fill(1, low, high + 1);
    if (isRange) at += 2;
  }
  return members;
}
