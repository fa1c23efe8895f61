/**
 * The documentation header of a hook script: `// Hook:`, `// Event:`, `// Description:`, `// Matcher:`, with the comment
 * marks of whatever language it is in.
 */
import { open } from 'node:fs/promises';

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
export async function readHeader(path: string): Promise<ScriptHeader> {
  try {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return parseHeader(buffer.toString('utf8', 0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch {
    return {};
  }
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
