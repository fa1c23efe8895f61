/**
 * Descriptors that this process was started with and that a program it starts would get too. Files that Node opens are
 * not among them; a careless parent leaves some, and one of them may be a file that a sandbox hides.
 */
import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

let cachedDescriptors: readonly number[] | null = null;

/** Beyond the three usual ones, in order; looked up once. Where the system does not tell, none are known. */
function inheritedDescriptors(): readonly number[] {
  cachedDescriptors ??= listDescriptors();
  return cachedDescriptors;
}

/**
 * For what a program is started with: nothing in the place of each descriptor that it would get beyond those it is given. Gives the
 * one that stands there, for the caller to close; null if there is none.
 */
export function withoutInherited(streams: {
  readonly length: number;
  push(stream: number | 'ignore'): unknown;
}): number | null {
  const left = inheritedDescriptors().filter((descriptor) => descriptor >= streams.length);
  if (left.length === 0) return null;
  const empty = openSync('/dev/null', 'r');
  for (const descriptor of left) {
    while (streams.length < descriptor) streams.push('ignore');
    streams.push(empty);
  }
  return empty;
}

function listDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isHandedOn(descriptor))
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const found = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'));
    return found !== null && (Number.parseInt(found[1]!, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The one that listed the folder is closed by now.
    return false;
  }
}
