/**
 * Which launcher somebody is: device, number, size and time of change of its entry file. That file holds the digest of
 * everything it was built with, and a new build is a new file: two with one identity are one build. It costs one look, which
 * the native client and the daemon can take at every call.
 */
import { readlinkSync, statSync } from 'node:fs';

/** `-` if it cannot be looked at: that is nobody's identity. */
export function entryIdentity(entry: string): string {
  try {
    const { dev, ino, size, mtimeNs } = statSync(entry, { bigint: true });
    return `${dev}:${ino}:${size}:${mtimeNs}`;
  } catch {
    return '-';
  }
}

/** Which files a process sees: one in a sandbox may see others under the same names. Empty on systems that do not tell. */
export function mountSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/mnt');
  } catch {
    return '';
  }
}
