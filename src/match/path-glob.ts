/**
 * Globs over paths: as over names within one part of a path, and `**` for any number of parts. Time is bounded by the product
 * of the two lengths, whatever the pattern.
 */
import { compileGlob, type Glob } from './glob.ts';

/** Parts of a path, from the top. */
export type PathGlob = (parts: readonly string[]) => boolean;

/** Holds for what the pattern names and for everything below it. */
export function compilePathGlob(pattern: readonly string[]): PathGlob {
  const pieces = pattern.map((part): Glob | null => (part === '**' ? null : compileGlob(part)));
  return (parts) => {
    // reached[i]: the pieces so far can stand for the first i parts.
    let reached = [true, ...parts.map(() => false)];
    for (const piece of pieces) {
      const next = reached.map(() => false);
      for (const [at, open] of reached.entries()) {
        if (piece === null) next[at] = open || (at > 0 && next[at - 1]!);
        else if (open && at < parts.length && piece(parts[at]!)) next[at + 1] = true;
      }
      reached = next;
    }
    return reached.some(Boolean);
  };
}

/** The parts of an absolute path without `.`, `..` and empty ones; a path that climbs above the top stays there. */
export function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}
