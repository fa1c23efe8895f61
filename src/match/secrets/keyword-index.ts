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
const BITS = 5;
const GRAM_MASK = (1 << (3 * BITS)) - 1;

/**
 * A number under 32 for each character a keyword may have; 0 for all others. Both cases of a letter have the same, and so have
 * all digits: then the table of what three characters may be stays small enough to be fast.
 */
const CLASS_OF = new Uint8Array(128);

/** How rare each character is: by its place among the letters of ordinary text, the commonest first. */
const RARITY = new Uint8Array(128);

/** Filled with the first index, not when the module is loaded. */
function fillTables(): void {
  const groups = [...'abcdefghijklmnopqrstuvwxyz', '0123456789', '_', '-', '.:/', '=@$+~ <("'];
  for (const [at, group] of groups.entries()) {
    for (const char of group + group.toUpperCase()) CLASS_OF[char.charCodeAt(0)] = at + 1;
  }
  RARITY.fill(14);
  for (const [rank, letter] of [...'etaoinsrlcdupmhgfbyvwkxjqz'].entries())
    RARITY[letter.charCodeAt(0)] = rank;
}

/** Throws for a keyword that cannot be indexed: they are fixed, and a test makes the index. */
export function indexKeywords(keywords: readonly string[]): KeywordIndex {
  if (RARITY[0] === 0) fillTables();
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

/** Where the three characters begin that ordinary text has least: a keyword is compared wherever they stand. */
function rarestGram(text: string): number {
  let best = -1;
  let bestRarity = -1;
  for (let at = 0; at + SHORTEST_KEYWORD <= text.length; at++) {
    const [a, b, c] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    if (!CLASS_OF[a] || !CLASS_OF[b] || !CLASS_OF[c]) continue;
    const rarity = RARITY[a]! + RARITY[b]! + RARITY[c]!;
    if (rarity > bestRarity) {
      best = at;
      bestRarity = rarity;
    }
  }
  if (best === -1) throw new TypeError(`keyword ${JSON.stringify(text)}: no three characters to find it by`);
  return best;
}
