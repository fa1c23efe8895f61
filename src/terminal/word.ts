/**
 * A random word that a person reads and types before anything is loosened: what a script wrote ahead, or pipes in, is another word. It
 * does not stop a program that reads the screen.
 */
import { machineHost } from '../machine/index.ts';

/** Asks a question of a person; null: there was no answer. */
export type Confirm = (question: string) => Promise<string | null>;

/** After so many other words it is a no. */
const MOST_WORDS = 5;

/** `wish` is what the word agrees to, as the rest of a sentence. Null if there was no answer. */
export async function askForWord(wish: string, confirm: Confirm): Promise<'yes' | 'no' | null> {
  const word = randomWord();
  for (let asked = 0; asked < MOST_WORDS; asked++) {
    const line = await confirm(`Type ${word} to ${wish}, or n: `);
    if (line === null) return null;
    const typed = line.trim().toLowerCase();
    if (typed === word) return 'yes';
    if (typed === '' || typed === 'n' || typed === 'no') return 'no';
  }
  return 'no';
}

const CONSONANTS = 'bdfgklmnprstvz';
const VOWELS = 'aeiou';

/** Three syllables: more than 300,000 words. */
function randomWord(): string {
  const bytes = Buffer.from(machineHost.uuid().replaceAll('-', ''), 'hex');
  const at = (i: number, letters: string) => letters[bytes[i]! % letters.length]!;
  return [0, 2, 4].map((i) => at(i, CONSONANTS) + at(i + 1, VOWELS)).join('');
}
