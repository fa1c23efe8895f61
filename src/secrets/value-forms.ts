/**
 * The forms in which a known value may stand in a text: as it is, escaped, reversed, cut off, in hexadecimal or base64, and one of
 * these inside of the other. A table of what is done to it, each step to what the step before gave.
 */
import type { KnownValue } from './known-values.ts';

export interface Form {
  readonly name: string;
  readonly text: string;
  /** The whole, of a form that is only the beginning. */
  readonly whole?: string;
  /** Characters before and behind that hold bits of the value: base64 does not end where a value does. */
  readonly around?: readonly [before: number, behind: number];
  /** What may stand between its characters. */
  readonly between?: 'lines' | 'bytes';
}

/** Shorter values are parts of ordinary words: taking them out would say more than it hides. */
export const SHORTEST_VALUE = 4;

/** Of shorter values a form other than their own would meet ordinary text. */
const SHORTEST_ENCODED = 8;

/** So much of a value gives it away. */
const PREFIX = 20;

export function formsOf({ name, value }: KnownValue): Form[] {
  const written = [...writtenForms(value)];
  const forms = written.map((text): Form => ({ name, text }));
  if (value.length >= SHORTEST_ENCODED) {
    const bytes = Buffer.from(value, 'utf8');
    forms.push({ name, text: [...value].reverse().join('') });
    for (const text of escapedWhole(value, bytes)) forms.push({ name, text });
    const [hex, base64] = [hexForms(bytes), base64Forms(bytes)];
    for (const form of [...hex, ...base64]) forms.push({ name, ...form });
    for (const form of base64) forms.push(...escaped(name, form));
    // One inside of the other: what stands at the ends of the inner one goes with it.
    for (const text of [...[...hex, ...base64].map((form) => form.text), ...written.slice(1)])
      for (const form of base64Forms(Buffer.from(text, 'utf8'))) forms.push({ name, ...form, around: WIDE });
    for (const { text } of base64)
      for (const form of hexForms(Buffer.from(text, 'utf8'))) forms.push({ name, text: form.text });
  }
  // The beginning of an address says nothing of the secret in it.
  if (value.length > PREFIX && !value.slice(0, PREFIX).includes('://')) {
    forms.push({ name, text: value.slice(0, PREFIX), whole: value });
  }
  return forms.filter(({ text }) => text.length >= SHORTEST_VALUE);
}

type Encoded = Omit<Form, 'name'>;
const WIDE = [3, 3] as const;

function hexForms(bytes: Buffer): Encoded[] {
  const hex = bytes.toString('hex');
  return [...new Set([hex, hex.toUpperCase()])].map((text) => ({ text, between: 'bytes' }));
}

/** Base64 in an address, or in JSON that escapes slashes. */
function escaped(name: string, { text, around }: Encoded): Form[] {
  if (!/[+/]/.test(text)) return [];
  const url = encodeURIComponent(text);
  const small = url.replace(/%2[BF]/g, (code) => code.toLowerCase());
  return [url, small, text.replaceAll('/', '\\/')].map((each) => ({ name, text: each, around: around! }));
}

/** As it is, and as it reads inside JSON text (once and twice over), an address, a form, and HTML. */
function writtenForms(value: string): Set<string> {
  const once = jsonEscaped(value);
  // Some write a slash with an escape that it does not need.
  const forms = new Set([value, once, jsonEscaped(once), once.replaceAll('/', '\\/')]);
  const url = urlEscaped(value);
  forms
    .add(url)
    .add(url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
    .add(url.replaceAll('%20', '+'));
  forms.add(
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  );
  return forms;
}

/** Every character escaped, also those that need none: in an address, in JSON, in a string of code. */
function escapedWhole(value: string, bytes: Buffer): string[] {
  const inHex = (mark: string, from: Iterable<number>, digits: number, upper: boolean) =>
    Array.from(from, (code) => {
      const hex = code.toString(16).padStart(digits, '0');
      return mark + (upper ? hex.toUpperCase() : hex);
    }).join('');
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
  return [false, true].flatMap((upper) => [
    inHex('%', bytes, 2, upper),
    inHex('\\x', bytes, 2, upper),
    inHex('\\u', units, 4, upper),
  ]);
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Half of a surrogate pair has no such form. */
function urlEscaped(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * What base64 makes of the value when so many bytes stand before it: of the characters at both ends it shares bits with its
 * neighbours, so they are left out of the form and taken with it when it is found.
 */
function base64Forms(bytes: Buffer): Encoded[] {
  return [0, 1, 2].flatMap((shift) => {
    const shifted = shift === 0 ? bytes : Buffer.concat([Buffer.alloc(shift), bytes]);
    const text = shifted
      .toString('base64')
      .slice(Math.ceil((shift * 8) / 6), Math.floor((shifted.length * 8) / 6));
    const around = [shift === 0 ? 0 : 1, (shifted.length * 8) % 6 === 0 ? 0 : 1] as const;
    const url = text.replaceAll('+', '-').replaceAll('/', '_');
    return (url === text ? [text] : [text, url]).map(
      (each): Encoded => ({ text: each, around, between: 'lines' }),
    );
  });
}
