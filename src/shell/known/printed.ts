/**
 * What a few programs print, worked out from their arguments and input: `echo … | sh` and `$(printf …)` are then as good as
 * written out. Whatever is not sure is null.
 */
import { MOST_VALUE } from '../bounds.ts';
import type { Dialect } from '../dialect.ts';

export interface Printing {
  readonly dialect: Dialect;
  readonly args: readonly string[];
  /** What stands on the input, if it is known and nobody else reads it. */
  readonly input: string | null;
  /** What a file of this name holds, if this text wrote it. */
  readonly file: (path: string) => string | null;
  /** Notes that dash and bash print different things. */
  readonly differs: () => void;
}

type Printer = (printing: Printing) => string | null;

const PRINTERS: ReadonlyMap<string, Printer> = new Map(
  Object.entries<Printer>({
    echo: echo,
    printf: (printing) => (printing.args[0] === '-v' ? null : formatted(printing)),
    cat: (printing) => concatenated(printing),
    tee: ({ input }) => input,
    true: () => '',
    ':': () => '',
    base64: ({ args, input }) => {
      const decodes = args.some((arg) => /^(?:-[a-z]*[dD][a-z]*|--decode)$/.test(arg));
      const plain = args.every((arg) => /^-(?:[diD]+|-decode|-ignore-garbage)$/.test(arg));
      return decodes && plain && input !== null ? decoded(input, 'base64') : null;
    },
    xxd: ({ args, input }) => {
      const plain = args.join(' ').replace(/ /g, '');
      return input !== null && /^-(?:rp|pr|r-p|p-r)$/.test(plain) ? decoded(input, 'hex') : null;
    },
    rev: ({ args, input }) =>
      args.length === 0 && input !== null
        ? input
            .split('\n')
            .map((line) => [...line].reverse().join(''))
            .join('\n')
        : null,
    tr: ({ args, input }) => (input === null ? null : translated(args, input)),
  }),
);

/** What the program prints, or null. */
export function printedBy(program: string, printing: Printing): string | null {
  const text = PRINTERS.get(program)?.(printing) ?? null;
  return text !== null && text.length > MOST_VALUE ? null : text;
}

function echo({ args, dialect, differs }: Printing): string | null {
  let at = 0;
  let newline = true;
  let escapes = dialect.echoEscapes;
  const letters = dialect.name === 'dash' ? /^-n$/ : /^-[neE]+$/;
  if (args.some((arg) => /\\|^-[neE]*[eE]/.test(arg)) || /^-n.$/.test(args[0] ?? '')) differs();
  for (; at < args.length && letters.test(args[at]!); at++) {
    for (const letter of args[at]!.slice(1)) {
      if (letter === 'n') newline = false;
      else escapes = letter === 'e';
    }
    // dash knows one `-n`.
    if (dialect.name === 'dash') {
      at++;
      break;
    }
  }
  const text = args.slice(at).join(' ');
  if (!escapes) return newline ? `${text}\n` : text;
  const read = withoutEscapes(text, true);
  if (read === null) return null;
  return read.ended || !newline ? read.text : `${read.text}\n`;
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|(0?[0-7]{1,3})|u([0-9a-fA-F]{1,4})|([\s\S])|$)/g;
const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
  '\\': '\\',
};

/** Null if shells differ or bytes are no letters; `ended` at `\c`. */
function withoutEscapes(text: string, inEcho: boolean): { text: string; ended: boolean } | null {
  let unsure = false;
  let end = -1;
  const read = text.replace(ESCAPE, (all, hex, octal, unicode, letter, offset: number) => {
    if (end !== -1) return '';
    if (letter === 'c' && inEcho) {
      end = offset;
      return '\0';
    }
    const code =
      hex !== undefined ? Number.parseInt(hex, 16) : octal !== undefined ? Number.parseInt(octal, 8) : -1;
    if (code > 127 || code === 0 || unicode !== undefined) unsure = true;
    // `\101` is a letter for printf, for echo only with a zero before it, and dash has no \x.
    if (octal !== undefined && inEcho && !octal.startsWith('0')) unsure = true;
    if (hex !== undefined || letter === 'e') unsure ||= inEcho;
    if (code >= 0) return String.fromCharCode(code & 0x7f);
    return LETTERS[letter] ?? all;
  });
  if (unsure) return null;
  const cut = end === -1 ? -1 : read.indexOf('\0');
  return { text: cut === -1 ? read : read.slice(0, cut), ended: cut !== -1 };
}

const DIRECTIVE = /%(?:%|([sbdicuq])|.?)/gs;
const MOST_ROUNDS = 1000;

/** The format is used again as long as arguments are left. */
function formatted({ args, dialect, differs }: Printing): string | null {
  const at = args[0] === '--' ? 1 : 0;
  const format = args[at];
  if (format === undefined || (format.startsWith('-') && at === 0)) return null;
  // dash has no \x in formats.
  if (/\\x/.test(format) && dialect.name === 'dash') return null;
  // dash has no %q, and prints nothing from there on.
  if (format.includes('%q')) differs();
  const until = dialect.name === 'dash' ? format.indexOf('%q') : -1;
  if (until !== -1) return /[%\\]/.test(format.slice(0, until)) ? null : format.slice(0, until);
  const read = withoutEscapes(format, false);
  if (read === null || /%(?![%sbdicuq])/.test(read.text.replaceAll('%%', ''))) return null;
  const values = args.slice(at + 1);
  let printed = '';
  let next = 0;
  let unsure = false;
  let rounds = 0;
  do {
    printed += read.text.replace(DIRECTIVE, (_all, letter: string | undefined) => {
      if (letter === undefined) return '%';
      const value = values[next++] ?? '';
      if (letter === 's') return value;
      if (letter === 'c') return value.slice(0, 1);
      if (letter === 'd' || letter === 'i' || letter === 'u') {
        if (!/^\d{1,15}$/.test(value) && value !== '') unsure = true;
        return value === '' ? '0' : String(Number(value));
      }
      if (letter === 'q' && /^[\x20-\x7e]*$/.test(value)) return quoted(value);
      const inner = letter === 'b' ? withoutEscapes(value, true) : null;
      if (inner === null || inner.ended) unsure = true;
      return inner?.text ?? '';
    });
    if (unsure || printed.length > MOST_VALUE || ++rounds > MOST_ROUNDS) return null;
  } while (next > 0 && next < values.length);
  return printed;
}

/** As `%q` of bash writes a word. */
function quoted(value: string): string {
  return value === '' ? "''" : value.replace(/[\s'"\\|&;()<>!{}*[\]?^$`,]|^[#~]/g, '\\$&');
}

function concatenated({ args, input, file }: Printing): string | null {
  if (args.length === 0) return input;
  let text = '';
  for (const arg of args) {
    const piece = arg === '-' || arg === '/dev/stdin' ? input : arg.startsWith('-') ? null : file(arg);
    if (piece === null) return null;
    text += piece;
  }
  return text;
}

function decoded(text: string, encoding: 'base64' | 'hex'): string | null {
  const plain = text.replace(/\s+/g, '').replace(/=+$/, '');
  const valid = encoding === 'base64' ? /^[A-Za-z0-9+/]*$/ : /^(?:[0-9a-fA-F]{2})*$/;
  if (!valid.test(plain) || (encoding === 'base64' && plain.length % 4 === 1)) return null;
  const read =
    encoding === 'base64'
      ? atob(plain)
      : plain.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return /^[\t\n\r\x20-\x7e]*$/.test(read) ? read : null;
}

/** `tr a-z A-Z`: plain letters and ranges, one for one; `-d` too. */
function translated(args: readonly string[], input: string): string | null {
  const deletes = args[0] === '-d';
  const [from, to] = deletes ? [args[1], ''] : [args[0], args[1]];
  if (args.length !== 2 || from === undefined || to === undefined || from.startsWith('-')) return null;
  const set = spelt(from);
  const other = spelt(to);
  if (set === null || other === null) return null;
  let printed = '';
  for (const char of input) {
    const at = set.lastIndexOf(char);
    if (at === -1) printed += char;
    else if (!deletes) printed += other[Math.min(at, other.length - 1)] ?? '';
  }
  return printed;
}

/** The letters of a set, or null if it has classes or escapes beyond `\n`. */
function spelt(set: string): string | null {
  if (/\[[:=.]|\\[^n\\]/.test(set)) return null;
  const plain = set.replaceAll('\\n', '\n').replaceAll('\\\\', '\\');
  let letters = '';
  for (let i = 0; i < plain.length; i++) {
    if (plain[i + 1] === '-' && i + 2 < plain.length) {
      const [low, high] = [plain.charCodeAt(i), plain.charCodeAt(i + 2)];
      if (high < low || high > 127) return null;
      for (let code = low; code <= high; code++) letters += String.fromCharCode(code);
      i += 2;
    } else letters += plain[i];
  }
  return letters;
}
