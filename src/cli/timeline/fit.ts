/**
 * Text made fit for a terminal: no hidden character reaches it, long text is cut with a count of what there was, and
 * lines are broken at words to a width.
 */
import type { Json, JsonObject } from '../../base/json.ts';
import { visible } from '../../base/visible.ts';

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

/** Lines of at most `width` characters, broken at spaces where there are any. Empty lines stay. */
export function wrap(text: string, width: number): string[] {
  const { full, rest } = fillLines(text, width);
  return [...full, rest.trimEnd()];
}

/** The lines a text fills, and the rest that more text may still go on with. */
export function fillLines(text: string, width: number): { full: string[]; rest: string } {
  const room = Math.max(width, 20);
  const lines = text.split('\n');
  const last = breakLine([...lines.pop()!], room);
  return { full: [...lines.flatMap((line) => wrap(line, width)), ...last.full], rest: last.rest };
}

function breakLine(points: readonly string[], room: number): { full: string[]; rest: string } {
  const full: string[] = [];
  let rest = points;
  while (rest.length > room) {
    const space = rest.lastIndexOf(' ', room);
    // A word longer than two thirds of the line is broken rather than left to stand alone.
    const at = space > room / 3 ? space : room;
    full.push(rest.slice(0, at).join('').trimEnd());
    rest = rest.slice(rest[at] === ' ' ? at + 1 : at);
  }
  return { full, rest: rest.join('') };
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
