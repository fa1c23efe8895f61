/**
 * All rules as one table, and what finds them: an index of keywords, and for each keyword the looks to take where it
 * stands. Made when the first text is looked at, since most runs of the command line look at none.
 */

import type { Candidate, Name } from './assignment.ts';
import { candidatesFor, extend, nameAt } from './assignment.ts';
import { canBeginAt, isAlphanumeric } from './boundaries.ts';
import { isSecretValue } from './judge-value.ts';
import { indexKeywords, type KeywordIndex } from './keyword-index.ts';
import { isAboutSecrets, kindOfName, type NameKind } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import { entropyOf } from './randomness.ts';
import type { NamedRow, PlaceRule, TokenRow } from './rule.ts';
import { AI_NAMED, AI_TOKENS } from './rules/ai.ts';
import { CLOUD_NAMED, CLOUD_TOKENS } from './rules/cloud.ts';
import { CODE_NAMED, CODE_TOKENS } from './rules/code.ts';
import { PLACE_RULES } from './rules/places.ts';
import { PROGRAM_RULES } from './rules/programs.ts';
import { CHAT_TOKENS, PAYMENT_TOKENS, SERVICE_NAMED, SERVICE_TOKENS } from './rules/services.ts';
import { compileShape } from './shape.ts';

export const TOKEN_ROWS: readonly TokenRow[] = [
  ...AI_TOKENS,
  ...CLOUD_TOKENS,
  ...CODE_TOKENS,
  ...CHAT_TOKENS,
  ...PAYMENT_TOKENS,
  ...SERVICE_TOKENS,
];

export const NAMED_ROWS: readonly NamedRow[] = [...AI_NAMED, ...CLOUD_NAMED, ...CODE_NAMED, ...SERVICE_NAMED];

export const PLACES: readonly PlaceRule[] = [...PLACE_RULES, ...PROGRAM_RULES];

/** What a value is called that only its name gives away. */
export const RULE_OF_KIND: Readonly<Record<NameKind, string>> = {
  password: 'password',
  phrase: 'pass-phrase',
  pass: 'password',
  chosen: 'secret',
  secret: 'secret',
  weak: 'random-value',
};

/** Every name of a secret holds one of these. */
const NAME_KEYWORDS =
  `pass pwd pswd passwd kennwort senha contrase secret token key auth credential creds jwt cookie session sid= sig= sig"
  signature mnemonic phrase bearer psk requirepass masterauth hmac salt otp dsn webhook license sessid csrf _pw -pw bindpw rootpw _pat -pat`.split(
    /\s+/,
  );

/** The order in which rules are believed when several find the same: a known shape says most. */
export enum Rank {
  Value,
  Token,
  Place,
  Named,
  Assigned,
}

/** Where one text is looked at. */
export interface Scan {
  readonly text: string;
  readonly add: (rule: string, start: number, end: number, rank: Rank) => void;
  /** The assignment read last: several keywords may stand in one name. */
  last: Assignment | null;
}

interface Assignment {
  readonly name: Name;
  readonly candidates: readonly Candidate[];
  judged: boolean;
}

export type Look = (scan: Scan, at: number) => void;

export interface SecretTable {
  readonly index: KeywordIndex;
  /** By the number of the keyword. */
  readonly looks: readonly (readonly Look[])[];
}

let made: SecretTable | null = null;

export function secretTable(): SecretTable {
  made ??= makeTable();
  return made;
}

function makeTable(): SecretTable {
  const looks = new Map<string, Look[]>();
  const add = (keyword: string, look: Look) => {
    const key = keyword.toLowerCase();
    const known = looks.get(key);
    if (known === undefined) looks.set(key, [look]);
    else known.push(look);
  };
  for (const row of TOKEN_ROWS) {
    const { keywords, look } = tokenLook(row);
    for (const keyword of new Set(keywords.map((text) => text.toLowerCase()))) add(keyword, look);
  }
  for (const { id, keywords, look } of PLACES) {
    for (const keyword of keywords) {
      add(keyword, ({ text, add: found }, at) => {
        for (const [start, end] of look(text, at)) found(id, start, end, Rank.Place);
      });
    }
  }
  for (const row of NAMED_ROWS) for (const name of row[2]) add(name, namedLook(row));
  for (const keyword of NAME_KEYWORDS) add(keyword, assignedLook);
  return { index: indexKeywords([...looks.keys()]), looks: [...looks.values()] };
}

/** Less is what a person types to fill a field. */
function leastEntropy(length: number): number {
  if (length >= 16) return 2.8;
  return length >= 8 ? 2.2 : 1.5;
}

export function tokenLook([id, , source, { before, keep = 0, entropy } = {}]: TokenRow): {
  keywords: readonly string[];
  look: Look;
} {
  const shape = compileShape(source);
  const head = before === undefined ? null : compileShape(`${before[0]}{1}`);
  const hyphenated = shape.continues(0x2d);
  const look: Look = ({ text, add }, at) => {
    let start = at;
    if (before !== undefined) {
      const [, min, max] = before;
      while (start > 0 && at - start < max && head!.match(text, start - 1) !== -1) start--;
      if (at - start < min) return;
    }
    // Letters may stand before digits: the `bot` of an address.
    if (before?.[0] !== '[0-9]' && !canBeginAt(text, start, hyphenated)) return;
    const end = shape.match(text, at);
    if (end === -1) return;
    const next = end < text.length ? text.charCodeAt(end) : 0;
    if (isAlphanumeric(next) || shape.continues(next)) return;
    const literal = shape.prefixes.find((prefix) => text.startsWith(prefix, at))?.length ?? 0;
    const body = before === undefined ? text.slice(at + literal, end) : text.slice(start, end);
    if (isPlaceholder(body) || entropyOf(body) < (entropy ?? leastEntropy(body.length))) return;
    add(id, start + keep, end, Rank.Token);
  };
  return { keywords: shape.prefixes, look };
}

function namedLook([id, , , source]: NamedRow): Look {
  const shape = compileShape(source);
  return (scan, at) => {
    const { name, candidates } = assignmentAt(scan, at);
    if (candidates.length === 0 || isAboutSecrets(name.text)) return;
    for (const { start, end } of candidates) {
      if (!shape.fits(scan.text, start, end)) continue;
      const value = scan.text.slice(start, end);
      if (isPlaceholder(value) || entropyOf(value) < leastEntropy(value.length) || !/\d/.test(value))
        continue;
      scan.add(id, start, end, Rank.Named);
    }
  };
}

/** What a person may have chosen counts only where it is clear that it was. */
const DOUBTFUL: ReadonlySet<NameKind> = new Set(['password', 'pass', 'chosen']);

function assignedLook(scan: Scan, at: number): void {
  const assignment = assignmentAt(scan, at);
  if (assignment.judged || assignment.candidates.length === 0) return;
  assignment.judged = true;
  const { name, candidates } = assignment;
  const kind = kindOfName(name.text);
  if (kind === null) return;
  const { text } = scan;
  // `did:key:…`, `urn:…:session:…`: a part of an id.
  if (kind === 'weak' && text[name.start - 1] === ':' && /\w/.test(text[name.start - 2] ?? '')) return;
  for (const candidate of candidates) {
    const { start, setting, doubtful } = candidate;
    const end = kind === 'phrase' && setting !== 'quoted' ? phraseEnd(text, candidate) : candidate.end;
    const value = text.slice(start, end);
    if (end === start || !isSecretValue(doubtful && DOUBTFUL.has(kind) ? 'secret' : kind, value, setting))
      continue;
    scan.add(RULE_OF_KIND[kind], start, Math.max(end, extend(text, candidate)), Rank.Assigned);
    return;
  }
}

const PHRASE = /[a-z]{3,8}(?: [a-z]{3,8}){11,23}/y;

/** Without quotes a pass phrase ends where its words do. */
function phraseEnd(text: string, { start, end }: Candidate): number {
  PHRASE.lastIndex = start;
  return PHRASE.test(text) ? PHRASE.lastIndex : end;
}

function assignmentAt(scan: Scan, at: number): Assignment {
  const { last } = scan;
  if (last !== null && at >= last.name.start && at < last.name.end) return last;
  const name = nameAt(scan.text, at);
  const read = { name, candidates: candidatesFor(scan.text, name), judged: false };
  scan.last = read;
  return read;
}
