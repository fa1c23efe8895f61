/**
 * SHA-256, at once. By Node's own where this is Node; in a browser the platform's answers only later. Both give the same.
 */
import { lateCrypto } from './late-crypto.ts';

const isNode = typeof process !== 'undefined' && typeof process.getBuiltinModule === 'function';

/** 64 hexadecimal digits. Text is hashed as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return isNode ? lateCrypto().hash('sha256', data, 'hex') : plainSha256(data);
}

export function plainSha256(data: string | Uint8Array): string {
  rounds ??= Int32Array.from(fractions(64, 1 / 3));
  const { blocks, view } = padded(typeof data === 'string' ? new TextEncoder().encode(data) : data);
  initial ??= Int32Array.from(fractions(8, 1 / 2));
  const state = initial.slice();
  const words = new Int32Array(64);
  for (let block = 0; block < blocks; block++) {
    for (let at = 0; at < 16; at++) words[at] = view.getInt32(block * 64 + at * 4);
    for (let at = 16; at < 64; at++) {
      const early = words[at - 15]!;
      const late = words[at - 2]!;
      const small = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
      const large = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
      words[at] = words[at - 16]! + small + words[at - 7]! + large;
    }
    mix(state, words, rounds);
  }
  let text = '';
  for (const word of state) text += (word >>> 0).toString(16).padStart(8, '0');
  return text;
}

/** Written out, without a call for each turn of a word: most runs of it are a process's first. */
function mix(state: Int32Array, words: Int32Array, constants: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let at = 0; at < 64; at++) {
    const sum = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + sum + ((e & f) ^ (~e & g)) + constants[at]! + words[at]!) | 0;
    const other = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}

let rounds: Int32Array | null = null;
let initial: Int32Array | null = null;

/** The text, a bit that is set, zeros, and the length in bits at the end of the last block. */
function padded(bytes: Uint8Array): { readonly blocks: number; readonly view: DataView } {
  const blocks = ((bytes.length + 8) >> 6) + 1;
  const all = new Uint8Array(blocks * 64);
  all.set(bytes);
  all[bytes.length] = 0x80;
  const view = new DataView(all.buffer);
  view.setUint32(all.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(all.length - 4, (bytes.length << 3) >>> 0);
  return { blocks, view };
}

/** The first 32 bits behind the point of the roots of the first primes, as the standard defines its constants. */
function fractions(count: number, power: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (prime) found.push(((n ** power % 1) * 2 ** 32) | 0);
  }
  return found;
}
