/**
 * Nearest-name hints: every "unknown X" error in the project asks this one function.
 */

/** What is longer is no name that somebody mistyped, and comparing two of them takes the product of their lengths. */
const LONGEST_NAME = 100;

/** The candidate closest to `name`, or undefined when none is close enough to be worth suggesting. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const wanted = fold(name);
  // Short names tolerate one slip, long names about a third of their letters; some letter must be the same.
  let best = Math.min(wanted.length, Math.max(1, Math.floor((wanted.length + 1) / 3)) + 1);
  let found: string | undefined;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const folded = fold(candidate);
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

function fold(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}

/** Optimal string alignment distance (a swap of neighbours counts once), given up as soon as it reaches `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let rowBest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row.push(cost);
      rowBest = Math.min(rowBest, cost);
    }
    if (rowBest >= limit) return limit;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
