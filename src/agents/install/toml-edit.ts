/**
 * Adds to and takes from TOML one table with one text or switch in it. A table that is there already is changed in its place: a second
 * one of the same name would make the file unreadable. What was written is read again before it counts.
 */

import { type Tree, toData } from '../../base/index.ts';
import { pathKey, readTomlTree, tomlLocations } from '../../files/index.ts';
import { type Edited, lineEndOf, type Refused, splice } from './splice.ts';

export interface TomlText {
  readonly table: readonly string[];
  readonly key: string;
  readonly value: string | boolean;
}

/** A text, or a switch. */
const VALUE = /true|false|"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

export function setTomlText(text: string, wanted: TomlText): Edited | Refused {
  const standing = tomlTextAt(text, wanted);
  if (typeof standing === 'object') return standing;
  if (standing === wanted.value) return { text, splices: [] };
  const edited = standing === undefined ? addText(text, wanted) : replaceText(text, wanted);
  // Parts of the path may be written in a way that cannot be added to, such as an inline table.
  if (tomlTextAt(edited.text, wanted) === wanted.value) return edited;
  const place = tomlLocations(bare(text)).get(pathKey(wanted.table.slice(0, 1)));
  const outer = wanted.table.slice(0, -1).join('.');
  return {
    refused: `want a table [${outer}] that tables can be added to, got one that is written on one line`,
    offset: (place?.key ?? 0) + marks(text),
  };
}

/** Takes the text out if it is this one, and its table if nothing else is in it. */
export function removeTomlText(text: string, { table, key, value }: TomlText): Edited | Refused {
  const standing = tomlTextAt(text, { table, key });
  if (typeof standing === 'object') return standing;
  if (standing !== value) return { text, splices: [] };
  const shift = marks(text);
  const places = tomlLocations(bare(text));
  const from = (places.get(pathKey([...table, key]))?.key ?? 0) + shift;
  const to = endOfLine(text, from);
  const header = (places.get(pathKey(table))?.key ?? 0) + shift;
  const alone = text[header] === '[' && text.slice(endOfLine(text, header), from).trim() === '';
  const siblings = tableAt(text, table);
  if (!alone || siblings.length !== 1) return splice(text, from, to - from, '');
  const start = header - (/(?:\r?\n)?$/.exec(text.slice(0, header).replace(/\r?\n$/, ''))?.[0].length ?? 0);
  // The empty line that was put before the table goes with it; at the top of a file there is none.
  return splice(text, start, to - start, '');
}

/** The text there, undefined if there is none, or why the file cannot be read. */
export function tomlTextAt(
  text: string,
  { table, key }: Pick<TomlText, 'table' | 'key'>,
): string | boolean | undefined | Refused {
  const tree = readTomlTree(bare(text));
  if (!tree.ok) return { refused: tree.message, offset: offsetOf(text, tree.line, tree.col) };
  let node: Tree | undefined = tree.root;
  for (const part of [...table, key]) node = node?.kind === 'map' ? node.entries.get(part)?.value : undefined;
  return node?.kind === 'scalar' && isValue(node.value) ? node.value : undefined;
}

/** All of the file as data; undefined if it is not TOML. */
export function tomlData(text: string): unknown {
  const tree = readTomlTree(bare(text));
  return tree.ok ? toData(tree.root) : undefined;
}

function addText(text: string, { table, key, value }: TomlText): Edited {
  const eol = lineEndOf(text);
  const line = `${key} = ${written(value)}${eol}`;
  const header = tomlLocations(bare(text)).get(pathKey(table));
  const at = header === undefined ? -1 : header.key + marks(text);
  if (at !== -1 && text[at] === '[') {
    const end = endOfLine(text, at);
    return splice(text, end, 0, `${text[end - 1] === '\n' ? '' : eol}${line}`);
  }
  const body = bare(text);
  const gap = body === '' ? '' : body.endsWith('\n') ? eol : `${eol}${eol}`;
  return splice(text, text.length, 0, `${gap}[${table.map(bareOrQuoted).join('.')}]${eol}${line}`);
}

function replaceText(text: string, { table, key, value }: TomlText): Edited {
  const at = (tomlLocations(bare(text)).get(pathKey([...table, key]))?.value ?? 0) + marks(text);
  VALUE.lastIndex = at;
  return splice(text, at, VALUE.exec(text)?.[0].length ?? 0, written(value));
}

function tableAt(text: string, table: readonly string[]): readonly string[] {
  const tree = readTomlTree(bare(text));
  let node: Tree | undefined = tree.ok ? tree.root : undefined;
  for (const part of table) node = node?.kind === 'map' ? node.entries.get(part)?.value : undefined;
  return node?.kind === 'map' ? [...node.entries.keys()] : [];
}

/** The parser wants no byte order mark. */
function bare(text: string): string {
  return text.slice(marks(text));
}

function marks(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

/** After the line end of the line this place is on. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function offsetOf(text: string, line: number, col: number): number {
  let start = 0;
  for (let i = 1; i < line; i++) start = endOfLine(text, start);
  return Math.min(start + col - 1, text.length);
}

const isValue = (value: unknown): value is string | boolean =>
  typeof value === 'string' || typeof value === 'boolean';

const written = (value: string | boolean) => (typeof value === 'string' ? quoted(value) : String(value));

/** The escapes of JSON are those of TOML for what paths and digests can hold. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function bareOrQuoted(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}
