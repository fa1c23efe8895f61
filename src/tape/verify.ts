/**
 * Proves a tape, or names the first entry that is not as it was written: changed, missing, twice, out of place, or cut off
 * at the end. Streams, so that the size of a tape does not matter.
 */
import type { KeyObject } from 'node:crypto';
import { closingLine, hashLine, MAX_LINE_BYTES } from './chain.ts';
import type { Header } from './entry.ts';
import { type Link, linkOf } from './envelope.ts';
import type { EntryMark } from './go-on.ts';
import { LostPages } from './repair.ts';
import { keyName, type SignedHead, signatureProblem } from './sign.ts';
import type { Line, StoredTape, TapeAt, TapeSource } from './store.ts';
import { checkEntry, openSource, parseHeader } from './tape-reader.ts';

export interface Verification {
  readonly ok: boolean;
  /** Whole entries from the beginning that hang together. */
  readonly entries: number;
  /** The number of the first entry that is wrong or missing; 0 is the header. Null if nothing is. */
  readonly firstBroken: number | null;
  /** What is wrong with it, as the rest of a sentence about the entry; about the file where it is the header. */
  readonly problem: string | null;
  /**
   * `closed`: it ends with its closing entry. `open`: a living process is writing it. `cut`: it ends without the closing
   * entry, because the writer was killed or because somebody took entries away.
   */
  readonly state: 'closed' | 'open' | 'cut';
  /** Whether `harness tape repair` can make it whole again, without what was lost. */
  readonly repairable: boolean;
  readonly session: string | null;
  /** The hash of the last line that hangs together. */
  readonly head: string | null;
  readonly signature: SignatureReport | null;
  /** A key was given, the chain holds, and it does not sign all of it: nothing is broken, and nothing says who wrote the rest. */
  readonly unsigned: boolean;
  /** The hash of the entry that `mark` asks for; null if the tape does not get that far. Absent without it. */
  readonly marked?: string | null;
}

export interface SignatureReport {
  /** The name of the key, for people. */
  readonly key: string;
  /** Whether it was held against a key the reader brought. */
  readonly trusted: boolean;
  /** The last entry it covers. */
  readonly entries: number;
}

export interface VerifyOptions {
  /** The public key the tape must be signed with. */
  readonly key?: KeyObject | null;
  /** The number of an entry whose hash is wanted; 0 is the header. */
  readonly mark?: number;
  readonly onProgress?: (done: number, all: number) => void;
}

export interface Break {
  /** The number of the entry; 0 is the header. */
  readonly at: number;
  /** The rest of a sentence about the entry. */
  readonly what: string;
}

/** Throws TAPE_INVALID only for a tape that cannot be read. */
export function verifyTape(path: string, options?: VerifyOptions): Verification;
export function verifyTape(at: TapeAt, options?: VerifyOptions): Promise<Verification>;
export function verifyTape(
  source: TapeSource,
  { key = null, mark, onProgress }: VerifyOptions = {},
): Verification | Promise<Verification> {
  if (typeof source !== 'string') return verifyStored(source, key, mark);
  const tape = openSource(source, onProgress);
  const proving = proveLines(tape, key, mark);
  for (const { bytes, whole } of tape.lines as Iterable<Line>) if (!proving.add(bytes, whole)) break;
  return proving.verdict();
}

async function verifyStored(at: TapeAt, key: KeyObject | null, mark?: number): Promise<Verification> {
  const tape = await openSource(at);
  const proving = proveLines(tape, key, mark);
  for await (const { bytes, whole } of tape.lines) if (!proving.add(bytes, whole)) break;
  return proving.verdict();
}

export interface ProvingLines {
  /** False once the rest does not matter. */
  add(bytes: Buffer, whole: boolean): boolean;
  verdict(): Verification;
}

/** For lines that somebody reads anyway. */
export function proveLines(tape: StoredTape, key: KeyObject | null = null, mark?: number): ProvingLines {
  const { signature } = tape;
  const chain = new Chain(typeof signature === 'object' ? signature : null, mark);
  return {
    add: (bytes, whole) => chain.add(bytes, whole),
    verdict: () => verdictOn(tape, chain, key),
  };
}

/** A part of a chain: the lines after an entry whose number and hash are known. */
export interface ChainPart {
  /** Only of a part that begins with the header. */
  readonly header: Header | null;
  /** The last entry that was proven; null if there is none. */
  readonly end: EntryMark | null;
  readonly broken: Break | null;
  /** The last line is a closing entry. */
  readonly closed: boolean;
  /** The hash of the entry that the signed head names, if the part has that entry. */
  readonly signedLine: string | null;
}

export interface ProvingPart {
  /** False once the rest does not matter. */
  add(line: Buffer): boolean;
  result(): ChainPart;
}

/** Proves a chain on from `after`; from the header if that is null. The part need not have an end. */
export function proveOn(after: EntryMark | null, signed: SignedHead | null = null): ProvingPart {
  const chain = new Chain(signed, undefined, after, true);
  return {
    add: (line) => chain.add(line, true),
    result: () => {
      chain.end(true);
      const { header, head, entries, broken, closed, signedLine } = chain;
      return { header, end: head === null ? null : { seq: entries, head }, broken, closed, signedLine };
    },
  };
}

function verdictOn(
  { open, signature: signed }: StoredTape,
  chain: Chain,
  key: KeyObject | null,
): Verification {
  chain.end(open);
  const broken = chain.broken ?? signatureBreak(chain, signed, key, open);
  const trust = typeof signed === 'string' ? null : signed;
  const missing = broken === null && key !== null ? unsignedPart(signed) : null;
  return {
    ok: broken === null && missing === null,
    entries: chain.entries,
    firstBroken: broken?.at ?? null,
    problem: broken?.what ?? missing,
    state: chain.closed ? 'closed' : open ? 'open' : 'cut',
    repairable: chain.onlyCut && !open,
    session: chain.header?.session ?? null,
    head: chain.head,
    signature:
      trust === null
        ? null
        : { key: keyName(trust.publicKey), trusted: key !== null, entries: trust.entries },
    unsigned: missing !== null,
    ...(chain.mark !== undefined && { marked: chain.marked }),
  };
}

/** No closing entry is as long: the others need not be held against one. */
const SHORT_LINE = 256;

/** The chain as far as it has been read. Stops at the first break, except for one look further to tell who is to blame. */
class Chain {
  header: Header | null = null;
  entries = 0;
  head: string | null = null;
  closed = false;
  broken: Break | null = null;
  /** Nothing is wrong but the end. */
  onlyCut = false;
  /** The hash of the line that the signature is about. */
  signedLine: string | null = null;
  readonly mark: number | undefined;
  /** The hash of the entry that `mark` is the number of. */
  marked: string | null = null;
  private readonly signed: SignedHead | null;
  /** An entry that does not fit the line before it: the next line shows which of the two was changed. */
  private doubted: { readonly seq: number; readonly hash: string } | null = null;
  private torn = false;
  /** Set by the first line with zero bytes: the lines after it show whether a crash explains them. */
  private lost: LostPages | null = null;
  /** Only a part of a tape: nothing of it is repaired here. */
  private readonly isPart: boolean;

  constructor(signed: SignedHead | null, mark?: number, after: EntryMark | null = null, isPart = false) {
    this.isPart = isPart;
    this.signed = signed;
    this.mark = mark;
    if (after === null) return;
    this.entries = after.seq;
    this.head = after.head;
  }

  /** False once the rest does not matter. */
  add(bytes: Buffer, whole: boolean): boolean {
    if (!whole) return this.addTorn(bytes);
    if (this.head === null) return this.addHeader(bytes);
    if (this.lost !== null) {
      this.lost.add(bytes);
      return true;
    }
    if (bytes.includes(0) && !this.isPart && this.doubted === null) {
      this.lost = new LostPages();
      return true;
    }
    const expected = this.entries + 1;
    const entry = linkOf(bytes);
    if (this.doubted !== null) return this.judge(entry);
    if (entry === null) return this.fail(expected, whatIsWrong(bytes));
    if (entry.seq !== expected) return this.fail(expected, misplaced(entry.seq, expected));
    const hash = hashLine(bytes);
    if (entry.prev !== this.head) {
      this.doubted = { seq: expected, hash };
      return true;
    }
    this.entries = expected;
    this.head = hash;
    this.closed = bytes.length < SHORT_LINE && closingLine(expected, entry.prev) === bytes.toString('latin1');
    if (this.signed?.entries === expected) this.signedLine = hash;
    if (this.mark === expected) this.marked = hash;
    return true;
  }

  /** `open`: somebody is writing it, so that it need not have an end. */
  end(open: boolean): void {
    if (this.doubted !== null) this.judge(null);
    if (this.broken !== null) return;
    if (this.lost !== null) {
      this.closed = false;
      this.onlyCut = this.lost.isOfOneCrash();
      this.fail(
        this.entries + 1,
        this.onlyCut
          ? 'is torn: the disk has zero bytes in its place, as after a loss of power'
          : 'is damaged: zero bytes stand in its place, and entries were written long after it',
      );
    } else if (this.head === null) this.fail(0, 'holds no tape');
    else if (!open && !this.closed) {
      this.onlyCut = true;
      const next = this.entries + 1;
      this.fail(
        next,
        this.torn
          ? 'was not written to its end: the writer was killed, or the disk was full'
          : 'is missing: the tape ends without its closing entry, so the writer was killed or entries were taken away',
      );
    } else if (!open && this.torn) {
      this.onlyCut = true;
      this.fail(this.entries + 1, 'was not written to its end');
    }
  }

  private addHeader(bytes: Buffer): boolean {
    const header = parseHeader(bytes.toString('utf8'));
    if (typeof header === 'string') return this.fail(0, header);
    this.header = header;
    this.head = hashLine(bytes);
    if (this.mark === 0) this.marked = this.head;
    return true;
  }

  private addTorn(bytes: Buffer): boolean {
    if (bytes.length > MAX_LINE_BYTES) return this.fail(this.entries + 1, 'is too long to be an entry');
    if (this.head !== null) this.torn = true;
    return true;
  }

  /** An entry that the next one vouches for is as it was written; then the one before it was changed. */
  private judge(next: Link | null): boolean {
    const { seq, hash } = this.doubted!;
    this.doubted = null;
    const vouchedFor = next === null || next.prev === hash;
    const at = vouchedFor ? seq - 1 : seq;
    if (vouchedFor && seq > 1) this.entries--;
    return this.fail(at, 'was changed: its hash is not the one the chain has');
  }

  private fail(at: number, what: string): boolean {
    this.broken ??= { at, what };
    return false;
  }
}

function unsignedPart(signed: StoredTape['signature']): string | null {
  if (signed === null) return 'is not signed: there is no signature file beside the tape';
  const gaps = typeof signed === 'object' ? (signed.gaps ?? []) : [];
  const parts = gaps.map(([from, to]) => (from === to ? `entry ${from}` : `entries ${from} to ${to}`));
  return gaps.length === 0 ? null : `is signed without ${parts.join(', ')}: they were there unsigned`;
}

/** Only a line that is broken is parsed, to say how. */
function whatIsWrong(bytes: Buffer): string {
  const entry = checkEntry(bytes.toString('utf8'));
  return typeof entry === 'string' ? entry : 'is not in canonical form';
}

function misplaced(found: number, expected: number): string {
  if (found > expected) return `is missing: entry ${found} stands in its place`;
  return `is out of place: entry ${found} stands there again`;
}

/** What a signature says against a tape whose chain is whole. */
function signatureBreak(
  chain: Chain,
  signed: SignedHead | string | null,
  key: KeyObject | null,
  open: boolean,
): Break | null {
  const all = { at: chain.entries === 0 ? 0 : 1 };
  if (signed === null) return null;
  if (typeof signed === 'string') return { ...all, what: `is not proven: ${signed}` };
  const problem = signatureProblem(signed, key);
  if (problem !== null) return { ...all, what: `is not proven: ${problem}` };
  if (signed.session !== chain.header?.session) {
    return { at: 0, what: `was changed: the signature is of session ${signed.session}` };
  }
  if (signed.entries > chain.entries) {
    return { at: chain.entries + 1, what: `is missing: the signature covers ${signed.entries} entries` };
  }
  if (chain.signedLine !== signed.head) {
    return {
      ...all,
      what: `or a later one was changed: entry ${signed.entries} is not the one that was signed`,
    };
  }
  if (signed.entries < chain.entries && !open) {
    return { at: signed.entries + 1, what: `is not signed: the signature ends with entry ${signed.entries}` };
  }
  return null;
}
