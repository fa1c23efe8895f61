/** A part of an open file: fewer bytes only where it ends before. */
import { readSync } from 'node:fs';

export function readAt(file: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, buffer, filled, length - filled, from + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
