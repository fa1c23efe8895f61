/**
 * The documentation header of a hook script: `// Hook:`, `// Event:`, `// Description:`, `// Matcher:`, with the comment
 * marks of whatever language it is in.
 */
import type { FileContent } from '../../files/index.ts';

export interface ScriptHeader {
  readonly hook?: string;
  readonly event?: string;
  readonly description?: string;
  readonly matcher?: string;
}

const KEYS: Readonly<Record<string, keyof ScriptHeader>> = {
  hook: 'hook',
  event: 'event',
  description: 'description',
  matcher: 'matcher',
};

/** A header stands at the top; this much of a file is looked at. */
const HEADER_BYTES = 4096;

/** Of a file that cannot be read: nothing. To run it says why. */
export function readHeader({ bytes }: FileContent): ScriptHeader {
  return parseHeader(bytes?.toString('utf8', 0, HEADER_BYTES) ?? '');
}

/** The first comment block: it ends at the first line of code. */
export function parseHeader(text: string): ScriptHeader {
  const found: { -readonly [K in keyof ScriptHeader]: string } = {};
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#!')) continue;
    const comment = /^(?:\/\/|#|--|\/\*+|\*+\/?|"""|''')\s*(.*)$/.exec(trimmed);
    if (comment === null) break;
    const field = /^(\w+)\s*:\s*(.+?)(?:\s*\*+\/)?$/.exec(comment[1]!);
    const key = field === null ? undefined : KEYS[field[1]!.toLowerCase()];
    if (key !== undefined) found[key] ??= field![2]!;
  }
  return found;
}
