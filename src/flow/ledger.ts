/**
 * The ledger of a session: for each source the digests of the values it has, with its label. It holds digests under a key of the session
 * and no value; it is bounded, and what falls out counts as untrusted. `saved` and `load` are what a store keeps of it.
 */
import { clip, fromBase64, toBase64 } from '../base/index.ts';
import { KEY_FORM, KeyedHash, pairOf } from './keyed-hash.ts';
import type { Integrity } from './sources.ts';
import { decodedIn, eachToken, groupedIn, normalised, partsOf, sameName } from './tokens.ts';

export const LEDGER_LIMITS = {
  /** Digests of a session. */
  values: 48_000,
  /** Of one source with one label. */
  valuesOfSource: 6000,
  sources: 4000,
  /** Of one text, in UTF-16 units; what follows falls out. */
  characters: 2_000_000,
  /** Of which pairs of words are taken; beyond it only what names something by itself. */
  wordCharacters: 24_000,
} as const;

/** Kinds of values, so that a word is no file. */
export const KIND = { word: 1, file: 2, folder: 3, endorsed: 4, amount: 5 } as const;
const WORD = KIND.word;
/** Under which a store has that untrusted values fell out, or labels of files. */
const LOST = 'lost';
const FILES_LOST = 'files';

/** So many words in a row are a passage; of neighbouring passages the smallest digest stands for all. */
const PASSAGE = 8;
const NEIGHBOURS = 4;

export interface Source {
  readonly integrity: Integrity;
  readonly confidential: readonly string[];
  readonly entry: number | null;
  readonly at: number;
  /** "a web page", for questions. */
  readonly words: string;
  /** The tool whose result named these identifiers first. */
  readonly made?: string;
  /** Its values are files or answers of a person: it falls out last. */
  readonly stays?: true;
}

interface Row {
  readonly source: Source;
  readonly values: Float64Array;
  /** Some of its values fell out. */
  readonly lost: boolean;
}

/** What the sources say of one digest: places of rows, from 1; 0: none. */
interface Slot {
  readonly best: number;
  readonly untrusted: number;
  readonly confidential: number;
}

const NOWHERE: Slot = { best: 0, untrusted: 0, confidential: 0 };

export class Ledger {
  readonly key: string;
  readonly hash: KeyedHash;
  private rows: Row[] = [];
  /** By the key under which a store has it. */
  private readonly known = new Set<string>();
  private unsaved: { readonly key: string; readonly row: Row }[] = [];
  private dropped: string[] = [];
  private readonly keys: string[] = [];
  private count = 0;
  private written = 0;
  // Open addressing: digests and three places of rows each.
  private digests = new Float64Array(1024);
  private places = new Uint16Array(3 * 1024);
  private filled = 0;
  /** Values of an untrusted source fell out. */
  lost = false;
  /** Labels of files fell out. */
  filesLost = false;
  /** Something untrusted was read. */
  untrusted = false;
  /** The host says what the user typed. */
  prompted = false;
  readonly confidential = new Set<string>();

  private readonly writer: string;

  /** `writer` keeps the rows of processes apart that write at once. */
  constructor(key: string, writer = '') {
    if (!KEY_FORM.test(key)) throw new RangeError('a key of a ledger has 16 hexadecimal digits');
    this.key = key;
    this.writer = writer;
    this.hash = new KeyedHash(key);
  }

  get size(): number {
    return this.count;
  }

  learn(source: Source, texts: readonly string[]): void {
    const { values, lost } = valuesOf(texts, this.hash, source.confidential.length > 0);
    this.learnDigests(source, values.all(), lost);
  }

  learnDigests(source: Source, values: ArrayLike<number>, lost = false): void {
    // A session that repeats its calls must not grow by each. What restricts is always stored, so that the newest falls out last.
    const restricts = source.integrity === 'untrusted' || source.confidential.length > 0 || lost;
    const isStored = restricts || source.stays === true;
    const news = isStored ? values : Array.from(values).filter((digest) => this.isNews(source, digest));
    if (news.length === 0 && !isStored) return;
    const key = `${source.at.toString(36).padStart(9, '0')}.${(++this.written).toString(36)}.${this.writer}`;
    this.add(key, { source, values: new Float64Array(news), lost }, true);
  }

  private isNews(source: Source, digest: number): boolean {
    const { best } = this.slotOf(digest);
    return best === 0 || rank(source) < rank(this.rows[best - 1]!.source);
  }

  find(digest: number): {
    readonly best: Source | null;
    readonly untrusted: Source | null;
    readonly confidential: Source | null;
  } {
    const slot = this.slotOf(digest);
    const at = (place: number) => this.rows[place - 1]?.source ?? null;
    return { best: at(slot.best), untrusted: at(slot.untrusted), confidential: at(slot.confidential) };
  }

  /** Changes for a store since the last time, and what to remove from it. */
  takeChanges(): {
    readonly set: readonly (readonly [string, string])[];
    readonly remove: readonly string[];
  } {
    const set = this.unsaved.map(({ key, row }): readonly [string, string] => [key, rowText(row)]);
    for (const [key, isLost] of [
      [LOST, this.lost],
      [FILES_LOST, this.filesLost],
    ] as const) {
      if (!isLost || this.known.has(key)) continue;
      this.known.add(key);
      set.push([key, '']);
    }
    const remove = this.dropped;
    this.unsaved = [];
    this.dropped = [];
    return { set, remove };
  }

  /** Rows that another process of the session saved. */
  load(saved: ReadonlyMap<string, string>): void {
    for (const key of [...saved.keys()].sort()) {
      if (this.known.has(key)) continue;
      if (key === LOST || key === FILES_LOST) {
        this.known.add(key);
        this.lost = this.untrusted = true;
        if (key === FILES_LOST) this.filesLost = true;
        continue;
      }
      const row = rowIn(saved.get(key)!);
      if (row === null) this.lost = this.untrusted = true;
      else this.add(key, row, false);
    }
  }

  private add(key: string, row: Row, isNew: boolean): void {
    this.known.add(key);
    this.keys.push(key);
    this.rows.push(row);
    if (isNew) this.unsaved.push({ key, row });
    this.count += row.values.length;
    this.note(row);
    if (this.count > LEDGER_LIMITS.values || this.rows.length > LEDGER_LIMITS.sources) this.forget();
    else this.index(row, this.rows.length);
  }

  private note({ source, lost }: Row): void {
    if (source.integrity === 'untrusted') {
      this.untrusted = true;
      if (lost) this.lost = true;
    }
    if (source.integrity === 'user' && source.stays !== true) this.prompted = true;
    for (const label of source.confidential) this.confidential.add(label);
  }

  /** The oldest go until a quarter is free; what the user said, and files, go last. */
  private forget(): void {
    const most = LEDGER_LIMITS.values * 0.75;
    const mostRows = LEDGER_LIMITS.sources * 0.75;
    let { count } = this;
    let { length } = this.rows;
    const gone = new Set<number>();
    for (const last of [false, true]) {
      for (const [place, { source, values }] of this.rows.entries()) {
        if (count <= most && length <= mostRows) break;
        if ((source.integrity === 'user' || source.stays === true) !== last) continue;
        gone.add(place);
        count -= values.length;
        length--;
        if (source.integrity !== 'untrusted') continue;
        this.lost = true;
        if (source.stays === true) this.filesLost = true;
      }
    }
    const removed = new Set([...gone].map((place) => this.keys[place]!));
    const unsaved = new Set(this.unsaved.map(({ key }) => key));
    this.dropped.push(...[...removed].filter((key) => !unsaved.has(key)));
    this.unsaved = this.unsaved.filter(({ key }) => !removed.has(key));
    this.rows = this.rows.filter((_, place) => !gone.has(place));
    this.keys.splice(0, this.keys.length, ...this.keys.filter((key) => !removed.has(key)));
    this.count = count;
    this.digests = new Float64Array(1024);
    this.places = new Uint16Array(3 * 1024);
    this.filled = 0;
    for (const [place, row] of this.rows.entries()) this.index(row, place + 1);
  }

  private index({ source, values }: Row, place: number): void {
    for (let i = 0; i < values.length; i++) {
      if (4 * (this.filled + 1) > 3 * this.digests.length) this.grow();
      const digest = values[i]!;
      const slot = this.probe(this.digests, digest);
      if (this.digests[slot] === 0) {
        this.digests[slot] = digest;
        this.filled++;
      }
      const at = 3 * slot;
      const best = this.places[at]!;
      if (best === 0 || rank(source) < rank(this.rows[best - 1]!.source)) this.places[at] = place;
      if (source.integrity === 'untrusted' && this.places[at + 1] === 0) this.places[at + 1] = place;
      if (source.confidential.length > 0 && this.places[at + 2] === 0) this.places[at + 2] = place;
    }
  }

  private slotOf(digest: number): Slot {
    const slot = this.probe(this.digests, digest);
    if (this.digests[slot] === 0) return NOWHERE;
    const at = 3 * slot;
    return {
      best: this.places[at]!,
      untrusted: this.places[at + 1]!,
      confidential: this.places[at + 2]!,
    };
  }

  private probe(digests: Float64Array, digest: number): number {
    const mask = digests.length - 1;
    let slot = (digest ^ (digest / 0x1_0000)) & mask;
    while (digests[slot] !== 0 && digests[slot] !== digest) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const digests = new Float64Array(2 * this.digests.length);
    const places = new Uint16Array(2 * this.places.length);
    for (let from = 0; from < this.digests.length; from++) {
      if (this.digests[from] === 0) continue;
      const to = this.probe(digests, this.digests[from]!);
      digests[to] = this.digests[from]!;
      places.set(this.places.subarray(3 * from, 3 * from + 3), 3 * to);
    }
    this.digests = digests;
    this.places = places;
  }
}

const RANK = { user: 0, trusted: 1, untrusted: 2 } as const;

function rank({ integrity }: Source): number {
  return RANK[integrity];
}

/** Different digests in their order. A set of the language would put each number on the heap. */
class Digests {
  size = 0;
  private found = new Float64Array(512);
  private slots = new Uint16Array(1024);

  add(digest: number): void {
    const { found, slots } = this;
    const mask = slots.length - 1;
    let slot = digest & mask;
    for (let at = slots[slot]!; at !== 0; at = slots[slot]!) {
      if (found[at - 1] === digest) return;
      slot = (slot + 1) & mask;
    }
    found[this.size++] = digest;
    slots[slot] = this.size;
    if (this.size === found.length) this.grow();
  }

  all(): Float64Array {
    return this.found.subarray(0, this.size);
  }

  private grow(): void {
    const { found } = this;
    this.size = 0;
    this.found = new Float64Array(2 * found.length);
    this.slots = new Uint16Array(2 * this.slots.length);
    for (const digest of found) this.add(digest);
  }
}

/** Everything in texts that names something, as digests; `passages`: also runs of words, which only labels need. */
export function valuesOf(
  texts: readonly string[],
  hash: KeyedHash,
  passages: boolean,
): { readonly values: Digests; readonly lost: boolean } {
  const values = new Digests();
  const most = LEDGER_LIMITS.valuesOfSource;
  let lost = false;
  let left: number = LEDGER_LIMITS.characters;
  let words: number = LEDGER_LIMITS.wordCharacters;
  for (const whole of texts) {
    if (left <= 0 || values.size >= most) {
      lost = true;
      break;
    }
    if (whole.length > left) lost = true;
    const part = whole.length > left ? whole.slice(0, left) : whole;
    left -= part.length;
    for (const [at, text] of [part, ...decodedIn(part)].entries()) {
      const read = normalised(text);
      words -= collect(read, hash, values, { words, passages });
      if (at === 0 && values.size < most) grouped(read, hash, values, most);
    }
  }
  return { values, lost: lost || values.size >= most };
}

/** Returns how many characters of words were read. */
function collect(
  text: string,
  hash: KeyedHash,
  values: Digests,
  { words, passages }: { readonly words: number; readonly passages: boolean },
): number {
  const most = LEDGER_LIMITS.valuesOfSource;
  const read: number[] = [];
  let before = 0;
  eachToken(text, (from, to, strong) => {
    const near = from < words;
    const word = near || passages ? hash.of(text, from, to, WORD) : 0;
    if (strong) {
      const token = text.slice(from, to);
      const name = sameName(token);
      values.add(word !== 0 && name === token ? word : hash.ofText(name, WORD));
      for (const part of partsOf(token)) values.add(hash.ofText(part, WORD));
    }
    if (near || passages) {
      if (passages) read.push(word);
      if (near) {
        values.add(word);
        if (before !== 0) values.add(pairOf(before, word));
        before = word;
      }
    }
    return values.size < most;
  });
  if (passages) for (const passage of least(passagesOf(read))) if (values.size < most) values.add(passage);
  return Math.min(words, text.length);
}

/** Of neighbouring passages the smallest, so that a run of words that is long enough has one of them. */
function least(passages: readonly number[]): Set<number> {
  const found = new Set<number>();
  for (let at = 0; at + NEIGHBOURS <= passages.length; at++) {
    let smallest = passages[at]!;
    for (let next = 1; next < NEIGHBOURS; next++)
      if (passages[at + next]! < smallest) smallest = passages[at + next]!;
    found.add(smallest);
  }
  return found;
}

function grouped(text: string, hash: KeyedHash, values: Digests, most: number): void {
  for (const found of groupedIn(text)) {
    if (values.size >= most) return;
    values.add(hash.ofText(found, WORD));
  }
}

/** A value as it is looked up. */
export interface LookupValue {
  readonly text: string;
  readonly digest: number;
  readonly strong: boolean;
  /** Digests of what it may be known by if it is not known itself. */
  readonly parts: readonly number[];
}

const MOST_NAMES = 2000;

/** What a value names: what names something by itself, else its words two by two. */
export function namesIn(
  value: string,
  hash: KeyedHash,
): { readonly names: readonly LookupValue[]; readonly passages: readonly number[]; readonly cut: boolean } {
  const names: LookupValue[] = [];
  const words: LookupValue[] = [];
  const pairs: LookupValue[] = [];
  let cut = false;
  let before: { readonly text: string; readonly digest: number } | null = null;
  const text = normalised(value.slice(0, LEDGER_LIMITS.wordCharacters));
  if (value.length > LEDGER_LIMITS.wordCharacters) cut = true;
  // The first is the whole.
  const [joined] = groupedIn(text);
  if (joined !== undefined)
    names.push({ text: joined, digest: hash.ofText(joined, WORD), strong: true, parts: [] });
  eachToken(text, (from, to, strong) => {
    const word = text.slice(from, to);
    const digest = hash.of(text, from, to, WORD);
    const parts = strong ? partsOf(word).map((part) => hash.ofText(part, WORD)) : [];
    const own: LookupValue = { text: word, digest, strong, parts };
    if (strong && joined?.includes(word) !== true)
      names.push({ ...own, digest: hash.ofText(sameName(word), WORD) });
    words.push(own);
    if (before !== null)
      pairs.push({
        text: `${before.text} ${word}`,
        digest: pairOf(before.digest, digest),
        strong: false,
        parts: [],
      });
    before = { text: word, digest };
    cut ||= words.length >= MOST_NAMES;
    return words.length < MOST_NAMES;
  });
  const passages = passagesOf(words.map(({ digest }) => digest));
  if (names.length > 0) return { names, passages, cut };
  return { names: pairs.length > 0 ? pairs : words, passages, cut };
}

/** A digest for each run of words, of which each is added to the one before and taken away at its end. */
function passagesOf(words: readonly number[]): number[] {
  const found: number[] = [];
  let low = 0;
  let high = 0;
  for (let at = 0; at < words.length; at++) {
    const past = at < PASSAGE ? 0 : words[at - PASSAGE]!;
    low = (Math.imul(low, LOW_BASE) + (words[at]! >>> 0) - Math.imul(past >>> 0, LOW_PAST)) | 0;
    high = (Math.imul(high, HIGH_BASE) + (words[at]! >>> 0) - Math.imul(past >>> 0, HIGH_PAST)) | 0;
    if (at >= PASSAGE - 1) found.push(((high >>> 16) & 0xffff) * 0x1_0000_0000 + (low >>> 0));
  }
  return found;
}

const LOW_BASE = 0x01000193;
const HIGH_BASE = 0x85ebca6b;
const LOW_PAST = power(LOW_BASE);
const HIGH_PAST = power(HIGH_BASE);

function power(base: number): number {
  let product = 1;
  for (let times = 0; times < PASSAGE; times++) product = Math.imul(product, base);
  return product;
}

const MOST_WORDS = 80;

function rowText({ source, values, lost }: Row): string {
  const bytes = new Uint8Array(6 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of values.entries()) {
    view.setUint16(6 * at, value / 0x1_0000_0000);
    view.setUint32(6 * at + 2, value >>> 0);
  }
  return `${JSON.stringify({ ...source, words: clip(source.words, MOST_WORDS), lost })}\n${toBase64(bytes)}`;
}

/** Null: it cannot be read, and counts as lost. */
function rowIn(text: string): Row | null {
  try {
    const [head = '', body = ''] = text.split('\n');
    const { lost, ...source } = JSON.parse(head) as Source & { readonly lost: boolean };
    if (!(source.integrity in RANK) || !Array.isArray(source.confidential)) return null;
    const bytes = fromBase64(body);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const values = new Float64Array(Math.floor(bytes.length / 6));
    for (let at = 0; at < values.length; at++)
      values[at] = view.getUint16(6 * at) * 0x1_0000_0000 + view.getUint32(6 * at + 2);
    return { source, values, lost };
  } catch {
    return null;
  }
}
