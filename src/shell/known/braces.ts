/**
 * Brace expansion of bash and zsh: `{a,b}` and `{1..3}` make several words of one. It works on the parts of a word, so that
 * quotes and expansions inside of it stay whole.
 */
import { MOST_BRACES } from '../bounds.ts';
import type { Part } from '../syntax/tree.ts';

/** A character outside of quotes, or a part that stays whole. */
type Atom = string | Part;

const MOST_ATOMS = 2000;

/** The words it makes, or null if there are more than anybody means. */
export function expandBraces(parts: readonly Part[]): Part[][] | null {
  const atoms: Atom[] = [];
  for (const part of parts) {
    if (part.kind !== 'text' || part.quoted) atoms.push(part);
    else for (let i = 0; i < part.text.length; i++) atoms.push(part.text[i]!);
    if (atoms.length > MOST_ATOMS) return null;
  }
  return expand(atoms)?.map(partsOf) ?? null;
}

function expand(atoms: readonly Atom[]): Atom[][] | null {
  for (let open = 0; open < atoms.length; open++) {
    if (atoms[open] !== '{') continue;
    const inside = alternativesAt(atoms, open);
    if (inside === null) continue;
    const before = atoms.slice(0, open);
    const after = expand(atoms.slice(inside.end + 1));
    if (after === null) return null;
    const all: Atom[][] = [];
    for (const each of inside.alternatives) {
      const words = inside.sequence ? [each] : expand(each);
      if (words === null || all.length + words.length * after.length > MOST_BRACES) return null;
      for (const word of words) for (const rest of after) all.push([...before, ...word, ...rest]);
    }
    return all;
  }
  return [atoms.slice()];
}

interface Alternatives {
  readonly alternatives: readonly (readonly Atom[])[];
  readonly end: number;
  readonly sequence: boolean;
}

/** What stands between the brace at `open` and the one that closes it; null if it is only text. */
function alternativesAt(
  atoms: readonly Atom[],
  open: number,
): (Alternatives & { alternatives: Atom[][] }) | null {
  const alternatives: Atom[][] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < atoms.length; at++) {
    const atom = atoms[at];
    if (atom === '{') depth++;
    else if (atom === ',' && depth === 1) {
      alternatives.push(atoms.slice(from, at));
      from = at + 1;
    } else if (atom === '}' && --depth === 0) {
      const last = atoms.slice(from, at);
      if (alternatives.length > 0) return { alternatives: [...alternatives, last], end: at, sequence: false };
      const numbers = sequence(last);
      if (numbers === null) return null;
      return { alternatives: numbers.map((each) => [...each]), end: at, sequence: true };
    }
  }
  return null;
}

const NUMBERS = /^(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(-?\d{1,15}))?$/;
const LETTERS = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,15}))?$/;

/** `1..3`, `a..c`, `01..10..2`. Null if it is none; too long ones are cut, and so found too many by the caller. */
function sequence(atoms: readonly Atom[]): string[] | null {
  if (atoms.length > 64 || !atoms.every((atom) => typeof atom === 'string')) return null;
  const text = atoms.join('');
  const numbers = NUMBERS.exec(text);
  const found = numbers ?? LETTERS.exec(text);
  if (found === null) return null;
  const [, first = '', last = '', by = '1'] = found;
  const start = numbers === null ? first.charCodeAt(0) : Number(first);
  const end = numbers === null ? last.charCodeAt(0) : Number(last);
  const step = Math.max(1, Math.abs(Number(by)));
  const width =
    numbers !== null && /^-?0\d|^-?\d+\.\.-?0\d/.test(text) ? Math.max(first.length, last.length) : 0;
  const all: string[] = [];
  for (let at = start; start <= end ? at <= end : at >= end; at += start <= end ? step : -step) {
    all.push(numbers === null ? String.fromCharCode(at) : padded(at, width));
    if (all.length > MOST_BRACES) break;
  }
  return all;
}

function padded(value: number, width: number): string {
  const digits = String(Math.abs(value)).padStart(width - (value < 0 ? 1 : 0), '0');
  return value < 0 ? `-${digits}` : digits;
}

/** Characters next to each other are one piece of text again. */
function partsOf(atoms: readonly Atom[]): Part[] {
  const parts: Part[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') parts.push({ kind: 'text', text, quoted: false });
    text = '';
  };
  for (const atom of atoms) {
    if (typeof atom === 'string') text += atom;
    else {
      flush();
      parts.push(atom);
    }
  }
  flush();
  return parts;
}
