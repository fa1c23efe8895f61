/**
 * Columns that line up. Widths are counted in columns of a terminal before styles are put on; the last column is never padded.
 */
import { visible } from '../base/index.ts';
import type { Style } from './output.ts';
import { onOneLine } from './problems.ts';
import { widthOf } from './width.ts';

export interface Cell {
  readonly text: string;
  readonly style?: Style;
  readonly right?: boolean;
}

/** A column stops growing here; a longer cell pushes its own row only. */
const WIDEST = 60;
const GAP = '  ';

export function alignColumns(
  written: ReadonlyArray<readonly Cell[]>,
  paint: (style: Style, text: string) => string,
): string[] {
  // As they will be shown: an escaped character is wider than a hidden one.
  const rows = written.map((row) => row.map((cell) => ({ ...cell, text: onOneLine(visible(cell.text)) })));
  const widths = widthsOf(rows);
  return rows.map((row) =>
    row
      .map((cell, i) => {
        const gap = ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell.text)));
        const text = cell.style === undefined ? cell.text : paint(cell.style, cell.text);
        if (cell.right) return gap + text;
        return i === row.length - 1 ? text : text + gap;
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Where a column begins in the lines `alignColumns` gives. */
export function columnStart(rows: ReadonlyArray<readonly Cell[]>, column: number): number {
  return widthsOf(rows)
    .slice(0, column)
    .reduce((sum, width) => sum + width + GAP.length, 0);
}

function widthsOf(rows: ReadonlyArray<readonly Cell[]>): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) {
      const width = widthOf(cell.text);
      if (width <= WIDEST) widths[i] = Math.max(widths[i] ?? 0, width);
    }
  }
  return widths;
}
