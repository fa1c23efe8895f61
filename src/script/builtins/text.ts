/**
 * `string`: helpers beside the methods strings have. All of them charge for what they make.
 */
import { findHidden, MOST_NAME, nameSpans } from '../../base/index.ts';
import {
  builtin,
  converted,
  fail,
  List,
  Module,
  type Thread,
  textBytes,
  type Value,
  wantItems,
  wantSmallInt,
  wantString,
} from '../../starlark/index.ts';

export const STRING = new Module(
  'string',
  new Map<string, Value>([
    ['truncate', builtin('string.truncate', 's, n, suffix="…"', truncate)],
    [
      'upper',
      builtin('string.upper', 's', (thread, s) =>
        converted(thread, read('upper', s), (text) => text.toUpperCase()),
      ),
    ],
    [
      'lower',
      builtin('string.lower', 's', (thread, s) =>
        converted(thread, read('lower', s), (text) => text.toLowerCase()),
      ),
    ],
    ['trim', builtin('string.trim', 's', (thread, s) => chargedText(thread, read('trim', s).trim()))],
    ['split', builtin('string.split', 's, sep=" "', split)],
    ['join', builtin('string.join', 'items, sep=""', join)],
    ['pad_left', builtin('string.pad_left', 's, width, fill=" "', padder('pad_left', 'padStart'))],
    ['pad_right', builtin('string.pad_right', 's, width, fill=" "', padder('pad_right', 'padEnd'))],
    ['reveal', builtin('string.reveal', 's', reveal)],
  ]),
);

/** At most `n` characters, the suffix included. Never cuts a character in half. */
function truncate(thread: Thread, s: Value, n: Value, suffix: Value): Value {
  const text = read('truncate', s);
  const most = wantSmallInt('string.truncate', 'n', n);
  const end = wantString('string.truncate', 'suffix', suffix);
  if (most < 0) fail('string.truncate: for parameter n: want 0 or more');
  if (text.length <= most) return text;
  const kept = cut(text, Math.max(0, most - end.length));
  return chargedText(thread, kept + cut(end, most - kept.length));
}

function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** What a place in a text costs while it is remembered. */
const PLACE_BYTES = 64;

/** The text with its hidden characters named; one that hides nothing is given back as it is. */
function reveal(thread: Thread, s: Value): Value {
  const text = read('reveal', s);
  thread.spend(1 + (text.length >> 3));
  const spans = findHidden(text, () => {
    thread.spend(1);
    thread.charge(PLACE_BYTES);
  });
  if (spans.length === 0) return text;
  thread.charge(textBytes(text.length + spans.length * MOST_NAME));
  return nameSpans(text, spans);
}

function split(thread: Thread, s: Value, sep: Value): Value {
  const text = read('split', s);
  const separator = wantString('string.split', 'sep', sep);
  if (separator === '') fail('string.split: for parameter sep: want at least one character');
  thread.spend(1 + (text.length >> 4));
  thread.charge(16 + 8 * text.length);
  return new List(text.split(separator));
}

function join(thread: Thread, items: Value, sep: Value): Value {
  const separator = wantString('string.join', 'sep', sep);
  const parts = wantItems(thread, 'string.join', 'items', items);
  const texts = parts.map((part, i) => wantString('string.join', `items[${i}]`, part));
  thread.charge(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

function padder(name: string, pad: 'padStart' | 'padEnd') {
  return (thread: Thread, s: Value, width: Value, fill: Value): Value => {
    const text = read(name, s);
    const wanted = wantSmallInt(`string.${name}`, 'width', width);
    const filler = wantString(`string.${name}`, 'fill', fill);
    thread.charge(Math.max(text.length, wanted));
    return chargedText(thread, text[pad](wanted, filler));
  };
}

function read(name: string, s: Value): string {
  return wantString(`string.${name}`, 's', s);
}

function chargedText(thread: Thread, text: string): string {
  thread.spend(1 + (text.length >> 4));
  thread.charge(text.length);
  return text;
}
