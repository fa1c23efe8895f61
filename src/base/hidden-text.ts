/**
 * Text that a model reads and a person does not see: Unicode tags, runs of zero-width characters and of variation selectors,
 * characters that turn the direction of what follows and are not closed in their line. What ordinary text needs is left: one
 * joiner in Persian or in an emoji, marks of direction, the flag of a region, a byte order mark.
 */

/** Half-open, in UTF-16 units. */
export interface HiddenSpan {
  readonly start: number;
  readonly end: number;
}

const PLAIN = /^[\n\r\t\u001b\u0020-\u007e]*$/;

/**
 * The first group is ordinary text: the flag of a region, an emoji with its joiners. After it stand tags, overrides of
 * direction, runs of characters without width, of marks of direction and of variation selectors, annotations between lines, a joiner between two ASCII letters or digits, and spaces of no
 * width with one letter between them.
 */
const HIDDEN_RUN =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|\p{Extended_Pictographic}\ufe0f?(?:\u200d\p{Extended_Pictographic}\ufe0f?)*)|[\u{e0000}-\u{e007f}]+|[\u202d\u202e]+|(?:\u034f|\u17b4|\u17b5|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u00ad\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]){2,}|[\u061c\u200e\u200f]{4,}|[\ufff9-\ufffb]+|(?<=\u200b[A-Za-z0-9])\u200b|\u200b(?=[A-Za-z0-9]\u200b)|(?<=[A-Za-z0-9])[\u034f\u115f\u1160\u180e\u200c-\u200d\u2060-\u2064\u3164\uffa0](?=[A-Za-z0-9])/gu;

const TURNS = /[\u202a-\u202e\u2066-\u2069\n\u2029]/g;
const OPENS = /[\u202a\u202b\u202d\u202e\u2066-\u2068]/;
const CLOSES_ISOLATE = '\u2069';

/** In the order they come, none overlapping another. `pay` is called before each place is remembered, and may throw. */
export function findHidden(text: string, pay: () => void = () => {}): HiddenSpan[] {
  if (PLAIN.test(text)) return [];
  const spans: HiddenSpan[] = [];
  for (const { 0: found, 1: ordinary, index } of text.matchAll(HIDDEN_RUN)) {
    if (ordinary !== undefined) continue;
    pay();
    spans.push({ start: index, end: index + found.length });
  }
  const turns = unclosedTurns(text, pay);
  if (turns.length === 0) return spans;
  return [...spans, ...turns].sort((a, b) => a.start - b.start);
}

/** Embeddings and isolates that the end of their line closes; overrides are hidden text wherever they stand. */
function unclosedTurns(text: string, pay: () => void): HiddenSpan[] {
  const spans: HiddenSpan[] = [];
  let open: { at: number; char: string }[] = [];
  const endLine = () => {
    for (const { at, char } of open) if (!isOverride(char)) spans.push({ start: at, end: at + 1 });
    open = [];
  };
  for (const { 0: char, index } of text.matchAll(TURNS)) {
    if (OPENS.test(char)) {
      pay();
      open.push({ at: index, char });
    } else if (char === '\n' || char === '\u2029') endLine();
    else if (open.length > 0 && isIsolate(open.at(-1)!.char) === (char === CLOSES_ISOLATE)) open.pop();
  }
  endLine();
  return spans;
}

const isOverride = (char: string) => char === '\u202d' || char === '\u202e';
const isIsolate = (char: string) => char >= '\u2066' && char <= '\u2068';

/** So many characters of a run are named. */
const MOST_NAMED = 4;

export const MOST_NAME = 64;

/** What stands in the place of hidden characters: their names. At most `MOST_NAME` units long. */
function nameHidden(hidden: string): string {
  const chars = [...hidden];
  const names = chars
    .slice(0, MOST_NAMED)
    .map((char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  const more = chars.length - names.length;
  return `[hidden: ${names.join(' ')}${more > 0 ? ` and ${more} more` : ''}]`;
}

/**
 * The text with its hidden characters named; one that hides nothing is given back as it is. Of more than `most` places the others are
 * taken out and counted at the end, so that a text cannot grow by much.
 */
export function nameSpans(text: string, spans: readonly HiddenSpan[], most = spans.length): string {
  const parts: string[] = [];
  let from = 0;
  for (const [i, { start, end }] of spans.entries()) {
    parts.push(text.slice(from, start), i < most ? nameHidden(text.slice(start, end)) : '');
    from = end;
  }
  parts.push(text.slice(from));
  if (spans.length > most) parts.push(`[hidden: ${spans.length - most} more places]`);
  return parts.join('');
}
