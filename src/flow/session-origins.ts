/**
 * The origins of values in one session: hears every event, keeps the ledger, answers `flow.of`. A function of the events and the policy's
 * `sources:`, so that a backtest makes the same ledger of a tape, or another one with other sources.
 */
import { BoundedMap, clip, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { ObservedEvent, SinkQuestion, ValueOrigin, ValueOrigins } from '../engine/index.ts';
import { labelCall } from './call-label.ts';
import { KIND, type Ledger, type LookupValue, namesIn, type Source } from './ledger.ts';
import { type Label, Sources } from './sources.ts';
import { cargoOf, hostOf, isLink, isReachable, namesReachable, normalised } from './tokens.ts';

const MOST_FIELDS = 100_000;
const MOST_QUESTIONS = 200;
const MOST_ENTRIES = 8;
const DEEPEST = 20;
const MOST_READ = 64;
const LONGEST_READ = 10_000;

export class SessionOrigins implements ValueOrigins {
  readonly ledger: Ledger;
  sources: Sources;
  /** Of calls that were asked about: what a yes endorses. */
  readonly questions = new Map<string, readonly number[]>();
  /** A store has the key of the ledger. */
  isSaved = false;
  private unsaved = new Map<string, readonly number[]>();
  private settled = new Set<string>();
  private lastHeard = '';
  private readonly lastRead = new BoundedMap<string, ReturnType<typeof namesIn>>(MOST_READ);

  constructor(ledger: Ledger, sources: Sources = new Sources([])) {
    this.ledger = ledger;
    this.sources = sources;
  }

  hear(heard: ObservedEvent): void {
    const { event, payload, entry, at } = heard;
    if (event !== 'turn.start' && event !== 'tool.post' && event !== 'delegation.post') return;
    // A backtest may try one entry twice.
    const key = entry === null ? '' : `${entry} ${event}`;
    if (key !== '' && key === this.lastHeard) return;
    this.lastHeard = key;
    if (event === 'turn.start') this.hearPrompt(textsIn(payload), { entry, at });
    else if (!isJsonObject(payload)) return;
    else if (event === 'delegation.post') {
      const integrity = this.ledger.untrusted ? 'untrusted' : 'trusted';
      this.learn(integrity, [], { entry, at, words: 'a sub-agent' }, textsIn(payload.result ?? null));
    } else this.hearResult(heard, payload);
  }

  hearPrompt(texts: readonly string[], { entry, at }: Pick<Source, 'entry' | 'at'>): void {
    const user = { entry, at, words: 'the user' };
    this.learn('user', [], user, texts);
    const sizes = texts.flatMap(amountsIn).map(sizeOf);
    if (sizes.length === 0) return;
    const digests = [ANY_SIZE, ...sizes].map((size) => this.amountDigest(size));
    this.ledger.learnDigests({ integrity: 'user', confidential: [], ...user }, digests);
  }

  private hearResult(heard: ObservedEvent, payload: JsonObject): void {
    const { entry, at } = heard;
    const { call_id: call, content, result } = payload;
    if (typeof call === 'string') this.answered(call, at);
    const { ledger } = this;
    const { label, words, writes } = labelCall(heard, this.sources, {
      untrusted: ledger.untrusted,
      isTainted: (path, withBelow) => this.isTainted(path, withBelow),
    });
    const where = { entry, at, words };
    // What the agent says before it has read anything untrusted, nobody put into its mouth.
    if (!ledger.untrusted)
      this.learn('trusted', [], { entry, at, words: 'the agent' }, textsIn(payload.args ?? null));
    const shown = typeof content === 'string' ? (jsonIn(content) ?? content) : (content ?? null);
    if (label.integrity === 'untrusted') this.hearRecord(shown, payload, label.confidential, where);
    const fields = new Fields(label);
    fields.add(shown);
    if (result !== undefined && result !== null) fields.add(result);
    if (fields.trusted.length > 0) this.learn('trusted', label.confidential, where, fields.trusted);
    if (fields.rest.length > 0) this.learn(label.integrity, label.confidential, where, fields.rest);
    if (label.integrity === 'untrusted') ledger.untrusted = true;
    if (writes.length > 0) this.wrote(writes, where);
  }

  /**
   * Of a result that is one record, what its server says and no text in it can: identifiers that no source had before are what the call
   * made, if it makes something; numbers and codes of three letters, which name nobody, count if the user named the record.
   */
  private hearRecord(
    record: Json,
    { name, args }: JsonObject,
    confidential: readonly string[],
    where: Omit<Source, 'integrity' | 'confidential'>,
  ): void {
    if (!isJsonObject(record)) return;
    const { ledger } = this;
    const digestOf = (text: string) => ledger.hash.ofText(normalised(text), KIND.word);
    const isNew = (text: string) => ledger.find(digestOf(text)).best === null;
    const entries = Object.entries(record);
    const ids = entries.flatMap(([key, value]) =>
      isId(value, isIdentifier(key)) && isNew(String(value)) ? [String(value)] : [],
    );
    if (ids.length > 0) this.learn('untrusted', confidential, { ...where, made: String(name) }, ids);
    const isPointedTo = textsIn(args ?? null).some(
      (text) =>
        /\d/.test(text) && !namesReachable(text) && ledger.find(digestOf(text)).best?.integrity === 'user',
    );
    if (!isPointedTo) return;
    const facts = entries.flatMap(([key, value]) =>
      !isIdentifier(key) && isFact(value) ? [String(value)] : [],
    );
    const words = 'a record that the user named';
    if (facts.length > 0) this.learn('trusted', confidential, { ...where, words }, facts);
  }

  private learn(
    integrity: Source['integrity'],
    confidential: readonly string[],
    where: Omit<Source, 'integrity' | 'confidential'>,
    texts: readonly string[],
  ): void {
    this.ledger.learn({ integrity, confidential, ...where }, texts);
  }

  /** The file, and that the folders above it have such a file; tainted after an untrusted read. */
  private wrote(paths: readonly string[], { entry, at }: Pick<Source, 'entry' | 'at'>): void {
    const { ledger } = this;
    const digests = paths.flatMap((path) => [
      ledger.hash.ofText(path, KIND.file),
      ...foldersOf(path).map((folder) => ledger.hash.ofText(folder, KIND.folder)),
    ]);
    const isKnown = (digest: number) => {
      const { best, untrusted } = ledger.find(digest);
      return (ledger.untrusted ? untrusted : best) !== null;
    };
    const fresh = [...new Set(digests)].filter((digest) => !isKnown(digest));
    if (fresh.length === 0) return;
    const integrity = ledger.untrusted ? 'untrusted' : 'trusted';
    const words = ledger.untrusted ? 'a file written after an untrusted read' : 'a file of this session';
    ledger.learnDigests({ integrity, confidential: [], entry, at, words, stays: true }, fresh);
  }

  isMade(path: string): boolean {
    const { hash } = this.ledger;
    return [KIND.file, KIND.folder].some((kind) => this.ledger.find(hash.ofText(path, kind)).best !== null);
  }

  private isTainted(path: string, withBelow: boolean): boolean {
    const { ledger } = this;
    if (ledger.filesLost) return true;
    const has = (kind: number, text: string) =>
      ledger.find(ledger.hash.ofText(text, kind)).untrusted !== null;
    return has(KIND.file, path) || (withBelow && has(KIND.folder, path));
  }

  of(value: Json): ValueOrigin {
    const parts: Part[] = [];
    for (const text of textsIn(value)) parts.push(...this.partsIn(text));
    const worst = parts.reduce<Part | null>(
      (all, part) => (all === null || weight(part) > weight(all) ? part : all),
      null,
    );
    const labels = new Set(parts.flatMap(({ labels: own }) => own));
    const entries = new Set<number>();
    const origin = worst?.origin ?? 'unknown';
    for (const part of parts)
      if (part.origin === origin && part.source?.entry != null && entries.size < MOST_ENTRIES)
        entries.add(part.source.entry);
    const source = worst?.source ?? null;
    return {
      origin,
      labels: [...labels].sort(),
      entries: [...entries].sort((a, b) => a - b),
      source: source === null ? null : sourceText(source),
    };
  }

  /** What a value names, each with the source that said it first; null for one that none did. */
  namesIn(value: Json): readonly { readonly text: string; readonly source: Source | null }[] {
    return textsIn(value).flatMap((text) =>
      this.read(text).names.map((name) => ({ text: name.text, source: this.partOf(name).source })),
    );
  }

  foreignNames(value: Json): { readonly names: readonly string[]; readonly source: string | null } {
    const { ledger } = this;
    if (!ledger.untrusted) return { names: [], source: null };
    const texts = textsIn(value);
    const found = new Set<string>();
    let source: string | null = null;
    // Also of one that is split over several arguments.
    for (const text of texts.length > 1 ? [...texts, texts.join('')] : texts) {
      for (const name of this.read(text).names) {
        if (!name.strong || !isReachable(name.text)) continue;
        const part = this.partOf(name);
        if (part.origin !== 'untrusted' || (part.source === null && !ledger.lost)) continue;
        found.add(name.text);
        source ??= part.source === null ? null : sourceText(part.source);
      }
    }
    return { names: [...found], source };
  }

  carryingLinks(value: Json): { readonly names: readonly string[]; readonly source: string | null } {
    const { ledger } = this;
    if (!ledger.untrusted) return { names: [], source: null };
    const links = textsIn(value).flatMap((text) => this.read(text).names.filter((name) => isLink(name.text)));
    for (const link of links) {
      if (ledger.find(link.digest).best !== null) continue;
      const source = this.hostSource(link.text);
      if (source?.integrity !== 'untrusted') continue;
      const { open, pieces } = cargoOf(link.text);
      const isSeen = (piece: string) => ledger.find(ledger.hash.ofText(piece, KIND.word)).untrusted !== null;
      if (open || !pieces.every(isSeen)) return { names: [link.text], source: sourceText(source) };
    }
    return { names: [], source: null };
  }

  /** Of the host of a link, or of the domain it belongs to. */
  private hostSource(link: string): Source | null {
    const [host = ''] = hostOf(link);
    const labels = host.split('.');
    for (let at = 0; at < Math.max(1, labels.length - 1); at++) {
      const { best } = this.ledger.find(this.ledger.hash.ofText(labels.slice(at).join('.'), KIND.word));
      if (best !== null) return best;
    }
    return null;
  }

  asksFor(words: readonly string[]): boolean {
    const { ledger } = this;
    // Of a host that passes no prompts on, what was asked for cannot be known.
    if (!ledger.prompted) return true;
    return words.some((word) => {
      const digest = ledger.hash.ofText(normalised(word), KIND.word);
      return ledger.find(digest).best?.integrity === 'user';
    });
  }

  asksForAmount(amount: number): boolean {
    const isNamed = (size: number) => this.ledger.find(this.amountDigest(size)).best?.integrity === 'user';
    if (!isNamed(ANY_SIZE)) return true;
    for (let size = sizeOf(amount); size <= LARGEST_SIZE; size++) if (isNamed(size)) return true;
    return false;
  }

  private amountDigest(size: number): number {
    return this.ledger.hash.ofText(String(size), KIND.amount);
  }

  madeBy(id: string): string | null {
    return this.ledger.find(this.ledger.hash.ofText(normalised(id), KIND.word)).best?.made ?? null;
  }

  labels(): readonly string[] {
    const { untrusted, confidential } = this.ledger;
    return [...(untrusted ? ['untrusted'] : []), ...[...confidential].sort()];
  }

  mayRead(label: string, reader: string): boolean {
    return this.sources.mayRead(label, reader);
  }

  isEndorsed(sink: string, value: string): boolean {
    return this.ledger.find(this.endorsement(sink, value)).best !== null;
  }

  asked({ call, sink, values }: SinkQuestion): void {
    const digests = values.map((value) => this.endorsement(sink, value));
    const all = [...(this.questions.get(call) ?? []), ...digests];
    this.questions.set(call, all);
    this.unsaved.set(call, all);
    const [oldest] = this.questions.keys();
    if (this.questions.size > MOST_QUESTIONS && oldest !== undefined) this.questions.delete(oldest);
  }

  endorse(sink: string, value: string): void {
    this.endorseDigests([this.endorsement(sink, value)], 0);
  }

  /** A call that was asked about and has run was approved. */
  private answered(call: string, at: number): void {
    const digests = this.questions.get(call);
    if (digests === undefined) return;
    this.questions.delete(call);
    if (!this.unsaved.delete(call)) this.settled.add(call);
    this.endorseDigests(digests, at);
  }

  /** Changes for a store since the last time. */
  takeQuestions(): {
    readonly asked: readonly (readonly [string, readonly number[]])[];
    readonly answered: readonly string[];
  } {
    const taken = { asked: [...this.unsaved], answered: [...this.settled] };
    this.unsaved = new Map();
    this.settled = new Set();
    return taken;
  }

  private endorseDigests(digests: readonly number[], at: number): void {
    const words = 'an answer of a person';
    this.ledger.learnDigests(
      { integrity: 'user', confidential: [], entry: null, at, words, stays: true },
      digests,
    );
  }

  private endorsement(sink: string, value: string): number {
    return this.ledger.hash.ofText(`${sink}\0${normalised(value).trim()}`, KIND.endorsed);
  }

  /** Questions about one value follow each other. */
  private read(text: string): ReturnType<typeof namesIn> {
    let names = this.lastRead.get(text);
    if (names === undefined) {
      names = namesIn(text, this.ledger.hash);
      if (text.length <= LONGEST_READ) this.lastRead.set(text, names);
    }
    return names;
  }

  private partsIn(text: string): Part[] {
    const { ledger } = this;
    const { names, passages, cut } = this.read(text);
    const parts = names.map((name) => this.partOf(name));
    const labels = new Set<string>();
    for (const passage of passages)
      for (const label of ledger.find(passage).confidential?.confidential ?? []) labels.add(label);
    if (labels.size > 0) parts.push({ origin: 'user', source: null, labels: [...labels] });
    if (cut) parts.push({ origin: ledger.untrusted ? 'untrusted' : 'unknown', source: null, labels: [] });
    return parts;
  }

  private partOf({ text, digest, strong, parts }: LookupValue): Part {
    const { ledger } = this;
    const found = ledger.find(digest);
    const source = found.best;
    if (source !== null) {
      // A plain word of a confidential source says nothing.
      const labels = strong && source.integrity !== 'user' ? (found.confidential?.confidential ?? []) : [];
      return { origin: source.integrity, source, labels };
    }
    // Of a link that no source has, its host says where it goes; of a path, its name.
    const host = hostOf(text).map((each) => ledger.hash.ofText(each, KIND.word));
    const others = host.length > 0 ? host : text.includes('@') ? [] : parts;
    for (const other of others) {
      const { best } = ledger.find(other);
      if (best !== null) return { origin: best.integrity, source: best, labels: [] };
    }
    return { origin: ledger.untrusted ? 'untrusted' : 'unknown', source: null, labels: [] };
  }
}

/** Names of fields and arguments that say which one is meant: `comment_id`, `subjectNumber`, `url_id`. */
export function isIdentifier(key: string): boolean {
  return /(?:id|ids|uuids?|numbers?|no|key|code|ref|reference)$/.test(key.toLowerCase());
}

const LONGEST_ID = 64;

/** One word by which nobody can be reached, with a digit unless its field says what it is. */
function isId(value: Json, isSaid: boolean): boolean {
  if (typeof value === 'number') return isSaid;
  return (
    typeof value === 'string' &&
    (isSaid || /\d/.test(value)) &&
    /^[\w.:-]+$/.test(value) &&
    value.length <= LONGEST_ID &&
    !namesReachable(value)
  );
}

function isFact(value: Json): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[a-z]{1,3}$/i.test(value));
}

/** Numbers of a prompt that can say how much: no parts of names, days and times, and not what a noun before them numbers. */
const AMOUNT =
  /(?<![\w.,:/#-])(?<!\b(?:ticket|tickets|issue|order|number|no|version|room|page|case|invoice|pr|at|since|until|till|phone|mail) )(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?(?![\w:/-]|[.,]\d| ?(?:am|pm|o'clock|st|nd|rd|th|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/g;

function amountsIn(text: string): number[] {
  return [...normalised(text.slice(0, LONGEST_READ)).matchAll(AMOUNT)].map(([written]) =>
    Number(written.replaceAll(',', '')),
  );
}

// Sizes are steps of two percent, so that a ledger of digests can say what is larger.
const ANY_SIZE = -1;
const STEPS = 32;
const sizeOf = (amount: number): number => Math.max(0, Math.ceil(STEPS * Math.log2(Math.abs(amount) + 1)));
const LARGEST_SIZE = sizeOf(9_999_999);

interface Part {
  readonly origin: ValueOrigin['origin'];
  readonly source: Source | null;
  readonly labels: readonly string[];
}

const WEIGHTS = { user: 0, trusted: 1, unknown: 2, untrusted: 3 } as const;

/** A source that can be named comes before one that cannot. */
function weight({ origin, source }: Part): number {
  return 2 * WEIGHTS[origin] + (source === null ? 0 : 1);
}

const MOST_SHOWN = 80;

export function sourceText({ words, at, entry }: Source): string {
  const time = new Date(at).toISOString().slice(11, 16);
  return `${clip(words, MOST_SHOWN)} read at ${time} UTC${entry === null ? '' : ` (entry ${entry})`}`;
}

/** The texts of a result by the label of their field. */
class Fields {
  readonly trusted: string[] = [];
  readonly rest: string[] = [];
  private readonly fields: ReadonlySet<string>;
  private left = MOST_FIELDS;

  constructor({ integrity, trustedFields }: Label) {
    this.fields = new Set(integrity === 'trusted' ? [] : trustedFields);
  }

  add(value: Json, trusted = false, depth = 0): void {
    if (depth > DEEPEST || --this.left < 0) {
      // What is not walked through counts as one text.
      this.rest.push(JSON.stringify(value));
    } else if (typeof value === 'string') {
      const inner = depth > 0 && !trusted ? jsonIn(value) : null;
      if (inner !== null) this.add(inner, false, depth + 1);
      else (trusted ? this.trusted : this.rest).push(value);
    } else if (typeof value === 'number') (trusted ? this.trusted : this.rest).push(String(value));
    else if (Array.isArray(value)) for (const each of value) this.add(each, trusted, depth + 1);
    else if (isJsonObject(value))
      for (const [key, held] of Object.entries(value))
        this.add(held, trusted || this.fields.has(key), depth + 1);
  }
}

/** Null: it is no JSON of several values. */
function jsonIn(text: string): Json | null {
  // A text that only begins like it costs an exception.
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s{0,8}$/.test(text)) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function textsIn(value: Json, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (depth > DEEPEST) return [JSON.stringify(value)];
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, depth + 1));
  return isJsonObject(value) ? Object.values(value).flatMap((each) => textsIn(each, depth + 1)) : [];
}

function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    folders.push(path.slice(0, at));
  return folders;
}
