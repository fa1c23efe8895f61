/**
 * Characters that make a text say something else than it shows: noted as errors, so that nobody approves what they did not
 * see. The text is read all the same.
 */
import type { Shared } from './syntax/cursor.ts';

const ODD = /[^\x01-\x7f]/;
const HALF = /[\ud800-\udfff]/u;
/** Overrides and isolates, which turn the order of what is shown around. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;

const MOST_SHOWN = 60;

/** A piece of text for a message: in quotes, escaped, and not too long. */
export function inQuotes(text: string | undefined): string {
  const shown = text ?? '';
  return JSON.stringify(shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown);
}

export function noteText(shared: Shared, text: string, offset: number, exact: boolean): void {
  if (!ODD.test(text)) return;
  const note = (at: number, message: string) => {
    if (at !== -1) shared.error('text', message, exact ? at : offset);
  };
  note(text.indexOf('\0'), 'a NUL, which no shell takes');
  note(text.search(HALF), 'half a character');
  note(text.search(DIRECTION), 'characters that change the direction of the text');
}
