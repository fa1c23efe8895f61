/**
 * A heap snapshot without the code that Node adds to it: that of all its own modules, a third of the file, which every process reads
 * and copies page by page though a decision needs next to none of it. It stands at the end: how many, then each with its name and
 * its bytes. What is there in no such order is left as it is.
 */

/** A module of Node, such as `internal/fs/utils`. */
const NAME = /^[\w./-]+$/;
const LONGEST_NAME = 100;
/** There are some three hundred; a number like that is found at few places. */
const [FEWEST, MOST] = [100, 2000];
/** Behind the two bytes of such a number. */
const ZEROS = Buffer.alloc(6);

/** Null if it does not end in such code. */
export function withoutNodeCode(snapshot: Buffer): Buffer | null {
  for (let zeros = snapshot.indexOf(ZEROS, 2); zeros !== -1; zeros = snapshot.indexOf(ZEROS, zeros + 1)) {
    const at = zeros - 2;
    const count = snapshot.readUInt16LE(at);
    if (count < FEWEST || count > MOST || !endsInModules(snapshot, at)) continue;
    // None of them.
    return Buffer.concat([snapshot.subarray(0, at), Buffer.alloc(8)]);
  }
  return null;
}

/** Whether from here to the end there are as many modules as are said to be. */
function endsInModules(snapshot: Buffer, from: number): boolean {
  let at = from;
  /** Null beyond the end, and for what is larger than the file. */
  const number = (): number | null => {
    if (at + 8 > snapshot.length || snapshot.readUInt32LE(at + 4) !== 0) return null;
    at += 8;
    return snapshot.readUInt32LE(at - 8);
  };
  for (let left = number() ?? 0; left > 0; left--) {
    const length = number();
    if (length === null || length > LONGEST_NAME) return false;
    if (!NAME.test(snapshot.toString('latin1', at, at + length))) return false;
    at += length;
    const bytes = number();
    if (bytes === null) return false;
    at += bytes;
  }
  return at === snapshot.length;
}
