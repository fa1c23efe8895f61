/**
 * Digests of values under the key of a session: HalfSipHash-1-3 (`hsiphash` of Linux), of whose 64 bits 48 are used. Without the key nobody can make two values
 * that collide, and a digest says nothing about its value.
 */

/** 16 hexadecimal digits. */
export const KEY_FORM = /^[0-9a-f]{16}$/;

export class KeyedHash {
  private readonly k0: number;
  private readonly k1: number;

  constructor(key: string) {
    this.k0 = Number.parseInt(key.slice(0, 8), 16) | 0;
    this.k1 = Number.parseInt(key.slice(8, 16), 16) | 0;
  }

  /** Of the UTF-16 units of a part of a text. `kind` keeps digests of different kinds of values apart. */
  of(text: string, from: number, to: number, kind: number): number {
    let v0 = this.k0;
    let v1 = this.k1 ^ 0xee;
    let v2 = 0x6c796765 ^ this.k0;
    let v3 = 0x74656462 ^ this.k1;
    // The kind, pairs of units, then length and the last unit of an odd length.
    let word = kind;
    for (let at = from; ; at += 2) {
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
      if (at > to) break;
      if (at + 1 < to) word = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
      else {
        word = ((to - from) << 16) | (at < to ? text.charCodeAt(at) : 0);
        // The last round follows.
        at = to - 1;
      }
    }
    v2 ^= 0xee;
    for (let round = 0; round < 3; round++) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    return ((v0 ^ v2) & 0xffff) * 0x1_0000_0000 + ((v1 ^ v3) >>> 0);
  }

  ofText(text: string, kind: number): number {
    return this.of(text, 0, text.length, kind);
  }
}

/** Of two digests in their order: what follows what. */
export function pairOf(first: number, second: number): number {
  const low = Math.imul((first >>> 0) ^ 0x9e3779b1, 0x85ebca6b) ^ (second >>> 0);
  const high = Math.imul(first / 0x1_0000_0000, 0xc2b2ae35) + second / 0x1_0000_0000;
  const mixed = Math.imul(low ^ (low >>> 15), 0x27d4eb2f) ^ (second >>> 0);
  return ((high ^ low) & 0xffff) * 0x1_0000_0000 + (mixed >>> 0);
}
