/**
 * Tests over the words of a command that rows and rules have in common: first operands, and values of options.
 */
import { compileGlob } from '../../base/index.ts';
import type { Command } from '../reading.ts';

type WordTest = (word: string) => boolean;

/** More of them name nothing. */
const MOST_OPERANDS = 12;

/** `* delete`: a word each; `**` for any number. Small and large letters are one. */
export function operandsLike(pattern: string): (operands: readonly string[]) => boolean {
  const pieces = pattern
    .toLowerCase()
    .split(' ')
    // Several in a row stand for what one stands for, and would be tried in every combination.
    .filter((word, at, words) => word !== '**' || words[at - 1] !== '**')
    .map((word) => (word === '**' ? null : compileGlob(word)));
  return (operands) =>
    operands.length > 0 &&
    begins(
      operands.slice(0, MOST_OPERANDS).map((word) => word.toLowerCase()),
      0,
      pieces,
      0,
    );
}

function begins(
  words: readonly string[],
  at: number,
  pieces: readonly (WordTest | null)[],
  from: number,
): boolean {
  let i = at;
  for (let j = from; j < pieces.length; j++) {
    const piece = pieces[j]!;
    if (piece === null) {
      for (let next = i; next <= words.length; next++) if (begins(words, next, pieces, j + 1)) return true;
      return false;
    }
    if (i >= words.length || !piece(words[i]!)) return false;
    i++;
  }
  return true;
}

/** Letters of single options in one word, not a long option with one dash. */
const LETTERS = /^-[A-Za-z]{2,5}$/;

/** The value of an option stands behind it, behind `=`, or right behind the letter, which may be the last of several: `-sX PUT`. */
export function optionLike(
  name: string,
  like: WordTest,
): (args: readonly string[], command: Pick<Command, 'has'>) => boolean {
  const test = (value: string | undefined) => value !== undefined && like(value);
  const short = /^-[^-]$/.test(name);
  return (args, command) =>
    args.some((arg, at) => {
      if (arg === name) return test(args[at + 1]);
      if (arg.startsWith(`${name}=`)) return test(arg.slice(name.length + 1));
      if (!short || arg.length < 3 || arg[0] !== '-' || arg[1] === '-') return false;
      if (arg[1] === name[1]) return test(arg.slice(2));
      return LETTERS.test(arg) && arg.endsWith(name[1]!) && command.has(name) && test(args[at + 1]);
    });
}

/** Small letters stand for both: `drop` is also `DROP`. */
export function wordLike(pattern: string): WordTest {
  const glob = compileGlob(pattern);
  return /[A-Z]/.test(pattern) ? glob : (word) => glob(word) || glob(word.toLowerCase());
}
