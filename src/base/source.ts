/**
 * Source text with positions. An offset into the text becomes `file:line:col`, and a script embedded in
 * another file (a YAML block inside Markdown) reports the lines and columns of that file.
 */

/** A place a person can go to. Lines and columns count from 1; columns count code points. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly col: number;
}

/** Turns a position inside an embedded text into one of the file around it. */
export type PositionMap = (line: number, col: number) => { line: number; col: number };

export class SourceFile {
  readonly name: string;
  readonly text: string;
  private readonly map: PositionMap | undefined;
  private lineStarts: number[] | undefined;

  constructor(name: string, text: string, map?: PositionMap) {
    this.name = name;
    this.text = text;
    this.map = map;
  }

  /** The position of a UTF-16 offset of `text`. */
  position(offset: number): Position {
    const starts = (this.lineStarts ??= findLineStarts(this.text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    const line = low + 1;
    let col = 1;
    for (let i = starts[low]!; i < offset && i < this.text.length; i++) {
      // The second half of a surrogate pair is not a column of its own.
      const unit = this.text.charCodeAt(i);
      if (unit < 0xdc00 || unit > 0xdfff) col++;
    }
    return { file: this.name, ...this.mapped(line, col) };
  }

  /** A line and column of `text` as those of the file around it. */
  mapped(line: number, col: number): { line: number; col: number } {
    return this.map?.(line, col) ?? { line, col };
  }
}

export function formatPosition(position: Position): string {
  return `${position.file}:${position.line}:${position.col}`;
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}
