/**
 * Reads redirections: which file or descriptor, and here-documents, whose text follows at the end of the line.
 */
import { CLASS, type Cursor, literal, META, skipBlanks } from './cursor.ts';
import type { Redirect, Word } from './tree.ts';
import { readWord } from './words.ts';

/** `-` and something that is no end of a word. */
const CLOSES = /^-[^\s;&|<>()]/;
const OPERATOR = /<<<|<<-|<<|<>|<&|<|>>|>\||>&|>|&>>|&>/y;

/** Whether a redirection begins at the cursor. In sh, `&>` is `&` and then `>`. */
export function atRedirect(c: Cursor): boolean {
  const code = c.text.charCodeAt(c.at);
  if (code === 60 || code === 62) return c.text.charCodeAt(c.at + 1) !== 40 || !c.has('processes');
  return code === 38 && c.text.charCodeAt(c.at + 1) === 62 && c.has('bothRedirect');
}

/** At the operator; `fd` is what stood right before it. */
export function readRedirect(c: Cursor, fd: string | null): Redirect {
  const { at } = c;
  OPERATOR.lastIndex = at;
  let op = OPERATOR.exec(c.text)![0];
  if (op === '<<<' && !c.has('hereStrings')) c.error('this shell has no <<<', at, 'shell');
  c.at += op.length;
  // bash knows `>&-` as one sign: what stands right behind it is the next word. Others refuse it or take it for a name.
  if (/^[<>]&$/.test(op) && CLOSES.test(c.text.slice(c.at, c.at + 2))) {
    if (c.dialect.name !== 'bash') c.error('want nothing behind the - that closes', at);
    c.at++;
    return { op, fd, target: literal('-', c.offset(c.at - 1), c.offset(c.at)), at: c.offset(at) };
  }
  if (c.text.startsWith('\\\n', c.at)) c.error('a line is joined inside of an operator');
  skipBlanks(c);
  const first = c.text.charCodeAt(c.at);
  const none = c.at >= c.text.length || (first < 128 && (CLASS[first]! & META) !== 0 && !startsProcess(c));
  if (none) c.error(`nothing behind ${op}`, at);
  if (c.dialect.name === 'zsh' && c.text[c.at] === '!')
    c.error('a redirection that only zsh has', at, 'shell');
  const target = none ? literal('', c.offset(at), c.offset(at)) : readWord(c);
  if (op === '>&' && !/^(?:\d+-?|-)$/.test(target.text) && target.parts === null && fd === null) {
    // With a name behind it bash writes both outputs there, dash refuses it.
    if (c.has('bothRedirect')) op = '&>';
    else c.error('want a number behind >&', at);
  }
  const redirect = { op: op === '<<-' ? '<<' : op, fd, target, at: c.offset(at) };
  if (op === '<<' || op === '<<-') announce(c, redirect, target, op === '<<-');
  return redirect;
}

function startsProcess(c: Cursor): boolean {
  const { text, at } = c;
  return (text[at] === '<' || text[at] === '>') && text[at + 1] === '(' && c.has('processes');
}

function announce(
  c: Cursor,
  redirect: { -readonly [K in keyof Redirect]: Redirect[K] },
  word: Word,
  tabs: boolean,
): void {
  let delimiter = word.text;
  if (word.parts !== null) {
    if (word.parts.some((part) => part.kind !== 'text')) {
      c.error('the end of a here-document is not plain text', c.at);
    } else delimiter = word.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  }
  if (delimiter.includes('\n')) c.error('the end of a here-document is more than a line');
  c.pending.push({ redirect, delimiter, quoted: word.quoted, tabs });
  redirect.target = literal('', word.start, word.end);
}
