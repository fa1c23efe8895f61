/**
 * How a line hangs in the chain, read without parsing it. The form of a line is fixed (canonical JSON, known keys), so that
 * following the chain does not pay for what the records hold.
 */

/** How an entry hangs in the chain. */
export interface Link {
  readonly seq: number;
  readonly prev: string;
}

const PREV = Buffer.from('"prev":"');
const SEQ = Buffer.from('},"seq":');
const HASH_LENGTH = 64;
const [QUOTE, ZERO, NINE, OPEN, CLOSE] = [0x22, 0x30, 0x39, 0x7b, 0x7d];

/** Null if the line does not have the form of an entry. Works on the bytes: this is what proving a tape spends its time on. */
export function linkOf(line: Buffer): Link | null {
  if (line[0] !== OPEN || line[1] !== QUOTE || line.at(-1) !== CLOSE) return null;
  const start = line.indexOf(PREV) + PREV.length;
  if (start < PREV.length || line[start + HASH_LENGTH] !== QUOTE) return null;
  let seq = 0;
  let power = 1;
  let at = line.length - 2;
  for (; line[at]! >= ZERO && line[at]! <= NINE; at--) {
    seq += (line[at]! - ZERO) * power;
    power *= 10;
  }
  at -= SEQ.length - 1;
  for (let i = 0; i < SEQ.length; i++) if (line[at + i] !== SEQ[i]) return null;
  return { seq, prev: line.toString('latin1', start, start + HASH_LENGTH) };
}
