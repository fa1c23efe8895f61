/**
 * How messages show values: cut to a length, quoted, or named by their kind. One place, so that "got X" reads the same
 * everywhere and no message can be as long as what it complains about.
 */

/** The beginning of a text. A character of two units is never cut in half. */
export function head(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** The beginning of a text and a sign that there was more. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${head(text, most)}…`;
}

/** A text in quotes. */
export function quote(text: string, most = 100): string {
  return JSON.stringify(clip(text, most));
}

/** What a person calls the kind of a value: `a list`, `an object`, `null`; `nothing` for undefined. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What stands there: a short value as it is, `the text "x"` or `the number 4`, any other by its kind. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${quote(value, 60)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`;
  return kindOf(value);
}
