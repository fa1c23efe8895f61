/**
 * Reads a tape, entry by entry in constant memory. It checks the shape of what it reads and nothing about the chain: verify.ts
 * proves. Records come whole, with the payloads and sources that a line leaves out because the tape has them elsewhere.
 */
import { HarnessError, isJsonObject, restoreOrder } from '../base/index.ts';
import type { MaybePromise } from '../engine/index.ts';
import { TapeDecoder } from './decode.ts';
import { type Entry, type Header, TAPE_VERSION, type TapeRecord } from './entry.ts';
import { isValidPolicy, isValidRecord } from './record-shape.ts';
import type { Line, StoredTape, TapeAt, TapeSource } from './store.ts';
import { type OnBytes, readLines, storedFile } from './tape-file.ts';

export interface Tape {
  readonly header: Header;
  /** In the order of the tape; a torn last line is left out. Can be gone through once. */
  readonly entries: Iterable<Entry>;
}

/** The same of a store, which may have to fetch it. */
export interface TapeLater {
  readonly header: Header;
  readonly entries: AsyncIterable<Entry>;
}

/** Throws TAPE_INVALID for what is no tape, and from the entries for a line that is none. */
export function readTape(path: string): Tape;
export function readTape(at: TapeAt): Promise<TapeLater>;
export function readTape(source: TapeSource): Tape | Promise<TapeLater> {
  if (typeof source !== 'string') return readStored(source);
  const lines = readLines(source);
  const first = lines.next();
  const reading = new Reading(source, first.done ? null : first.value, () => lines.return(undefined));
  return { header: reading.header, entries: entriesOf(reading, lines) };
}

function* entriesOf(reading: Reading, lines: Iterable<Line>): Generator<Entry> {
  for (const line of lines) {
    if (!line.whole) return;
    yield reading.entry(line);
  }
}

async function readStored(at: TapeAt): Promise<TapeLater> {
  const { name, lines } = await openSource(at);
  const iterator = Symbol.iterator in lines ? lines[Symbol.iterator]() : lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  const reading = new Reading(name, first.done ? null : first.value, () => void iterator.return?.());
  return { header: reading.header, entries: entriesLater(reading, iterator) };
}

async function* entriesLater(
  reading: Reading,
  iterator: Iterator<Line> | AsyncIterator<Line>,
): AsyncGenerator<Entry> {
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || !value.whole) return;
      yield reading.entry(value);
    }
  } finally {
    await iterator.return?.();
  }
}

/** One tape on its way through: what it has said so far is needed for what it says next. */
export class Reading {
  readonly header: Header;
  private readonly name: string;
  private readonly decoder: TapeDecoder;
  private number = 1;

  constructor(name: string, first: Line | null, stop: () => void) {
    const header = first?.whole === true ? parseHeader(first.bytes.toString('utf8')) : 'has no header';
    if (typeof header === 'string') {
      stop();
      throw invalid(name, header);
    }
    this.name = name;
    this.header = header;
    this.decoder = new TapeDecoder(header);
  }

  entry({ bytes }: Line): Entry {
    this.number++;
    const entry = parseEntry(bytes.toString('utf8'));
    if (typeof entry === 'string') throw invalid(this.name, `line ${this.number} ${entry}`);
    return this.decoder.decode(entry);
  }

  /** What stands before the place that reading begins at. */
  hear(entry: Entry): void {
    this.decoder.decode(entry);
  }
}

/** A file, or a tape of a store. Throws TAPE_INVALID if there is none. */
export function openSource(source: string, onBytes?: OnBytes): StoredTape;
export function openSource(source: TapeSource, onBytes?: OnBytes): MaybePromise<StoredTape>;
export function openSource(source: TapeSource, onBytes?: OnBytes): MaybePromise<StoredTape> {
  if (typeof source === 'string') return storedFile(source, 0, onBytes);
  const { store, session } = source;
  const found = store.read(session);
  return found instanceof Promise
    ? found.then((tape) => requireTape(tape, session))
    : requireTape(found, session);
}

function requireTape(tape: StoredTape | null, session: string): StoredTape {
  if (tape !== null) return tape;
  throw new HarnessError('TAPE_INVALID', `the store has no tape of session ${session}`);
}

/** The header alone. Throws TAPE_INVALID. */
export function headerOf(path: string): Header {
  const { header, entries } = readTape(path);
  (entries as Generator<Entry>).return(undefined);
  return header;
}

/** The header, or what is wrong with it. */
export function parseHeader(line: string): Header | string {
  const value = parse(line);
  if (!isJsonObject(value) || value.tape === undefined) return 'is not a tape: its first line is no header';
  if (value.tape !== TAPE_VERSION)
    return `is a tape of version ${JSON.stringify(value.tape)}; this program reads version ${TAPE_VERSION}`;
  const texts = ['session', 'engine', 'host', 'started'].every((key) => typeof value[key] === 'string');
  if (!texts || !isValidPolicy(value.policy)) return 'has a header that lacks a field';
  return value as unknown as Header;
}

const HASH_LENGTH = 64;

/** The entry with the keys of its record as they stood when it was written, or what is wrong with it. */
export function parseEntry(line: string): Entry | string {
  const entry = checkEntry(line);
  if (typeof entry === 'string' || entry.order === undefined) return entry;
  try {
    return { ...entry, record: restoreOrder(entry.record, entry.order) };
  } catch {
    return 'has an order of keys that does not fit';
  }
}

/** The entry with the keys of its record sorted, as they stand in the line. */
export function checkEntry(line: string): Entry | string {
  const value = parse(line);
  if (value === undefined) return 'is not JSON';
  if (!isJsonObject(value) || !isJsonObject(value.record) || typeof value.record.type !== 'string') {
    return 'is not an entry';
  }
  if (!isValidRecord(value.record as unknown as TapeRecord)) return 'lacks what its kind has';
  if (typeof value.seq !== 'number' || !Number.isSafeInteger(value.seq)) return 'has no number';
  if (!isTime(value.at) || !(isTime(value.ms) || (Array.isArray(value.ms) && value.ms.every(isTime)))) {
    return 'has a time that is none';
  }
  if (typeof value.prev !== 'string' || value.prev.length !== HASH_LENGTH) return 'has no hash';
  return value as unknown as Entry;
}

/** Absent, or a number. */
function isTime(value: unknown): boolean {
  return value === undefined || typeof value === 'number';
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function invalid(name: string, what: string): HarnessError {
  return new HarnessError('TAPE_INVALID', `${name} ${what}`);
}
