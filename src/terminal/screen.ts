/**
 * The last lines of a terminal, which change while all above them stays: the words on their way, the status, what is being
 * typed. Whatever else is written goes above them. A terminal that becomes wider or narrower is drawn anew.
 */
import type { Writable } from 'node:stream';
import { wrapLaidOut } from './fit.ts';
import { cursorMove, mapUnstyled, type Output, revealed, unstyled } from './output.ts';
import { widthOf } from './width.ts';

/** Of the last lines: each of at most one column less than the terminal has. */
export interface Live {
  readonly lines: readonly string[];
  /** Where the cursor stands; by default behind the last line. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export interface Terminal {
  /** Writes text with moves of the cursor in it; see `revealed`. */
  readonly put: (text: string) => void;
  readonly size: () => Size;
  /** Calls back when the terminal has another size; gives what ends that. */
  readonly onResize: (redraw: () => void) => () => void;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

type Part = (size: Size) => Live;

export class Screen {
  private readonly terminal: Terminal;
  private readonly parts: Part[] = [];
  private drawn: { readonly live: Live; readonly row: number } | null = null;
  private readonly release: () => void;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
    this.release = terminal.onResize(() => this.draw());
  }

  /** Lines at the bottom, asked for anew at each drawing. The cursor is in the last of the parts. */
  add(part: Part, place: 'top' | 'last' = 'last'): () => void {
    if (place === 'last') this.parts.push(part);
    else this.parts.unshift(part);
    return () => {
      this.parts.splice(this.parts.indexOf(part), 1);
      this.draw();
    };
  }

  /** Does what writes to the terminal, above the last lines. */
  above(write: () => void): void {
    const before = this.erased();
    if (before !== '') this.terminal.put(before);
    this.drawn = null;
    write();
    this.draw();
  }

  /** Lines that stay, above the last ones. */
  print(text: string): void {
    this.above(() => this.terminal.put(`${text}\n`));
  }

  /** A mode of the terminal. */
  put(code: string): void {
    this.terminal.put(code);
  }

  get size(): Size {
    return this.terminal.size();
  }

  /** An empty terminal, but for the last lines. */
  clear(): void {
    this.terminal.put(`${cursorMove('clear')}${cursorMove('home')}`);
    this.redraw();
  }

  /** Draws where the cursor is: what was drawn before is gone or scrolled away. */
  redraw(): void {
    this.drawn = null;
    this.draw();
  }

  /** The same output, above the last lines. */
  over(output: Output): Output {
    const above =
      (write: (text: string) => void) =>
      (text = '') =>
        this.above(() => write(mapUnstyled(text, (plain) => wrapLaidOut(plain, this.size.columns))));
    return {
      line: above(output.line),
      note: above(output.note),
      raw: above(output.raw),
      paint: output.paint,
      paintNote: output.paintNote,
      get closed() {
        return output.closed;
      },
    };
  }

  /** Shows the last lines as they are now. */
  draw(): void {
    const size = this.terminal.size();
    const shown = this.parts.map((part) => part(size));
    const lines = shown.flatMap((live) => live.lines);
    const last = shown.at(-1)?.cursor;
    const before = lines.length - (shown.at(-1)?.lines.length ?? 0);
    const cursor = last === undefined ? undefined : { row: before + last.row, column: last.column };
    const erased = this.erased();
    if (lines.length === 0) {
      if (erased !== '') this.terminal.put(erased);
      this.drawn = null;
      return;
    }
    const row = cursor?.row ?? lines.length - 1;
    const back =
      cursor === undefined
        ? ''
        : `${cursorMove('up', lines.length - 1 - row)}${cursorMove('column', cursor.column + 1)}`;
    this.terminal.put(`${erased}${lines.join('\n')}${back}`);
    this.drawn = { live: { lines }, row };
  }

  /** Nothing is drawn any more; the cursor stands where the next line goes. */
  close(): void {
    this.parts.length = 0;
    this.draw();
    this.release();
  }

  /** From the line of the cursor up to the first, and all of them away. */
  private erased(): string {
    if (this.drawn === null) return '';
    const columns = Math.max(this.terminal.size().columns, 1);
    // A terminal that became narrower has broken the lines that no longer fit.
    const rows = this.drawn.live.lines
      .slice(0, this.drawn.row)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(unstyled(line)) / columns)), 0);
    return `${cursorMove('up', rows)}${cursorMove('column', 1)}${cursorMove('clearBelow')}`;
  }
}

/** A terminal that does not say how large it is. */
const UNKNOWN: Size = { columns: 100, rows: 24 };

export function streamTerminal(output: Writable): Terminal {
  const stream = output as NodeJS.WriteStream;
  return {
    put: (text) => stream.write(revealed(text)),
    size: () => ({ columns: stream.columns || UNKNOWN.columns, rows: stream.rows || UNKNOWN.rows }),
    onResize: (redraw) => {
      stream.on('resize', redraw);
      return () => stream.off('resize', redraw);
    },
  };
}
