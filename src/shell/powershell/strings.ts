/** Strings and variables of PowerShell: quotes, here-strings, backticks, and what is expanded in them. */
import type { Cursor } from '../syntax/cursor.ts';
import type { Part } from '../syntax/tree.ts';
import { commandPart, paramPart, textPart } from './nodes.ts';
import { readStatements } from './statements.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** Any of the quotes that PowerShell takes for one. */
export const SINGLE = /['\u2018\u2019\u201a\u201b]/;
export const DOUBLE = /["\u201c\u201d\u201e]/;

/** `'…'`: two of them are one. */
export function readSingle(c: Cursor): Part[] {
  const open = c.at++;
  let text = '';
  for (;;) {
    const char = c.text[c.at];
    if (char === undefined) {
      c.error("unclosed '", open);
      break;
    }
    c.at++;
    if (SINGLE.test(char)) {
      if (!SINGLE.test(c.text[c.at] ?? '')) break;
      c.at++;
    }
    text += char;
  }
  return [textPart(text)];
}

/** `"…"`. */
export function readDouble(c: Cursor): Part[] {
  const open = c.at++;
  const gathered = new Gathered();
  for (;;) {
    const char = c.text[c.at];
    if (char === undefined) {
      c.error('unclosed "', open);
      break;
    }
    if (DOUBLE.test(char)) {
      c.at++;
      if (!DOUBLE.test(c.text[c.at] ?? '')) break;
      c.at++;
      gathered.add('"');
    } else readExpanding(c, gathered);
  }
  return gathered.all();
}

/** One character of text that is expanded, or what it expands. */
export function readExpanding(c: Cursor, gathered: Gathered): void {
  const char = c.text[c.at]!;
  if (char === '`') gathered.add(readEscape(c));
  else if (char === '$') {
    const parts = readDollar(c, false);
    if (parts === null) {
      c.at++;
      gathered.add('$');
    } else for (const part of parts) gathered.push(part);
  } else {
    c.at++;
    gathered.add(char);
  }
}

/** A backtick and what it escapes. */
export function readEscape(c: Cursor): string {
  const char = c.text[c.at + 1];
  if (char === 'u' && c.text[c.at + 2] === '{') {
    const end = c.text.indexOf('}', c.at);
    const code = Number.parseInt(c.text.slice(c.at + 3, end === -1 ? c.at + 3 : end), 16);
    if (end !== -1 && code > 0 && code < 0x110000) {
      c.at = end + 1;
      return String.fromCodePoint(code);
    }
  }
  c.at += char === undefined ? 1 : 2;
  return char === undefined ? '' : (ESCAPES[char] ?? char);
}

const HERE = /@(['"])[ \t]*\r?\n/y;

/** `@'` and `@"` at the end of a line, up to the same at the start of one. Null if there is none here. */
export function readHereString(c: Cursor): Part[] | null {
  HERE.lastIndex = c.at;
  const found = HERE.exec(c.text);
  if (found === null) return null;
  const quote = found[1]!;
  const from = c.at + found[0].length;
  let end = c.text.startsWith(`${quote}@`, from) ? from : c.text.indexOf(`\n${quote}@`, from - 1);
  if (end === -1) {
    c.error(`unclosed @${quote}`, c.at);
    end = c.text.length;
  }
  const text = c.text.slice(from, Math.max(from, end));
  const after = Math.min(c.text.length, end === from ? end + 2 : end + 3);
  if (quote === "'") {
    c.at = after;
    return [textPart(text)];
  }
  const inner = c.inner(text, from);
  const gathered = new Gathered();
  while (inner.at < text.length) readExpanding(inner, gathered);
  c.at = after;
  return gathered.all();
}

const VARIABLE = /\$(?:\{([^}\n]*)\}|((?:[A-Za-z]\w*:)?[A-Za-z_]\w*|[?^$_]|\d+))/y;

/** `$x`, `${x}`, `$env:X` and `$(…)` at the cursor; null if the dollar is nothing but itself. */
export function readDollar(c: Cursor, list: boolean): readonly Part[] | null {
  const open = c.at;
  if (c.text[open + 1] === '(') {
    c.at += 2;
    const script = c.deeper(() => readStatements(c, ')'), null);
    if (c.text[c.at] === ')') c.at++;
    else c.error('unclosed $(', open);
    return [script === null ? textPart('') : commandPart(script, c.offset(open))];
  }
  VARIABLE.lastIndex = open;
  const found = VARIABLE.exec(c.text);
  if (found === null) return null;
  c.at = open + found[0].length;
  return variable((found[1] ?? found[2])!, c.offset(open), list);
}

/** A variable by its name, without the dollar. */
export function variable(written: string, at: number, list: boolean): readonly Part[] {
  const name = written.toLowerCase().replace(/^(?:global|script|local|private|using|variable):/, '');
  const constant = CONSTANTS[name];
  if (constant !== undefined) return [textPart(constant)];
  const other = name.startsWith('env:') ? environmentName(written.slice(4)) : (OWN[name] ?? name);
  const fixed = FIXED[other];
  if (fixed !== undefined) return [textPart(fixed)];
  const below = BELOW_HOME[other];
  if (below !== undefined) return [{ ...paramPart('HOME', at, list), index: null }, textPart(below)];
  const part = paramPart(other, at, list);
  return [PLAIN.has(other) ? { ...part, index: null } : part];
}

/** `$env:USERPROFILE` is the home folder; the names of others are those of every system. */
function environmentName(name: string): string {
  const upper = name.toUpperCase();
  return SAME_AS[upper] ?? upper;
}

const CONSTANTS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: '' };
const OWN: Readonly<Record<string, string>> = {
  home: 'HOME',
  pwd: 'PWD',
  _: '_item',
  psitem: '_item',
  args: '@',
  input: '_input',
};
const SAME_AS: Readonly<Record<string, string>> = { USERPROFILE: 'HOME', TMP: 'TEMP' };
const FIXED: Readonly<Record<string, string>> = {
  SYSTEMROOT: 'C:/Windows',
  WINDIR: 'C:/Windows',
  SYSTEMDRIVE: 'C:',
  HOMEDRIVE: 'C:',
  PROGRAMFILES: 'C:/Program Files',
  PROGRAMDATA: 'C:/ProgramData',
  ALLUSERSPROFILE: 'C:/ProgramData',
  PUBLIC: 'C:/Users/Public',
  COMSPEC: 'cmd',
};
const BELOW_HOME: Readonly<Record<string, string>> = {
  APPDATA: '/AppData/Roaming',
  LOCALAPPDATA: '/AppData/Local',
  profile: '/Documents/PowerShell/profile.ps1',
};
const PLAIN: ReadonlySet<string> = new Set(['HOME', 'PWD', '@', 'TEMP']);

/** Parts being gathered: text next to text is one. */
export class Gathered {
  private readonly parts: Part[] = [];
  private text = '';

  add(text: string): void {
    this.text += text;
  }

  push(part: Part): void {
    if (part.kind === 'text') this.text += part.text;
    else {
      this.flush();
      this.parts.push(part);
    }
  }

  all(): Part[] {
    this.flush();
    return this.parts.length === 0 ? [textPart('')] : this.parts;
  }

  private flush(): void {
    if (this.text !== '') this.parts.push(textPart(this.text));
    this.text = '';
  }
}
