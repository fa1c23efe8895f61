/**
 * A line of the timeline before it is laid out: who or what it is about, and a text that may need several lines.
 */

import { harmless, wrap } from './fit.ts';
import type { Style } from './output.ts';
import { widthOf } from './width.ts';

export interface Row {
  /** `speaker`: begins at the margin. `remark`: below the line it is about. */
  readonly kind: 'speaker' | 'remark';
  /** Who speaks, or a sign and the event. */
  readonly label: string;
  readonly text: string;
  /** Of the label; dims the whole row where it is `dim`. */
  readonly style?: Style;
}

export interface View {
  readonly width: number;
  /** Whether prompts are shown; false where the person has just typed them. */
  readonly echo: boolean;
  readonly paint: (style: Style, text: string) => string;
}

/** Speakers' names are padded to this, and remarks stand below their words. */
export const MARGIN = 7;
/** Columns. */
const NARROW = 60;

export function layOut(row: Row, { width, paint }: View): string[] {
  const narrow = width < NARROW;
  const label =
    row.kind === 'speaker' ? row.label.padEnd(MARGIN) : `${' '.repeat(narrow ? 2 : MARGIN)}${row.label} `;
  const whole = widthOf(label);
  // Where there is little room, the lines below the first do not wait for the end of the label.
  const indent = row.kind === 'speaker' ? MARGIN : narrow ? Math.min(4, whole) : whole;
  const lead = whole - indent;
  const lines = wrap(`${'x'.repeat(lead)}${harmless(row.text)}`, width - indent);
  const dim = (text: string) => (row.style === 'dim' && text !== '' ? paint('dim', text) : text);
  const shownLabel = row.style === undefined ? label : paint(row.style, label);
  return lines.map((line, i) =>
    (i === 0 ? `${shownLabel}${dim(line.slice(lead))}` : `${' '.repeat(indent)}${dim(line)}`).trimEnd(),
  );
}
