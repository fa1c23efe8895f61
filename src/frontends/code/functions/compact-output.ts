/**
 * Long tool output, shortened for the model: its beginning, its end, and of what lies between the lines that look like
 * diagnostics. Cuts are at line ends where there are any near, never inside a character.
 */

/** Below this there is no room for anything but the beginning. */
const SMALLEST_LIMIT = 200;
const MOST_DIAGNOSTICS = 32;
/** What is said about the gap. */
const REMARKS = 80;
/** Share of the room that diagnostics may take. */
const DIAGNOSTICS_SHARE = 0.3;
const LONGEST_DIAGNOSTIC = 400;

const DIAGNOSTIC =
  /\b(?:errors?|err|fail(?:ed|ure|ures|s|ing)?|fatal|panic(?:ked)?|exceptions?|traceback|warn(?:ing)?s?|assert(?:ion)?|denied|not found|cannot|undefined|segfault|killed)\b|^\s*(?:✗|✘|×|not ok\b)/i;
const NEWLINE = 0x0a;

export interface Compacted {
  readonly text: string;
  /** Bytes of the original that are not in `text`. */
  readonly droppedBytes: number;
}

/** Null if the text is within the limit (bytes of UTF-8). */
export function compactOutput(text: string, limit: number): Compacted | null {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return null;
  if (limit < SMALLEST_LIMIT) return beginning(bytes, limit);
  const room = limit - REMARKS;
  const withDiagnostics = cut(bytes, Math.floor((room * (1 - DIAGNOSTICS_SHARE)) / 2));
  const diagnostics = findDiagnostics(
    bytes.toString('utf8', withDiagnostics.headEnd, withDiagnostics.tailStart),
    Math.floor(room * DIAGNOSTICS_SHARE),
  );
  // Without diagnostics their room goes to the two ends.
  const { headEnd, tailStart } = diagnostics.length > 0 ? withDiagnostics : cut(bytes, Math.floor(room / 2));
  const head = bytes.toString('utf8', 0, headEnd);
  const kept = diagnostics.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  const droppedBytes = tailStart - headEnd - kept;
  const gap =
    diagnostics.length === 0
      ? `[… ${droppedBytes} bytes left out …]`
      : `[… ${droppedBytes} bytes left out, all but these lines:]\n${diagnostics.join('\n')}\n[…]`;
  const lineEnd = head === '' || head.endsWith('\n') ? '' : '\n';
  return { text: `${head}${lineEnd}${gap}\n${bytes.toString('utf8', tailStart)}`, droppedBytes };
}

const MORE = '…';

function beginning(bytes: Buffer, limit: number): Compacted {
  const room = limit - Buffer.byteLength(MORE);
  const end = room < 0 ? 0 : characterEnd(bytes, room);
  return { text: room < 0 ? '' : bytes.toString('utf8', 0, end) + MORE, droppedBytes: bytes.length - end };
}

/** Where the beginning ends and the end begins, each at most `share` bytes. */
function cut(bytes: Buffer, share: number): { headEnd: number; tailStart: number } {
  return { headEnd: snapBack(bytes, share), tailStart: snapForward(bytes, bytes.length - share) };
}

/** To just after a line end, unless that would give away more than half. */
function snapBack(bytes: Buffer, at: number): number {
  const lineEnd = bytes.lastIndexOf(NEWLINE, at - 1) + 1;
  return lineEnd > at / 2 ? lineEnd : characterEnd(bytes, at);
}

function characterEnd(bytes: Buffer, at: number): number {
  let end = at;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return end;
}

function snapForward(bytes: Buffer, at: number): number {
  const lineStart = bytes.indexOf(NEWLINE, at - 1) + 1;
  if (lineStart > 0 && lineStart - at < (bytes.length - at) / 2) return lineStart;
  let start = at;
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return start;
}

/** Inside a character of several bytes. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function findDiagnostics(text: string, room: number): string[] {
  const found: string[] = [];
  let left = room;
  for (const line of text.split('\n')) {
    if (line.length > LONGEST_DIAGNOSTIC || !DIAGNOSTIC.test(line)) continue;
    const size = Buffer.byteLength(line) + 1;
    if (size > left) continue;
    left -= size;
    found.push(line);
    if (found.length === MOST_DIAGNOSTICS) break;
  }
  return found;
}
