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

/** The longest a tail can be, and a head that has no more than a few objects out of order. */
const TAIL_LENGTH = 30;
const HEAD_LENGTH = 240;

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

/** The same for one who needs no more than the chain: only the two ends of the line are looked at, which are ASCII. */
export function linkOf(line: Buffer): Link | null {
  const tail = TAIL.exec(line.toString('latin1', Math.max(0, line.length - TAIL_LENGTH)));
  if (tail === null) return null;
  const head = HEAD.exec(line.toString('latin1', 0, HEAD_LENGTH)) ?? HEAD.exec(line.toString('latin1'));
  return head === null ? null : { seq: Number(tail[1]), prev: head[3]! };
}
