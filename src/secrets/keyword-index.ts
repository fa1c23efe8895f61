/**
 * Finds many keywords in one pass over a text, whatever their case: each keyword stands in the index under three of its
 * characters, the pass looks up every three characters of the text, and only there is a keyword compared. Time grows with
 * the text, not with the number of keywords.
 */

export interface KeywordIndex {
  /** Calls `onHit` with the number of the keyword and where it begins, by the place of their indexed characters. */
  readonly scan: (text: string, onHit: (keyword: number, at: number) => void) => void;
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

/** All keywords in few values: what a process starts with, it pays for by the piece. */
interface Table {
  /** By three characters: the number of their bucket, 0 for none. */
  readonly bucketOf: Uint16Array;
  /** By bucket: where its keywords begin in `keywords`, in order; the next bucket begins behind them. */
  readonly buckets: Uint16Array;
  readonly keywords: Uint16Array;
  /** By keyword: where the three characters begin in it. */
  readonly offsets: Uint8Array;
  /** All keywords in lower case, one behind the other; by keyword where it begins, and behind them where the last ends. */
  readonly text: string;
  readonly starts: Uint16Array;
}

/** Throws for a keyword that cannot be indexed: they are fixed, and a test makes the index. */
export function indexKeywords(written: readonly string[]): KeywordIndex {
  if (RARITY[0] === 0) fillTables();
  const lower = written.map((keyword) => keyword.toLowerCase());
  const offsets = Uint8Array.from(lower, rarestGram);
  const byGram = new Map<number, number[]>();
  for (const [keyword, text] of lower.entries()) {
    const gram = gramAt(text, offsets[keyword]!);
    const known = byGram.get(gram);
    if (known === undefined) byGram.set(gram, [keyword]);
    else known.push(keyword);
  }
  const bucketOf = new Uint16Array(GRAM_MASK + 1);
  for (const [at, gram] of [...byGram.keys()].entries()) bucketOf[gram] = at + 1;
  const table: Table = {
    bucketOf,
    buckets: starts([[], ...byGram.values()]),
    keywords: Uint16Array.from([...byGram.values()].flat()),
    offsets,
    text: lower.join(''),
    starts: starts(lower),
  };
  return { scan: (text, onHit) => scan(text, table, onHit) };
}

/** Where each of several begins if they stand one behind the other, and where the last ends. */
function starts(several: readonly { readonly length: number }[]): Uint16Array {
  const found = new Uint16Array(several.length + 1);
  for (const [at, { length }] of several.entries()) found[at + 1] = found[at]! + length;
  return found;
}

function scan(text: string, table: Table, onHit: (keyword: number, at: number) => void): void {
  const { bucketOf, buckets, keywords, offsets } = table;
  let gram = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    gram = ((gram << BITS) | (code < 128 ? CLASS_OF[code]! : 0)) & GRAM_MASK;
    const bucket = bucketOf[gram]!;
    if (bucket === 0) continue;
    for (let next = buckets[bucket]!; next < buckets[bucket + 1]!; next++) {
      const keyword = keywords[next]!;
      const start = at - 2 - offsets[keyword]!;
      if (start >= 0 && isAt(table, keyword, text, start)) onHit(keyword, start);
    }
  }
}

function isAt({ text: all, starts }: Table, keyword: number, text: string, start: number): boolean {
  const end = starts[keyword + 1]!;
  for (let from = starts[keyword]!, at = start; from < end; from++, at++) {
    let code = text.charCodeAt(at);
    if (code >= 65 && code <= 90) code |= 32;
    if (code !== all.charCodeAt(from)) return false;
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
