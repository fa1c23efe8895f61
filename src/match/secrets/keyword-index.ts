/**
 * Finds many keywords in one pass over a text, whatever their case: each keyword stands in the index under three of its
 * characters, the pass looks up every three characters of the text, and only there is a keyword compared. Time grows with
 * the text, not with the number of keywords.
 */

export interface KeywordIndex {
  /** Calls `onHit` with the number of the keyword and where it begins, by the place of their indexed characters. */
  readonly scan: (text: string, onHit: (keyword: number, at: number) => void) => void;
}

interface Entry {
  readonly keyword: number;
  /** In lower case. */
  readonly text: string;
  /** Where in the keyword the three characters begin. */
  readonly offset: number;
}

const SHORTEST_KEYWORD = 3;
const BITS = 6;
const GRAM_MASK = (1 << (3 * BITS)) - 1;

/** A number under 64 for each character a keyword may have, the same for both cases of a letter; 0 for all others. */
const CLASS_OF = classes();

function classes(): Uint8Array {
  const classOf = new Uint8Array(128);
  let next = 1;
  for (const char of 'abcdefghijklmnopqrstuvwxyz') {
    classOf[char.charCodeAt(0)] = next;
    classOf[char.toUpperCase().charCodeAt(0)] = next++;
  }
  for (const char of '0123456789_-.:/=@$+~ <("') classOf[char.charCodeAt(0)] = next++;
  return classOf;
}

/** Throws for a keyword that cannot be indexed: they are fixed, and a test makes the index. */
export function indexKeywords(keywords: readonly string[]): KeywordIndex {
  const bucketOf = new Uint16Array(GRAM_MASK + 1);
  const buckets: Entry[][] = [[]];
  for (const [keyword, written] of keywords.entries()) {
    const text = written.toLowerCase();
    const offset = rarestGram(text);
    const gram = gramAt(text, offset);
    if (bucketOf[gram] === 0) bucketOf[gram] = buckets.push([]) - 1;
    buckets[bucketOf[gram]!]!.push({ keyword, text, offset });
  }
  return { scan: (text, onHit) => scan(text, bucketOf, buckets, onHit) };
}

function scan(
  text: string,
  bucketOf: Uint16Array,
  buckets: readonly (readonly Entry[])[],
  onHit: (keyword: number, at: number) => void,
): void {
  let gram = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    gram = ((gram << BITS) | (code < 128 ? CLASS_OF[code]! : 0)) & GRAM_MASK;
    const bucket = bucketOf[gram]!;
    if (bucket === 0) continue;
    for (const entry of buckets[bucket]!) {
      const start = at - 2 - entry.offset;
      if (start >= 0 && isAt(entry.text, text, start)) onHit(entry.keyword, start);
    }
  }
}

function isAt(keyword: string, text: string, start: number): boolean {
  for (let at = 0; at < keyword.length; at++) {
    let code = text.charCodeAt(start + at);
    if (code >= 65 && code <= 90) code |= 32;
    if (code !== keyword.charCodeAt(at)) return false;
  }
  return true;
}

function gramAt(text: string, offset: number): number {
  let gram = 0;
  for (let at = offset; at < offset + 3; at++) gram = (gram << BITS) | CLASS_OF[text.charCodeAt(at)]!;
  return gram;
}

/** The letters of ordinary text, the commonest first; what is not among them is rarer than all. */
const BY_FREQUENCY = 'etaoinsrlcdupmhgfbyvwkxjqz';

/** Where the three characters begin that ordinary text has least: a keyword is compared wherever they stand. */
function rarestGram(text: string): number {
  let best = -1;
  let bestRarity = -1;
  for (let offset = 0; offset + SHORTEST_KEYWORD <= text.length; offset++) {
    let rarity = 0;
    for (let at = offset; at < offset + 3; at++) {
      const code = text.charCodeAt(at);
      if (code > 127 || CLASS_OF[code] === 0) rarity = Number.NEGATIVE_INFINITY;
      const rank = BY_FREQUENCY.indexOf(text[at]!);
      rarity += rank === -1 ? 14 : rank;
    }
    if (rarity > bestRarity) [best, bestRarity] = [offset, rarity];
  }
  if (best === -1) throw new TypeError(`keyword ${JSON.stringify(text)}: no three characters to find it by`);
  return best;
}
