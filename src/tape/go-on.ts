/**
 * What a tape has to have that is gone on with: the entry that its last writer remembers, and a signature for what is there before
 * more is signed. Without it a chain that somebody made anew between two writers would be taken for the old one, and signed.
 */
import type { KeyObject } from 'node:crypto';
import { lateCrypto } from '../base/late-crypto.ts';
import { hashLine } from './chain.ts';
import { linkOf } from './envelope.ts';
import { readAt, type Tail } from './repair.ts';
import { type Gap, readSignedHead, signatureProblem } from './sign.ts';

/** An entry and the hash of its line. */
export interface Mark {
  readonly seq: number;
  readonly head: string;
}

type End = Pick<Tail, 'seq' | 'head' | 'size'>;

const STEP = 64 * 1024;

/** Whether the tape has that entry, and its chain leads from there to the end. Only the end of the file is read. */
export function stillHas(file: number, end: End, { seq, head }: Mark): boolean {
  if (end.seq <= seq) return end.seq === seq && end.head === head;
  // Another process has added to it meanwhile.
  for (let length = STEP; ; length *= 4) {
    const from = Math.max(0, end.size - length);
    const lines = linesIn(readAt(file, from, end.size - from), from === 0);
    const first = lines.findIndex((line) => linkOf(line)?.seq === seq);
    if (first !== -1) return hashLine(lines[first]!) === head && isChain(lines.slice(first));
    if (from === 0) return false;
  }
}

/** Without the first where it may be half of one. */
function linesIn(bytes: Buffer, whole: boolean): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = whole ? 0 : bytes.indexOf(10) + 1, to = 0; ; from = to + 1) {
    to = bytes.indexOf(10, from);
    if (to === -1) return lines;
    lines.push(bytes.subarray(from, to));
  }
}

function isChain(lines: readonly Buffer[]): boolean {
  return lines.every((line, i) => i === 0 || linkOf(line)?.prev === hashLine(lines[i - 1]!));
}

/** More are told as one. */
const MOST_GAPS = 100;

/** What of a tape that is gone on with has no signature of this key. */
export function unsignedGaps(
  file: number,
  path: string,
  session: string,
  end: End,
  key: KeyObject,
): readonly Gap[] {
  const all: Gap[] = [[0, end.seq]];
  const signed = readSignedHead(path);
  if (signed === null || typeof signed === 'string' || signed.session !== session) return all;
  if (signatureProblem(signed, lateCrypto().createPublicKey(key)) !== null) return all;
  const { entries, head, gaps = [] } = signed;
  if (!stillHas(file, end, { seq: entries, head }) || gaps.length >= MOST_GAPS) return all;
  // A process that was killed before it signed, or somebody without the key.
  return end.seq === entries ? gaps : [...gaps, [entries + 1, end.seq]];
}
