/**
 * How a text that is being edited looks: below its prompt, broken at the width of the terminal, with the cursor where the next
 * character goes. Of a text longer than the terminal the lines around the cursor are shown.
 */
import { harmless, wrap } from '../timeline/fit.ts';
import { fitInto, glyphs, widthOf } from '../timeline/width.ts';
import type { Edit } from './line-edit.ts';
import type { Live, Size } from './screen.ts';

export interface EditPrompt {
  readonly text: string;
  readonly paint: (text: string) => string;
  /** Lines before it. */
  readonly above: readonly string[];
}

/** Lines of the terminal that are left to what stands above. */
const LEFT_ABOVE = 6;

export function showEdit(edit: Edit, prompt: EditPrompt, { columns, rows }: Size): Live {
  const width = Math.max(columns - 1, 8);
  const asked = wrap(
    edit.search === null ? prompt.text : `look for "${harmless(edit.search.query)}":`,
    width,
  );
  const last = asked.pop()!;
  // The blank behind a prompt is part of it.
  const lead = last === '' || edit.search !== null ? `${last} ` : `${last}${/ *$/.exec(prompt.text)![0]}`;
  const margin = widthOf(lead) > width / 2 ? 0 : widthOf(lead);
  const text = [''];
  let column = widthOf(lead);
  let cursor = { row: 0, column };
  let place = 0;
  const newRow = () => {
    text.push(' '.repeat(margin));
    column = margin;
  };
  for (const glyph of glyphs(edit.text)) {
    const shown = glyph.text === '\n' || glyph.text === '\r\n' ? '' : harmless(glyph.text);
    const wide = shown === glyph.text ? glyph.width : widthOf(shown);
    if (column + wide > width && shown !== '') newRow();
    if (place <= edit.cursor && edit.cursor < place + glyph.text.length)
      cursor = { row: text.length - 1, column };
    if (shown === '') newRow();
    else {
      text[text.length - 1] += shown;
      column += wide;
    }
    place += glyph.text.length;
  }
  if (edit.cursor >= place) {
    if (column >= width) newRow();
    cursor = { row: text.length - 1, column };
  }
  const above = [
    ...prompt.above.map((line) => fitInto(harmless(line.replaceAll('\n', ' ')), width)),
    ...asked,
  ];
  const most = Math.max(rows - LEFT_ABOVE - above.length, 1);
  const from = Math.max(0, Math.min(cursor.row - most + 1, text.length - most));
  const shown = text.slice(from, from + most);
  const more = (line: string) => (margin > 0 ? prompt.paint('↑') + line.slice(1) : line);
  return {
    lines: [
      ...above,
      ...shown.map((line, i) => (i > 0 ? line : from === 0 ? prompt.paint(lead) + line : more(line))),
    ],
    cursor: { row: above.length + cursor.row - from, column: cursor.column },
  };
}
