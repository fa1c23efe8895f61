/**
 * `"…{}…".format(…)`: replacement fields by position, number or keyword, with `!r` and `!s`. No attribute access, no
 * indexing, no format specifications: a field can only ever name an argument.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { repr, str } from '../values/repr.ts';
import { PIECE } from '../values/size.ts';
import type { Value } from '../values/value.ts';

/** Which way the fields without a keyword choose their argument; one format string may not use both. */
type Numbering = 'automatic' | 'manual';

/** A field of the format string, with the text before it. The last one has no field, or the mistake parsing ended at. */
interface Piece {
  readonly text: string;
  readonly field: Field | null;
  readonly mistake: string | null;
}

interface Field {
  readonly name: string;
  readonly numbering: Numbering | null;
  /** Of the argument, where the numbering is manual. */
  readonly index: number;
  readonly repr: boolean;
}

export function braceFormat(
  thread: Thread,
  format: string,
  args: readonly Value[],
  keyword: (name: string) => Value | undefined,
): string {
  thread.spend(1 + (format.length >> 4));
  let out = '';
  let numbering: Numbering | null = null;
  let next = 0;
  const pieces = piecesOf(thread, format);
  for (let i = 0; i < pieces.length; i++) {
    const { text, field, mistake } = pieces[i]!;
    thread.charge(PIECE + text.length);
    out += text;
    if (mistake !== null) fail(mistake);
    if (field === null) break;
    let value: Value | undefined;
    if (field.numbering === null) {
      value = keyword(field.name);
      if (value === undefined) missing(field.name);
    } else {
      if (numbering !== null && numbering !== field.numbering) fail(SWITCHED[field.numbering]);
      numbering = field.numbering;
      value = args[numbering === 'automatic' ? next++ : field.index];
      if (value === undefined) fail('format: tuple index out of range');
    }
    const shown = field.repr ? repr(value, thread) : str(value, thread);
    thread.charge(PIECE + shown.length);
    thread.spend(1);
    out += shown;
  }
  return out;
}

const SWITCHED: Readonly<Record<Numbering, string>> = {
  automatic: 'format: cannot switch from manual field specification to automatic field numbering',
  manual: 'format: cannot switch from automatic field numbering to manual field specification',
};

/** Parsed format strings. Scripts use few and use them often; the oldest goes when there are too many. */
const parsed = new Map<string, readonly Piece[]>();
const MAX_PARSED = 256;
const MAX_CACHED_LENGTH = 1024;
/** A piece with its field. */
const PIECE_SIZE = 128;

/** What is kept is not charged: the script that meets a format first would pay for the others. */
function piecesOf(thread: Thread, format: string): readonly Piece[] {
  if (format.length > MAX_CACHED_LENGTH) return parsePieces(format, () => thread.charge(PIECE_SIZE));
  let pieces = parsed.get(format);
  if (pieces === undefined) {
    pieces = parsePieces(format, free);
    if (parsed.size >= MAX_PARSED) for (const oldest of parsed.keys()) if (parsed.delete(oldest)) break;
    parsed.set(format, pieces);
  }
  return pieces;
}

function free(): void {}

const BRACE = /[{}]/g;

function parsePieces(format: string, charge: () => void): Piece[] {
  const pieces: Piece[] = [];
  let text = '';
  let at = 0;
  for (;;) {
    BRACE.lastIndex = at;
    const brace = BRACE.exec(format)?.index ?? format.length;
    text += format.slice(at, brace);
    if (brace === format.length) {
      pieces.push({ text, field: null, mistake: null });
      return pieces;
    }
    if (format[brace + 1] === format[brace]) {
      text += format[brace]!;
      at = brace + 2;
      continue;
    }
    const end = format[brace] === '{' ? format.indexOf('}', brace) : -1;
    const field = end === -1 ? unmatched(format[brace]!) : parseField(format.slice(brace + 1, end));
    if (typeof field === 'string') {
      pieces.push({ text, field: null, mistake: field });
      return pieces;
    }
    charge();
    pieces.push({ text, field, mistake: null });
    text = '';
    at = end + 1;
  }
}

function unmatched(brace: string): string {
  return brace === '}' ? "format: single '}' in format" : "format: unmatched '{' in format";
}

const DECIMAL = /^[0-9]+$/;

/** `name`, `name!conversion`, `name:spec` or `name!conversion:spec`; a string says what is wrong with it. */
function parseField(field: string): Field | string {
  const name = /^[^!:]*/.exec(field)![0];
  const rest = field.slice(name.length);
  let conversion = 's';
  let spec = rest.slice(1);
  if (rest.startsWith('!')) {
    const colon = rest.indexOf(':');
    conversion = colon === -1 ? rest.slice(1) : rest.slice(1, colon);
    spec = colon === -1 ? '' : rest.slice(colon + 1);
  }
  if (name.includes('{')) return 'format: nested replacement fields not supported';
  if (spec !== '') return `format: format spec features not supported in replacement fields: ${spec}`;
  if (conversion !== 's' && conversion !== 'r')
    return `format: unknown conversion ${JSON.stringify(conversion)}`;
  const numbering = name === '' ? 'automatic' : DECIMAL.test(name) ? 'manual' : null;
  return { name, numbering, index: Number(name), repr: conversion === 'r' };
}

/** Says what is wrong with a name that no argument has. */
function missing(name: string): never {
  if (name.includes('.'))
    fail(`format: attribute syntax x.y is not supported in replacement fields: ${name}`);
  if (name.includes('[')) fail(`format: element syntax a[i] is not supported in replacement fields: ${name}`);
  fail(`format: keyword ${name} not found`);
}
