/**
 * Reads the bodies of here-documents at the end of the line that announced them. Expansions in a body are read like those in
 * double quotes; where shells could disagree on the line that ends it, it is an error.
 */
import { inQuotes } from '../text.ts';
import { type Cursor, literal, type PendingDocument } from './cursor.ts';
import type { Word } from './tree.ts';
import { PartList, readInDouble } from './words.ts';

/** Over a line end, and the documents that begin behind it. */
export function passNewline(c: Cursor): void {
  c.at++;
  if (c.pending.length === 0) return;
  const documents = c.pending;
  c.pending = [];
  c.documents += documents.length;
  for (const document of documents) document.redirect.target = readDocument(c, document);
}

function readDocument(c: Cursor, { delimiter, quoted, tabs }: PendingDocument): Word {
  const { text } = c;
  const start = c.at;
  let body = '';
  let from = start;
  let joined = false;
  for (;;) {
    if (c.at >= text.length) {
      c.error(`a here-document without its end ${inQuotes(delimiter)}`, start);
      body += text.slice(from);
      break;
    }
    const newline = text.indexOf('\n', c.at);
    const end = newline === -1 ? text.length : newline;
    let first = c.at;
    if (tabs) while (text.charCodeAt(first) === 9) first++;
    const ends = end - first === delimiter.length && text.startsWith(delimiter, first);
    if (ends && joined) c.error('a here-document may end on a joined line', c.at, 'shell');
    if (ends) {
      body += text.slice(from, c.at);
      c.at = Math.min(end + 1, text.length);
      break;
    }
    if (tabs && first > c.at) {
      body += text.slice(from, c.at);
      from = first;
    }
    joined = !quoted && endsInBackslash(text, c.at, end);
    if (joined && delimiter.startsWith(text.slice(first, end - 1))) {
      c.error('a here-document may end on a joined line', c.at, 'shell');
    }
    c.at = Math.min(end + 1, text.length);
  }
  if (quoted || !/[$`\\]/.test(body)) {
    return { ...literal(body, c.offset(start), c.offset(c.at)), quoted: true };
  }
  if (!c.shared.mayReadAgain(body.length, c.offset(start))) return literal('', start, start);
  const inner = c.inner(body, start);
  const word = readBody(inner);
  if (inner.differs) c.differs = true;
  return word;
}

/** Text with expansions in which quotes mean nothing. */
export function readBody(c: Cursor): Word {
  const { text } = c;
  c.document = true;
  const list = new PartList();
  list.add('', true);
  let run = 0;
  while (c.at < text.length) {
    const code = text.charCodeAt(c.at);
    if (code !== 36 && code !== 96 && code !== 92) {
      c.at++;
      continue;
    }
    if (c.at > run) list.add(text.slice(run, c.at), true);
    readInDouble(c, code, list, '');
    run = c.at;
  }
  if (c.at > run) list.add(text.slice(run, c.at), true);
  list.flush();
  return {
    start: c.offset(0),
    end: c.offset(c.at),
    text: list.expands ? text : list.plain(),
    parts: list.expands ? list.parts : null,
    quoted: true,
    glob: false,
    brace: false,
  };
}

function endsInBackslash(text: string, from: number, end: number): boolean {
  let count = 0;
  while (end - 1 - count >= from && text.charCodeAt(end - 1 - count) === 92) count++;
  return count % 2 === 1;
}
