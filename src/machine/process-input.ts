/**
 * The input of a program as an unnamed file. Node's pipes are sockets, which cannot be opened by name, and many a script
 * reads `/dev/stdin`; a file can be, and nobody has to wait for it to be read.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { O_RDWR, O_CREAT, O_EXCL } = constants;

/** A descriptor that stands at the beginning of the bytes, for the caller to close; null if no file can be made. */
export function inputFile(bytes: Uint8Array): number | null {
  let file: number;
  try {
    const path = join(tmpdir(), `harness-${randomBytes(9).toString('hex')}`);
    file = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600);
    // Payloads hold secrets: the file has lost its name before anything is in it.
    unlinkSync(path);
  } catch {
    return null;
  }
  try {
    // Written by position, so that the reader begins at the beginning.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
    return file;
  } catch {
    closeSync(file);
    return null;
  }
}
