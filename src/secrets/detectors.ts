/**
 * What is done where a keyword stands: the three ways of the rows in the table. A token is compared with its shape, a value
 * given to a name with the shape that name promises, and any other assignment is judged by name and value.
 */
import { type Candidate, extend, fallbackValue } from './assigned-value.ts';
import { candidatesFor, nameEnd, nameStart, nameText } from './assignment.ts';
import { canBeginAt, isAlphanumeric } from './boundaries.ts';
import { isSecretValue } from './judge-value.ts';
import { isAboutSecrets, kindOfName, type NameKind } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import { entropyOf, looksRandom } from './randomness.ts';
import type { Found, PlaceRule, TokenByNameRow, TokenRow } from './rule.ts';
import { compileShape, prefixesOf, type Shape } from './shape.ts';

/** The order in which rules are believed when several find the same: what is known says most, then a known shape. */
export const RANK = { value: 0, token: 1, place: 2, named: 3, assigned: 4 } as const;

export type Rank = (typeof RANK)[keyof typeof RANK];

/** With what decides which rule gives its name to what several have found. */
export interface Ranked extends Found {
  readonly rank: Rank;
}

const NONE: readonly Candidate[] = [];

/** One text that is looked at, with the assignment read last: several keywords may stand in one name. */
export class Scan {
  readonly text: string;
  readonly found: Ranked[];
  private start = 0;
  private end = 0;
  private read: readonly Candidate[] = NONE;
  private judged = false;
  /** Where the value ends that was found last: what stands in it needs no name to be hidden. */
  private covered = 0;

  constructor(text: string, found: Ranked[]) {
    this.text = text;
    this.found = found;
  }

  add(rule: string, start: number, end: number, rank: Rank): void {
    if (end <= start) return;
    this.found.push({ rule, start, end, rank });
    this.covered = Math.max(this.covered, end);
  }

  /** What may have been assigned to the name at this place. */
  candidates(at: number): readonly Candidate[] {
    if (at < this.start || at >= this.end) {
      this.start = nameStart(this.text, at);
      this.end = nameEnd(this.text, at);
      this.read = at < this.covered ? NONE : candidatesFor(this.text, this.start, this.end);
      this.judged = false;
    }
    return this.read;
  }

  /** Of the assignment read last: the first time it is asked for, and then not again. */
  judgeOnce(): boolean {
    const first = !this.judged;
    this.judged = true;
    return first;
  }

  name(): string {
    return nameText(this.text, this.start, this.end);
  }

  /** `did:key:…`, `urn:…:session:…`: the name is a part of an id. */
  isPartOfId(): boolean {
    return this.text[this.start - 1] === ':' && /\w/.test(this.text[this.start - 2] ?? '');
  }
}

export type Detector = (scan: Scan, at: number) => void;

export interface Keyed {
  readonly keywords: readonly string[];
  readonly look: Detector;
  /** It finds nothing where the keyword stands inside a word. */
  readonly begins?: boolean;
}

/** Less is what a person types to fill a field. */
function isTooPlain(value: string, least: number | undefined): boolean {
  const usual = value.length >= 16 ? 2.8 : value.length >= 8 ? 2.2 : 1.5;
  return isPlaceholder(value) || entropyOf(value) < (least ?? usual);
}

/** Shapes are compiled when their keyword is first met: there are hundreds, and most texts meet a handful. */
function lazily(source: string): () => Shape {
  let shape: Shape | null = null;
  return () => (shape ??= compileShape(source));
}

export function tokenDetector([
  id,
  ,
  source,
  { before, keep = 0, entropy, drawn = false } = {},
]: TokenRow): Keyed {
  const keywords = prefixesOf(source);
  const shapeOf = lazily(source);
  const headOf = lazily(before?.[0] ?? '');
  const look: Detector = (scan, at) => {
    const { text } = scan;
    // Soon known, and true of nearly every hit: the keyword stands inside a word.
    if (before === undefined && !canBeginAt(text, at, false)) return;
    const shape = shapeOf();
    const start = before === undefined ? at : headStart(headOf(), before, text, at);
    // Letters may stand before digits: the `bot` of an address.
    if (start === -1 || (before?.[0] !== '[0-9]' && !canBeginAt(text, start, shape.continues(0x2d)))) return;
    const end = shape.match(text, at);
    if (end === -1) return;
    const next = end < text.length ? text.charCodeAt(end) : 0;
    if (isAlphanumeric(next) || shape.continues(next)) return;
    const known = keywords.find((prefix) => text.startsWith(prefix, at))?.length ?? 0;
    const body = text.slice(before === undefined ? at + known : start, end);
    if (isTooPlain(body, entropy) || (drawn && !looksRandom(body))) return;
    scan.add(id, start + keep, end, RANK.token);
  };
  return { keywords, look, begins: before === undefined };
}

/** Where the part before the keyword begins; -1 if it is too short. */
function headStart(
  head: Shape,
  [, min, max]: readonly [string, number, number],
  text: string,
  at: number,
): number {
  let start = at;
  while (start > 0 && at - start < max && head.match(text, start - 1) !== -1) start--;
  return at - start < min ? -1 : start;
}

export function namedDetector([id, , keywords, source]: TokenByNameRow): Keyed {
  const shapeOf = lazily(source);
  const look: Detector = (scan, at) => {
    for (const { start, end } of scan.candidates(at)) {
      if (!shapeOf().fits(scan.text, start, end)) continue;
      const value = scan.text.slice(start, end);
      if (!/\d/.test(value) || isTooPlain(value, undefined) || isAboutSecrets(scan.name())) continue;
      scan.add(id, start, end, RANK.named);
    }
  };
  return { keywords, look };
}

export function placeDetector({ id, keywords, look }: PlaceRule): Keyed {
  return {
    keywords,
    look: (scan, at) => {
      for (const [start, end] of look(scan.text, at)) scan.add(id, start, end, RANK.place);
    },
  };
}

/** What a value is called that only its name gives away. */
export const RULE_OF_KIND: Readonly<Record<NameKind, string>> = {
  password: 'password',
  pass: 'password',
  phrase: 'pass-phrase',
  chosen: 'secret',
  secret: 'secret',
  weak: 'random-value',
};

/** What a person may have chosen counts only where it is clear that it was. */
const CHOSEN: ReadonlySet<NameKind> = new Set(['password', 'pass', 'chosen']);

export const assignmentDetector: Detector = (scan, at) => {
  const candidates = scan.candidates(at);
  if (candidates.length === 0 || !scan.judgeOnce()) return;
  const kind = kindOfName(scan.name());
  if (kind === null || (kind === 'weak' && scan.isPartOfId())) return;
  for (const candidate of candidates) {
    if (addIfSecret(scan, kind, candidate)) return;
    const fallback = fallbackValue(scan.text, candidate);
    if (fallback !== null && addIfSecret(scan, kind, fallback)) return;
  }
};

function addIfSecret(scan: Scan, kind: NameKind, candidate: Candidate): boolean {
  const { text } = scan;
  const { start, setting, doubtful } = candidate;
  const end = kind === 'phrase' && setting !== 'quoted' ? phraseEnd(text, candidate) : candidate.end;
  const judged = doubtful && CHOSEN.has(kind) ? 'secret' : kind;
  if (!isSecretValue(judged, text.slice(start, end), setting)) return false;
  scan.add(RULE_OF_KIND[kind], start, Math.max(end, extend(text, candidate)), RANK.assigned);
  return true;
}

const PHRASE = /[a-z]{3,8}(?: [a-z]{3,8}){11,23}/y;

/** Without quotes a pass phrase ends where its words do. */
function phraseEnd(text: string, { start, end }: Candidate): number {
  PHRASE.lastIndex = start;
  return PHRASE.test(text) ? PHRASE.lastIndex : end;
}
