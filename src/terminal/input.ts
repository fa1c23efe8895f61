/**
 * What comes in: the payload from a file or from stdin, whole or line by line. Bytes that are not UTF-8 are refused
 * here, since a replaced character could hide what a guard looks for.
 */
import { isUtf8 } from 'node:buffer';
import { createReadStream, fstatSync, readFileSync } from 'node:fs';
import { UsageError } from './command.ts';
import { quote } from './options.ts';

const STDIN = 0;

/** What cannot be meant as the name of a file: the JSON itself. */
export function isJsonText(given: string | undefined): given is string {
  return given !== undefined && /^\s*[[{"]/.test(given);
}

/** The text of `file` (`-`: stdin), or null if none is named and nothing is piped in. */
export async function readText(file: string | undefined): Promise<string | null> {
  if (file === undefined && !isPiped()) return null;
  const name = file ?? '-';
  const bytes = name === '-' ? await readStdin() : readNamed(name);
  if (!isUtf8(bytes)) throw new UsageError(`${name === '-' ? 'stdin' : quote(name)} is not UTF-8 text`);
  return bytes.toString('utf8');
}

/** Lines without their ending, as bytes arrive. A line that is not UTF-8 comes as null. */
export async function* readLines(file: string | undefined): AsyncGenerator<string | null> {
  const name = file ?? '-';
  const stream = name === '-' ? process.stdin : createReadStream(name);
  let pieces: Buffer[] = [];
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        pieces.push(chunk.subarray(start, end));
        yield decodeLine(pieces);
        pieces = [];
        start = end + 1;
      }
      if (start < chunk.length) pieces.push(chunk.subarray(start));
    }
  } catch (error) {
    throw new UsageError(`cannot read ${quote(name)}: ${(error as Error).message}`);
  }
  if (pieces.length > 0) yield decodeLine(pieces);
}

function decodeLine(pieces: readonly Buffer[]): string | null {
  const line = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  if (!isUtf8(line)) return null;
  const text = line.toString('utf8');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function readNamed(name: string): Buffer {
  try {
    return readFileSync(name);
  } catch (error) {
    throw new UsageError(`cannot read ${quote(name)}: ${(error as Error).message}`);
  }
}

async function readStdin(): Promise<Buffer> {
  try {
    return readFileSync(STDIN);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EOF') return Buffer.alloc(0);
    // Some parents hand over a pipe that does not block; then it is read as a stream.
    if (code !== 'EAGAIN') throw new UsageError(`cannot read stdin: ${(error as Error).message}`);
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
}

/** A pipe, a socket or a file; not a terminal, not /dev/null, not a closed descriptor. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(STDIN);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
}
