/**
 * What a tape has to have that is gone on with: the entry that its last writer remembers, and a signature for what is there before
 * more is signed. Without it a chain that somebody made anew between two writers would be taken for the old one, and signed.
 */
import type { KeyObject } from 'node:crypto';
import { lateCrypto } from '../base/index.ts';
import { isOfEarlierBoot, readAt } from '../machine/index.ts';
import { hashLine } from './chain.ts';
import { linkOf } from './envelope.ts';
import { type TapeTail, wholeLines } from './repair.ts';
import { type Gap, readSignedHead, signatureProblem } from './sign.ts';

/** An entry and the hash of its line. */
export interface EntryMark {
  readonly seq: number;
  readonly head: string;
  /** Of an entry that no disk had to have: until when only a loss of power explains that it is gone. Absent if nothing does. */
  readonly boot?: string;
}

/** Whether the machine was started again since the entry was written, and it need not have been on the disk. */
export function mayBeLostToPower({ boot }: EntryMark): boolean {
  return boot !== undefined && boot !== '' && isOfEarlierBoot(boot);
}

/** Whether a loss of power explains that the tape does not have the entry. */
export function isLostToPower(file: number, end: End, after: EntryMark): boolean {
  if (!mayBeLostToPower(after)) return false;
  if (end.seq < after.seq) return true;
  // Another process has found the tape cut since, has said so on it, and has gone on.
  const from = Math.max(0, end.size - MOST_READ_BACK);
  return wholeLines(readAt(file, from, end.size - from), from === 0).some(
    (line) =>
      NOTES_OF_LOSS.some((note) => line.includes(note)) && (linkOf(line)?.seq ?? Infinity) <= after.seq,
  );
}

const NOTES_OF_LOSS = ['lost', 'repaired'].map((kind) => `"kind":"${kind}","type":"session"`);
const MOST_READ_BACK = 4 * 1024 * 1024;

type End = Pick<TapeTail, 'seq' | 'head' | 'size'>;

const STEP = 64 * 1024;

/** Whether the tape has that entry, and its chain leads from there to the end. Only the end of the file is read. */
export function containsEntry(file: number, end: End, { seq, head }: EntryMark): boolean {
  if (end.seq <= seq) return end.seq === seq && end.head === head;
  // Another process has added to it meanwhile.
  for (let length = STEP; ; length *= 4) {
    const from = Math.max(0, end.size - length);
    const lines = wholeLines(readAt(file, from, end.size - from), from === 0);
    const first = lines.findIndex((line) => linkOf(line)?.seq === seq);
    if (first !== -1) return hashLine(lines[first]!) === head && isChain(lines.slice(first));
    if (from === 0) return false;
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
  if (!containsEntry(file, end, { seq: entries, head }) || gaps.length >= MOST_GAPS) return all;
  // A process that was killed before it signed, or somebody without the key.
  return end.seq === entries ? gaps : [...gaps, [entries + 1, end.seq]];
}
