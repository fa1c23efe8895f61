/**
 * Pieces of the shared syntax tree, as the readers of PowerShell and cmd put them together. Both languages are read to the
 * tree of POSIX shells, so that one walk follows variables, pipes, functions and branches of all three.
 */
import type { Cursor } from '../syntax/cursor.ts';
import type { Assign, If, List, Node, ParamPart, Part, Redirect, Simple, Word } from '../syntax/tree.ts';

/** Stands between the elements of an array that is one argument; no program gets it. */
export const COMMA = '\0,';
/** Before the name of a program that is none of the shell's own commands: what a .NET call comes to. */
export const PROGRAM = '\0';
/** A value that is made of others and not known; what stands in it runs. */
export const COMPUTED = '\0?';

const GLOB = /[*?[]/;

export function plainWord(text: string, quoted = true): Word {
  return { start: 0, end: 0, text, parts: null, quoted, glob: !quoted && GLOB.test(text), brace: false };
}

export function wordOf(parts: readonly Part[]): Word {
  const text = literalOf(parts);
  if (text !== null) return { ...plainWord(text), glob: parts.some(isGlob) };
  const shown = parts.map((part) => (part.kind === 'text' ? part.text : '$()')).join('');
  return { start: 0, end: 0, text: shown, parts, quoted: true, glob: false, brace: false };
}

function isGlob(part: Part): boolean {
  return part.kind === 'text' && !part.quoted && GLOB.test(part.text);
}

export function textPart(text: string, quoted = true): Part {
  return { kind: 'text', text, quoted };
}

/** The text of parts that are nothing but text. */
export function literalOf(parts: readonly Part[]): string | null {
  let text = '';
  for (const part of parts) {
    if (part.kind !== 'text') return null;
    text += part.text;
  }
  return text;
}

/** `list`: every element is a word of its own, as an argument; otherwise they are joined by blanks. */
export function paramPart(name: string, at: number, list: boolean): ParamPart {
  const index = plainWord(list ? '@' : '*');
  return { kind: 'param', name, op: '', arg: null, index, length: false, indirect: false, quoted: true, at };
}

export function commandPart(script: Node, at: number): Part {
  return { kind: 'command', script, quoted: true, at };
}

export function simple(
  c: Cursor,
  start: number,
  words: readonly Word[],
  more: { readonly redirects?: readonly Redirect[]; readonly assigns?: readonly Assign[] } = {},
): Simple {
  const end = Math.max(start, c.at);
  return {
    kind: 'simple',
    assigns: more.assigns ?? [],
    words,
    redirects: more.redirects ?? [],
    declared: null,
    start: c.offset(start),
    end: c.offset(end),
    text: c.text.slice(start, end).trim(),
  };
}

export function listOf(items: readonly Node[], background: readonly boolean[] = []): List {
  return { kind: 'list', items, background: items.map((_, at) => background[at] === true) };
}

/** `body` may run, or not. */
export function maybe(c: Cursor, start: number, test: Node, body: Node, otherwise: Node | null = null): If {
  const { end, text } = simple(c, start, []);
  return { kind: 'if', branches: [{ test, body }], otherwise, redirects: [], start, end, text };
}

export function assignOf(name: string, value: Word, list: readonly Word[] | null, append: boolean): Assign {
  return { name, append, value, list, index: null };
}

/** Backslashes of paths as slashes, where a word is a path. */
export function slashed(text: string): string {
  if (!text.includes('\\') || text.length > LONGEST_PATH || !PATH.test(text) || DISK.test(text)) return text;
  const path = text.replaceAll('\\', '/').replace(/^\/\/[?.]\/(?=[A-Za-z]:)/, '');
  // Names in the registry are the same in large and small letters.
  return /^(?:HK|Registry)/i.test(path) ? path.toLowerCase() : path;
}

const DISK = /^\\\\[.?]\\PhysicalDrive/i;
const LONGEST_PATH = 1024;
const PATH =
  /^(?:[A-Za-z]:|\\\\[?.]?|HK\w+:?|[A-Za-z]+:|Registry::|Microsoft\.PowerShell\.Core\\\w+::|\$\{[\w?*@]+\}|\$\(\)|\/~|~|[\w.@+*-]*|%\w+%)(?:[\\/][^\\/"<>|\n;]*)+$/;
