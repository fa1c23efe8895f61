/**
 * Where scripts stand in a text that is being typed: found by lines and indentation alone, since the YAML around them is broken half
 * of the time. Offsets go both ways between a script and the file it stands in.
 */
import { resolveEvent } from '../engine/index.ts';

export interface Region {
  readonly kind: 'script' | 'condition' | 'library';
  /** The field it stands under; empty for a file that is all script. */
  readonly field: string;
  readonly text: string;
  /** Canonical, if the hook names one. */
  readonly event: string | null;
  /** Of its hook: the line that names the event, or the first of the front matter. */
  readonly line: number;
  toFile(offset: number): number;
  /** Null if the offset is not in the script. */
  fromFile(offset: number): number | null;
}

/** A piece of a script that stands in one piece in the file. */
interface Piece {
  readonly at: number;
  readonly file: number;
  readonly length: number;
}

const BLOCK = /^(\s*(?:- )*)(script|verify):[ \t]*\|[-+]?[ \t]*(?:#.*)?$/;
const EXPRESSION = /^(\s*(?:- )*)(when|condition):[ \t]+(["']?)(.*?)\3[ \t]*$/;

export function regionsOf(path: string, text: string): Region[] {
  if (path.endsWith('.star')) return [wholeFile(path, text)];
  const lines = linesOf(text);
  const end = frontMatterEnd(lines);
  const regions: Region[] = [];
  for (let at = 1; at < end; at++) {
    const { text: line, start } = lines[at]!;
    const block = BLOCK.exec(line);
    if (block !== null) {
      const found = blockBelow(lines, at, block[1]!.length, end);
      regions.push(region('script', block[2]!, found, enclosingHookEvent(lines, at, block[1]!.length, end)));
      continue;
    }
    const expression = EXPRESSION.exec(line);
    if (expression === null || expression[4] === '|' || expression[4] === '>') continue;
    const [, indent, field, quote, written] = expression as unknown as [
      string,
      string,
      string,
      string,
      string,
    ];
    const from = start + line.indexOf(':') + 1;
    const file = text.indexOf(written, from + (quote === '' ? 0 : 1));
    const piece = { text: written, pieces: [{ at: 0, file, length: written.length }] };
    regions.push(region('condition', field, piece, enclosingHookEvent(lines, at, indent.length, end)));
  }
  return regions;
}

/** The script an offset stands in. */
export function regionAt(regions: readonly Region[], offset: number): { region: Region; at: number } | null {
  for (const each of regions) {
    const at = each.fromFile(offset);
    if (at !== null) return { region: each, at };
  }
  return null;
}

interface TextLine {
  readonly text: string;
  readonly start: number;
}

export function linesOf(text: string): TextLine[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const from = start;
    start += line.length + 1;
    return { text: line.endsWith('\r') ? line.slice(0, -1) : line, start: from };
  });
}

/** The line of the second `---`; an open front matter goes on to the end. */
export function frontMatterEnd(lines: readonly TextLine[]): number {
  if (!/^---[ \t]*$/.test(lines[0]?.text ?? '')) return 0;
  const end = lines.findIndex(({ text }, at) => at > 0 && /^---[ \t]*$/.test(text));
  return end === -1 ? lines.length : end;
}

function wholeFile(path: string, text: string): Region {
  const kind = /(?:^|\/)lib\/[^/]+$/.test(path) ? 'library' : 'script';
  const pieces = [{ at: 0, file: 0, length: text.length }];
  return region(kind, '', { text, pieces }, { event: null, line: 0 });
}

interface FoundRegion {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

function blockBelow(lines: readonly TextLine[], header: number, indent: number, end: number): FoundRegion {
  const pieces: Piece[] = [];
  let text = '';
  let depth: number | null = null;
  for (let at = header + 1; at < end; at++) {
    const { text: line, start } = lines[at]!;
    const own = line.length - line.trimStart().length;
    if (line.trim() !== '' && own <= indent) break;
    if (line.trim() !== '') depth ??= own;
    const cut = Math.min(depth ?? own, own);
    const length = line.length - cut;
    pieces.push({ at: text.length, file: start + cut, length });
    text += `${line.slice(cut)}\n`;
  }
  return { text, pieces };
}

/** The event of the mapping a key stands in, found among the keys of the same column. */
function enclosingHookEvent(lines: readonly TextLine[], at: number, column: number, end: number) {
  const found = { event: null as string | null, line: 0 };
  const look = (from: number, step: 1 | -1) => {
    for (let i = from; i > 0 && i < end; i += step) {
      const line = lines[i]!.text;
      if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
      const indent = line.length - line.trimStart().length;
      const item = /^(\s*(?:- )+)/.exec(line)?.[1]?.length ?? indent;
      if (item < column) return;
      const named = item === column ? /^[\s-]*event:[ \t]*["']?([^"'#\s]+)/.exec(line) : null;
      if (named !== null) {
        const resolved = resolveEvent(named[1]!);
        found.event ??= resolved.ok ? resolved.event : null;
        found.line = i;
      }
      // An item of a list begins here: what stands above is another's.
      if (step === -1 && item === column && indent < column) return;
      if (step === 1 && item === column && indent < column) return;
    }
  };
  look(at, -1);
  if (found.event === null) look(at + 1, 1);
  return found;
}

function region(
  kind: Region['kind'],
  field: string,
  { text, pieces }: FoundRegion,
  hook: { readonly event: string | null; readonly line: number },
): Region {
  return {
    kind,
    field,
    text,
    ...hook,
    toFile: (offset) => {
      const piece = pieces.findLast(({ at }) => at <= offset);
      if (piece === undefined) return pieces[0]?.file ?? 0;
      return piece.file + Math.min(offset - piece.at, piece.length);
    },
    fromFile: (offset) => {
      const piece = pieces.find(({ file, length }) => offset >= file && offset <= file + length);
      return piece === undefined ? null : piece.at + (offset - piece.file);
    },
  };
}
