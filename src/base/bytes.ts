/**
 * Bytes as text and back, without Node: what scripts do with them must work in a browser too. Where Node's own way is there
 * and much faster it is taken, and gives the same.
 */
const node = (globalThis as { readonly Buffer?: typeof Buffer }).Buffer;

/** One character for each byte. */
export const latin1Of: (bytes: Uint8Array) => string =
  node === undefined
    ? plainLatin1
    : (bytes) => node.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** As many arguments as every engine takes in one call. */
const CHUNK = 8192;

export function plainLatin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + CHUNK) as unknown as number[]);
  return text;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = [...ALPHABET].map((letter) => letter.charCodeAt(0));
const PADDING = '='.charCodeAt(0);

export function toBase64(bytes: Uint8Array): string {
  // Bytes first: a text that grows by letters weighs ten times as much until it is read.
  const codes = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes[to++] = CODES[group >> 18]!;
    codes[to++] = CODES[(group >> 12) & 63]!;
    codes[to++] = at + 1 < bytes.length ? CODES[(group >> 6) & 63]! : PADDING;
    codes[to++] = at + 2 < bytes.length ? CODES[group & 63]! : PADDING;
  }
  return latin1Of(codes);
}

const DIGITS = new Map([...ALPHABET].map((digit, value) => [digit, value]));
DIGITS.set('-', 62).set('_', 63);

/** Of text that holds digits of either alphabet and padding at its end; bits that fill no byte are dropped. */
export function fromBase64(text: string): Uint8Array {
  const digits = text.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let length = 0;
  for (const digit of digits) {
    held = ((held << 6) | (DIGITS.get(digit) ?? 0)) & 0xffff;
    bits += 6;
    if (bits >= 8) bytes[length++] = (held >> (bits -= 8)) & 0xff;
  }
  return bytes;
}
