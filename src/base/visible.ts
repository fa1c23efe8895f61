/**
 * Text in which nothing is hidden: characters that a terminal obeys, that have no width, or that change the direction of what
 * follows are written as `\uXXXX`. The form is that of JSON, so that JSON text stays the same data.
 */

/**
 * First a picture made of several characters, whose joiners and selectors are what makes it one. Then what is hidden: control
 * characters but tab and newline, what has no width, marks of direction, separators, fillers without a glyph, tags, variation
 * selectors, halves of characters.
 */
const VISIBLE_OR_HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them alone is what is looked for
  /(\p{Extended_Pictographic}\ufe0f?(?:\u200d\p{Extended_Pictographic}\ufe0f?)*)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;

/** The commonest text needs no look at its characters. */
const PLAIN = /^[\n\t\u0020-\u007e]*$/;

export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(VISIBLE_OR_HIDDEN, (found, picture?: string) =>
    picture === undefined ? escaped(found) : found,
  );
}

/** The hidden characters of a text as `U+202E`, each once, in the order they come. */
export function hiddenIn(text: string): string[] {
  if (PLAIN.test(text)) return [];
  const found = new Set<string>();
  for (const [all, picture] of text.matchAll(VISIBLE_OR_HIDDEN)) {
    if (picture === undefined) found.add(`U+${hex(all.codePointAt(0)!)}`);
  }
  return [...found];
}

function escaped(char: string): string {
  return Array.from({ length: char.length }, (_, i) => `\\u${hex(char.charCodeAt(i)).toLowerCase()}`).join(
    '',
  );
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}
