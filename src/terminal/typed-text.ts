/**
 * A text being typed. `node:readline` edits it and recalls earlier texts; `showTyped` says how it looks, and the screen draws it.
 */
import { createInterface, type Interface, type Key } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { breakExactly, harmless, wrap } from './fit.ts';
import type { Live, Size } from './screen.ts';
import { fitInto, widthOf } from './width.ts';

/** Stands for a line break inside the text: to readline a line break ends it. */
const BREAK = '\u240a';
const MOST_PAST = 500;

export class TypedText {
  private readonly readline: Interface;
  private recent: readonly string[];

  /** `past`: what was typed before, oldest first; null where nothing is to be recalled. */
  constructor(past: readonly string[] | null) {
    this.recent = (past ?? []).slice(-MOST_PAST).map(joined).reverse();
    this.readline = createInterface({
      input: new PassThrough(),
      output: new Writable({ write: (_chunk, _encoding, done) => done() }),
      terminal: true,
      history: [...this.recent],
      historySize: past === null ? 0 : MOST_PAST,
    });
    this.readline.on('history', (history) => {
      this.recent = [...history];
    });
  }

  get text(): string {
    return this.readline.line.replaceAll(BREAK, '\n');
  }

  /** Where the next character goes, in code units. */
  get cursor(): number {
    return this.readline.cursor;
  }

  get past(): string[] {
    return this.recent.map((line) => line.replaceAll(BREAK, '\n')).reverse();
  }

  press(text: string | undefined, key: Key): void {
    this.readline.write(text, key);
  }

  insert(text: string): void {
    if (text !== '') this.readline.write(joined(text));
  }

  replace(text: string): void {
    this.readline.write(null, { ctrl: true, name: 'e' });
    this.readline.write(null, { ctrl: true, name: 'u' });
    this.insert(text);
  }

  /** The text, which is then one of the past. */
  take(): string {
    const { text } = this;
    this.readline.write(null, { name: 'return' });
    return text;
  }

  close(): void {
    this.readline.close();
  }
}

function joined(text: string): string {
  return text.replaceAll(/\r\n?|[\n\u2028\u2029]/g, BREAK);
}

export interface TypedPrompt {
  readonly text: string;
  readonly paint: (text: string) => string;
  /** Lines before it. */
  readonly above: readonly string[];
}

/** Lines of the terminal that are left to what stands above. */
const LEFT_ABOVE = 6;
const NARROWEST = 12;

/** Below its prompt, broken at the width of the terminal; of a text longer than the terminal the lines around the cursor. */
export function showTyped(
  { text, cursor }: Pick<TypedText, 'text' | 'cursor'>,
  prompt: TypedPrompt,
  size: Size,
): Live {
  const width = Math.max(size.columns - 1, NARROWEST);
  const asked = wrap(prompt.text, width);
  // The blanks behind a prompt are part of it.
  const lead = `${asked.pop()!}${/ *$/.exec(prompt.text)![0]}`;
  const indent = ' '.repeat(widthOf(lead) > width / 2 ? 0 : widthOf(lead));
  const broken = (part: string) =>
    part
      .split('\n')
      .flatMap((line, i) => breakExactly((i === 0 ? lead : indent) + harmless(line), width, indent));
  const rows = broken(text);
  const before = broken(text.slice(0, cursor));
  const at = { row: before.length - 1, column: widthOf(before.at(-1)!) };
  if (at.column >= width) Object.assign(at, { row: at.row + 1, column: indent.length });
  if (at.row === rows.length) rows.push(indent);
  const above = [
    ...prompt.above.map((line) => fitInto(harmless(line.replaceAll('\n', ' ')), width)),
    ...asked,
  ];
  const most = Math.max(size.rows - LEFT_ABOVE - above.length, 1);
  const from = Math.max(0, Math.min(at.row - most + 1, rows.length - most));
  const shown = rows.slice(from, from + most);
  if (from === 0) shown[0] = prompt.paint(lead) + shown[0]!.slice(lead.length);
  return { lines: [...above, ...shown], cursor: { row: above.length + at.row - from, column: at.column } };
}
