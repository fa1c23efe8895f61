/**
 * Nearest-name hints: every "unknown X" error in the project asks this one function. Names and candidates may come from
 * anywhere, so the work is bounded: a hint is a courtesy, never a cost.
 */

/** Nobody misspells a longer name than this, or wants to read it again in a hint. */
const MAX_LENGTH = 64;
/** Candidates looked at, and letters compared; those that come later go unsuggested. */
const MAX_CANDIDATES = 2000;
const MAX_WORK = 100_000;

/** The candidate closest to `name`, or undefined when none is close enough to be worth suggesting. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = fold(name);
  // Short names tolerate one slip, long names about a third of their letters; some letter must be the same.
  let best = Math.min(wanted.length, Math.max(1, Math.floor((wanted.length + 1) / 3)) + 1);
  let found: string | undefined;
  let looked = 0;
  let work = 0;
  for (const candidate of candidates) {
    if (++looked > MAX_CANDIDATES || work > MAX_WORK) break;
    // Dropping the signs between words makes a name shorter: a longer one may still be near.
    if (candidate === name || candidate.length > 2 * MAX_LENGTH) continue;
    const folded = fold(candidate);
    if (Math.abs(folded.length - wanted.length) >= best || folded.length > 2 * MAX_LENGTH) continue;
    work += wanted.length * folded.length;
    const distance = editDistance(wanted, folded, best);
    // Two slips and another first letter make another word: `tools` is not a misspelt `hooks`.
    if (distance > 1 && folded[0] !== wanted[0]) continue;
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

/** ` (did you mean X?)`, or an empty string when nothing is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = nearest(name, candidates);
  return found === undefined ? '' : ` (did you mean ${found}?)`;
}

/** Whether two names differ by one letter that is missing, added, exchanged or swapped with its neighbour. */
export function isSlip(name: string, other: string): boolean {
  if (name.length > MAX_LENGTH || other.length > MAX_LENGTH) return false;
  return editDistance(name, other, 2) === 1;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}

/** Three rows of the table below, used again for every pair. */
const ROWS = [0, 1, 2].map(() => new Uint8Array(2 * MAX_LENGTH + 1)) as [Uint8Array, Uint8Array, Uint8Array];

/** Optimal string alignment distance (a swap of neighbours counts once), given up as soon as it reaches `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let [beforeLast, last, row] = ROWS;
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1);
    row[0] = i;
    let rowBest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = letter === b.charCodeAt(j - 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const isSwap =
        i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwap) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row[j] = cost;
      rowBest = Math.min(rowBest, cost);
    }
    if (rowBest >= limit) return limit;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[b.length]!;
}
