/**
 * Secrets whose values are known, such as those of the environment: found wherever they stand, also escaped, in base64 or
 * hexadecimal, reversed, and cut off after their first characters. One pass over the text, whatever their number.
 */

export interface KnownValue {
  /** What stands in the place of the value: `env:NAME`. */
  readonly name: string;
  readonly value: string;
}

export interface ValueIndex {
  /** Calls `onFound` for every value, in whatever form it stands. */
  readonly scan: (text: string, onFound: (name: string, start: number, end: number) => void) => void;
  /** The name of a text that is a value, or null. */
  readonly nameOf: (text: string) => string | null;
}

/** Shorter values are parts of ordinary words: taking them out would say more than it hides. */
export const SHORTEST_VALUE = 4;

/** Of shorter values a form other than their own would meet ordinary text. */
const SHORTEST_ENCODED = 8;

/** So much of a value gives it away. */
const PREFIX = 20;

interface Form {
  readonly name: string;
  readonly text: string;
  /** The whole, of a form that is only the beginning. */
  readonly whole?: string;
  /** Characters before and behind that hold bits of the value: base64 does not end where a value does. */
  readonly around?: readonly [before: number, behind: number];
}

const WINDOW = 4;

export function indexValues(values: readonly KnownValue[]): ValueIndex | null {
  const known = values.filter(({ value }) => value.length >= SHORTEST_VALUE);
  if (known.length === 0) return null;
  const forms = new Map<number, Form[]>();
  const filter = new Uint8Array(1 << 16);
  for (const form of known.flatMap(formsOf)) {
    const hash = windowHash(form.text);
    filter[slotOf(hash)] = 1;
    const same = forms.get(hash);
    if (same === undefined) forms.set(hash, [form]);
    else same.push(form);
  }
  // The longest first: a secret may be part of another.
  for (const same of forms.values()) same.sort((a, b) => b.text.length - a.text.length);
  const names = new Map(known.map(({ name, value }) => [value, name]));
  return {
    nameOf: (text) => names.get(text) ?? null,
    scan: (text, onFound) => {
      let hash = 0;
      for (let at = 0; at < text.length; at++) {
        hash = (hash << 8) ^ text.charCodeAt(at);
        if (filter[slotOf(hash)] === 0 || at < WINDOW - 1) continue;
        const start = at - WINDOW + 1;
        const form = forms.get(hash)?.find((one) => text.startsWith(one.text, start));
        if (form !== undefined) onFound(form.name, ...spanOf(form, text, start));
      }
    },
  };
}

/** Hangs on the last four characters alone. */
function windowHash(text: string): number {
  let hash = 0;
  for (let at = 0; at < WINDOW; at++) hash = (hash << 8) ^ text.charCodeAt(at);
  return hash;
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 16;
}

function spanOf({ text: form, whole, around }: Form, text: string, at: number): [start: number, end: number] {
  let [start, end] = [at, at + form.length];
  if (whole !== undefined) while (end - at < whole.length && text[end] === whole[end - at]) end++;
  if (around !== undefined) {
    const [before, behind] = around;
    for (let count = 0; count < before && isBase64(text[start - 1]); count++) start--;
    for (let count = 0; count < behind && isBase64(text[end]); count++) end++;
    while (text[end] === '=' && end - at - form.length < behind + 2) end++;
  }
  return [start, end];
}

function isBase64(char: string | undefined): boolean {
  return char !== undefined && /[A-Za-z0-9+/_-]/.test(char);
}

function formsOf({ name, value }: KnownValue): Form[] {
  const forms = [...writtenForms(value)].map((text): Form => ({ name, text }));
  if (value.length >= SHORTEST_ENCODED) {
    const bytes = Buffer.from(value, 'utf8');
    forms.push({ name, text: [...value].reverse().join('') });
    forms.push({ name, text: bytes.toString('hex') }, { name, text: bytes.toString('hex').toUpperCase() });
    for (let shift = 0; shift < 3; shift++) forms.push(...base64Forms(name, bytes, shift));
    for (const text of escapedWhole(value, bytes)) forms.push({ name, text });
  }
  // The beginning of an address says nothing of the secret in it.
  if (value.length > PREFIX && !value.slice(0, PREFIX).includes('://')) {
    forms.push({ name, text: value.slice(0, PREFIX), whole: value });
  }
  return forms.filter(({ text }) => text.length >= SHORTEST_VALUE);
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
function base64Forms(name: string, bytes: Buffer, shift: number): Form[] {
  const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
  const text = shifted
    .toString('base64')
    .slice(Math.ceil((shift * 8) / 6), Math.floor((shifted.length * 8) / 6));
  const around = [shift === 0 ? 0 : 1, (shifted.length * 8) % 6 === 0 ? 0 : 1] as const;
  const url = text.replaceAll('+', '-').replaceAll('/', '_');
  return url === text
    ? [{ name, text, around }]
    : [
        { name, text, around },
        { name, text: url, around },
      ];
}
