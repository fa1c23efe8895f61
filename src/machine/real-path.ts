/** A path as the system would open it: links followed, also those to what is not there yet; the rest stays as it is written. */
import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As many as Linux follows. */
const MOST_LINKS = 40;

/** `path` is absolute. Never throws. */
export function realPath(path: string): string {
  let at = path;
  let links = 0;
  const missing: string[] = [];
  for (;;) {
    const real = realPathOrNull(at);
    if (real !== null) return join(real, ...missing);
    const target = links < MOST_LINKS ? attempt(() => readlinkSync(at)) : null;
    const above = dirname(at);
    if (target !== null) {
      links++;
      at = resolve(above, target);
    } else if (above === at) return join(at, ...missing);
    else {
      missing.unshift(basename(at));
      at = above;
    }
  }
}

/** Null if nothing is there. */
export function realPathOrNull(path: string): string | null {
  return attempt(() => realpathSync.native(path));
}

/** As it is written if nothing is there. */
export function realPathOrSame(path: string): string {
  return realPathOrNull(path) ?? path;
}

function attempt(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
