/**
 * Changes of a text that can be taken back to the byte. A change is a list of splices, made one after the other, and each
 * remembers only what it put in and took out: nothing else of the file is kept.
 */

/** At this offset so many characters were taken out and this text was put in. */
export interface Splice {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

export interface Edited {
  readonly text: string;
  /** In the order they were made, each on the text that the one before left. */
  readonly splices: readonly Splice[];
}

/** Why a text cannot be changed, and where that shows. */
export interface Refused {
  readonly refused: string;
  readonly offset: number;
}

export function splice(text: string, at: number, remove: number, inserted: string): Edited {
  const removed = text.slice(at, at + remove);
  return {
    text: text.slice(0, at) + inserted + text.slice(at + remove),
    splices: removed === inserted ? [] : [{ at, removed, inserted }],
  };
}

/** Several at once, given by their places in one text; they must not overlap. */
export function spliceAll(
  text: string,
  wanted: readonly { readonly at: number; readonly remove: number; readonly insert: string }[],
): Edited {
  let edited: Edited = { text, splices: [] };
  // From the end to the beginning, so that the places before stay true.
  for (const { at, remove, insert } of [...wanted].sort((a, b) => b.at - a.at)) {
    edited = after(edited, splice(edited.text, at, remove, insert));
  }
  return edited;
}

export function after(first: Edited, second: Edited): Edited {
  return { text: second.text, splices: [...first.splices, ...second.splices] };
}

/** The text before the splices were made, or null if they do not fit this one. */
export function unsplice(text: string, splices: readonly Splice[]): string | null {
  let current = text;
  for (const { at, removed, inserted } of [...splices].reverse()) {
    if (current.slice(at, at + inserted.length) !== inserted) return null;
    current = current.slice(0, at) + removed + current.slice(at + inserted.length);
  }
  return current;
}

/** How the text ends its lines: as its first line does. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n');
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n';
}
