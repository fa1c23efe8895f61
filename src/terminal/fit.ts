/**
 * Text made fit for a terminal: no hidden character reaches it, long text is cut with a count of what there was, and
 * lines are broken at words to a width.
 */
import { type Json, type JsonObject, visible } from '../base/index.ts';
import { type Glyph, glyphs, widthOf } from './width.ts';

/** What a program, a file or a model wrote could otherwise move the cursor or recolour the screen. */
export function harmless(text: string): string {
  return visible(text.replaceAll('\r\n', '\n').replaceAll('\t', '  '));
}

export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** At most so many lines and characters, and how much there was where that is not all. */
export function cut(text: string, { lines, characters }: { lines: number; characters: number }): string {
  const whole = text.trimEnd();
  const all = whole.split('\n');
  const head = all.slice(0, lines).join('\n');
  const shown = [...head.slice(0, characters * 2)].slice(0, characters).join('');
  if (shown === whole) return whole;
  const lineCount = all.length > 1 ? `, ${thousands(all.length)} lines` : '';
  return `${shown}… (${thousands([...whole].length)} characters${lineCount} in all)`;
}

/** Lines of at most `width` columns, broken at spaces where there are any. Empty lines stay. */
export function wrap(text: string, width: number): string[] {
  const flow = new Flow(() => width);
  return [...flow.take(`${text}\n`)];
}

/** The same for text that is laid out already: only at spaces, and below the beginning of its line. */
export function wrapLaidOut(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (widthOf(line) <= width) return line;
      // Styles that begin the line have no width.
      const lead = /^[ \u2060]*/.exec(line)![0];
      const indent = ' '.repeat(widthOf(lead));
      const rows = [lead];
      for (const [i, word] of line
        .slice(lead.length)
        .split(/(?<=\S)(?= )/)
        .entries()) {
        const row = rows.at(-1)!;
        if (i > 0 && widthOf(row) + widthOf(word) > width) rows.push(indent + word.trimStart());
        else rows[rows.length - 1] = row + word;
      }
      return rows.join('\n');
    })
    .join('\n');
}

/** Lines of at most `width` columns with every character kept; what goes on from the line before begins with `mark`. */
export function breakExactly(line: string, width: number, mark = '↪ '): string[] {
  const rows: string[] = [];
  let rest = glyphs(line);
  for (let before = ''; ; before = mark) {
    const at = fitting(rest, Math.max(width, LEAST_WIDTH) - widthOf(before));
    rows.push(before + textOf(rest.slice(0, at)));
    if (at === rest.length) return rows;
    rest = rest.slice(at);
  }
}

/** Narrower than this nothing can be read: the terminal breaks the line then. */
const LEAST_WIDTH = 12;

const FENCE = /^\s*(?:```|~~~)/;
/** What the rest of a paragraph or of an item of a list stands below. */
const HANGING = /^ *(?:[-*+•] |\d{1,3}[.)] |> )? */;

/**
 * Text that arrives in pieces, as lines: those that are full, and the one under way. Words are kept whole; inside a fence of
 * three backticks every character is, since the columns of code mean something.
 */
export class Flow {
  private readonly width: () => number;
  private line = '';
  private code = false;
  /** Whether rows of the line under way are full already. */
  private broken = false;
  /** What stands before the rest of a line that was broken. */
  private before = '';

  constructor(width: () => number) {
    this.width = width;
  }

  /** The lines that are full now. */
  take(piece: string): string[] {
    const lines = (this.line + piece).split('\n');
    const last = lines.pop()!;
    const full = lines.flatMap((line) => this.finish(line));
    this.line = last;
    return [...full, ...this.fill()];
  }

  /** The line under way, as far as it has come. */
  get rest(): string {
    return this.line === '' ? '' : this.before + this.line;
  }

  /** There is no more: the line under way, if there is one. */
  end(): string[] {
    const rows = this.finish(this.line);
    this.code = false;
    return rows.at(-1) === '' ? rows.slice(0, -1) : rows;
  }

  private finish(line: string): string[] {
    this.line = line;
    const opens = !this.broken && FENCE.test(line);
    const rows = [...this.fill(), this.rest.trimEnd()];
    if (opens) this.code = !this.code;
    this.broken = false;
    this.before = '';
    this.line = '';
    return rows;
  }

  /** Takes full rows off the line under way. */
  private fill(): string[] {
    const rows: string[] = [];
    for (;;) {
      const room = Math.max(this.width(), LEAST_WIDTH) - widthOf(this.before);
      // The first of them decide: a line of a megabyte is not counted anew for each row of it.
      let rest = glyphs(this.line.slice(0, room * 4));
      let at = fitting(rest, room);
      if (at === rest.length && this.line.length > room * 4) at = fitting((rest = glyphs(this.line)), room);
      if (at === rest.length) return rows;
      if (!this.code) {
        const space = rest.slice(0, at + 1).findLastIndex(({ text }) => text === ' ');
        // A word longer than two thirds of the line is broken rather than left to stand alone.
        if (space > at / 3) at = space;
      }
      const row = textOf(rest.slice(0, at));
      rows.push(this.code ? this.before + row : (this.before + row).trimEnd());
      if (!this.broken) this.before = this.code ? '↪ ' : this.hanging(row);
      this.broken = true;
      const skipped = !this.code && rest[at]?.text === ' ' ? 1 : 0;
      this.line = this.line.slice(row.length + skipped);
    }
  }

  private hanging(row: string): string {
    const { length } = HANGING.exec(row)![0];
    return ' '.repeat(length > this.width() / 3 ? 0 : length);
  }
}

/** How many of them go into so many columns; at least one. */
function fitting(all: readonly Glyph[], room: number): number {
  let left = room;
  const at = all.findIndex(({ width }) => {
    left -= width;
    return left < 0;
  });
  return at === -1 ? all.length : Math.max(at, 1);
}

function textOf(all: readonly Glyph[]): string {
  return all.map(({ text }) => text).join('');
}

const ARGUMENT = { lines: 1, characters: 80 };

/** A call as it would be written: `write_file(path="a.md", content="# Title… (900 characters, 30 lines in all)")`. */
export function callText(name: string, args: JsonObject): string {
  const inner = Object.entries(args).map(([key, value]) => `${key}=${argumentText(value)}`);
  return `${name}(${inner.join(', ')})`;
}

function argumentText(value: Json): string {
  if (typeof value !== 'string') return cut(JSON.stringify(value), ARGUMENT);
  const shown = cut(value, ARGUMENT);
  // The count stays outside the quotes: it is not part of the text.
  const note = shown === value.trimEnd() ? '' : shown.slice(shown.lastIndexOf('… ('));
  const text = note === '' ? value : shown.slice(0, shown.length - note.length);
  return `${JSON.stringify(text)}${note}`;
}
