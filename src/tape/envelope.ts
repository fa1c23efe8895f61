/**
 * What surrounds a record in its line, read without parsing the record. The form of a line is fixed (canonical JSON, known
 * keys), so that whoever only follows the chain, or compares records as text, need not pay for their content.
 */

/** How an entry hangs in the chain. */
export interface Link {
  readonly seq: number;
  readonly prev: string;
}

export interface Envelope extends Link {
  readonly ms: number | null;
  /** The `order` of keys as JSON text, or null. */
  readonly order: string | null;
  /** The record as JSON text. */
  readonly record: string;
}

const HEAD = /^\{(?:"ms":([\d.e+-]+),)?(?:"order":(\[[\d,[\]]*\]),)?"prev":"([0-9a-f]{64})","record":\{/;
const TAIL = /\},"seq":([1-9]\d{0,15})\}$/;

/** The longest a tail can be. */
const TAIL_LENGTH = 30;

/** Null where the line does not have the form of an entry. */
export function openEnvelope(line: string): Envelope | null {
  const head = HEAD.exec(line);
  const tail = TAIL.exec(line.slice(-TAIL_LENGTH));
  if (head === null || tail === null) return null;
  const [start, ms, order, prev] = head;
  return {
    seq: Number(tail[1]),
    prev: prev!,
    ms: ms === undefined ? null : Number(ms),
    order: order ?? null,
    record: line.slice(start.length - 1, line.length - tail[0].length + 1),
  };
}

const PREV = Buffer.from('"prev":"');
const SEQ = Buffer.from('},"seq":');
const HASH_LENGTH = 64;
const [QUOTE, ZERO, NINE, OPEN, CLOSE] = [0x22, 0x30, 0x39, 0x7b, 0x7d];

/** The same for one who needs no more than the chain. Works on the bytes: this is what proving a tape spends its time on. */
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
