/**
 * Lays valid JSON text out over lines. Only white space changes: numbers and strings stay as they were written.
 */
import type { Thread } from '../run/thread.ts';
import { PIECE, TEXT } from '../values/size.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** `text` must be valid JSON. Each new line is `prefix`, then `indent` once for each level. */
export function indentJson(thread: Thread, text: string, prefix: string, indent: string): string {
  thread.spend(1 + (text.length >> 4));
  thread.charge(TEXT);
  let out = '';
  let depth = 0;
  let afterOpen = false;

  const put = (piece: string): void => {
    thread.charge(PIECE + piece.length);
    out += piece;
  };
  const newLine = (): void => {
    // Indentation multiplies: level times width times elements. It is charged before it exists.
    thread.charge(2 * PIECE + 1 + prefix.length + depth * indent.length);
    out += `\n${prefix}${indent.repeat(depth)}`;
  };

  for (const [token] of text.matchAll(TOKEN)) {
    thread.spend(1);
    const closes = token === ']' || token === '}';
    if (closes) depth--;
    // An empty container stays on its line.
    if (closes ? !afterOpen : afterOpen) newLine();
    afterOpen = token === '[' || token === '{';
    if (afterOpen) depth++;
    put(token === ':' ? ': ' : token);
    if (token === ',') newLine();
  }
  return out;
}
