/**
 * A script inside YAML inside Markdown, as a SourceFile whose positions are those of the Markdown file: exact for
 * literal blocks and for plain and quoted scalars, exact to the word for folded text.
 */
import { type ScalarNode, SourceFile } from '../base/index.ts';

type Written = Required<ScalarNode>;

/** An expression: like a script, without the line ending a block scalar has and an expression may not. */
export function embeddedExpression(file: SourceFile, node: ScalarNode): SourceFile {
  return embeddedSource(file, node, String(node.value).trimEnd());
}

/** `file` is the whole artifact, `scalar` a string in it, `text` its value or the beginning of it. */
export function embeddedSource(
  file: SourceFile,
  scalar: ScalarNode,
  text = String(scalar.value),
): SourceFile {
  const node: Written = { style: 'plain', end: scalar.start + text.length, ...scalar };
  let offsets: readonly number[] | undefined;
  let lineStarts: readonly number[] | undefined;
  // Nothing is aligned until a position is asked for: a hook without errors never pays.
  return new SourceFile(file.name, text, (line, col) => {
    offsets ??=
      node.style === 'literal' ? alignLiteral(file.text, node, text) : alignFlow(file.text, node, text);
    lineStarts ??= startsOf(text);
    const start = lineStarts[line - 1] ?? text.length;
    const at = offsets[Math.min(advance(text, start, col - 1), text.length)] ?? node.end;
    const { line: fileLine, col: fileCol } = file.position(at);
    return { line: fileLine, col: fileCol };
  });
}

/** Each line of a literal block is a line of the file without its indentation. */
function alignLiteral(file: string, node: Written, text: string): number[] {
  const offsets: number[] = [];
  let fileLine = file.indexOf('\n', node.start) + 1;
  for (const line of text.split('\n')) {
    const end = file.indexOf('\n', fileLine);
    const length = (end === -1 ? file.length : end) - fileLine;
    // What follows the last line ending is not in the block any more: an error there is one at its end.
    const start = fileLine < node.end ? fileLine + Math.max(0, length - line.length) : node.end - 1;
    for (let i = 0; i <= line.length; i++) offsets.push(Math.min(start + i, file.length));
    fileLine = end === -1 ? file.length : end + 1;
  }
  return offsets;
}

/**
 * Walks value and source side by side. Characters other than white space stand in both in the same order, apart from
 * escapes; white space may have been folded, so it is matched where it can be and passed over where not.
 */
function alignFlow(file: string, node: Written, text: string): number[] {
  const offsets: number[] = [];
  let at = node.style === 'folded' ? file.indexOf('\n', node.start) + 1 : node.start;
  if (node.style === 'single' || node.style === 'double') at++;
  for (let i = 0; i < text.length; i++) {
    const unit = text[i]!;
    if (!/\s/.test(unit)) at = skipSpace(file, at, node);
    offsets.push(at);
    if (node.style === 'double' && file[at] === '\\') {
      const length = escapeLength(file, at);
      // A code point beyond the basic plane is one escape and two units.
      if (length === 10 && unit >= '\ud800' && unit <= '\udbff') {
        offsets.push(at);
        i++;
      }
      at += length;
    } else if (node.style === 'single' && unit === "'") at += 2;
    else if (file[at] === unit) at++;
  }
  offsets.push(at);
  return offsets;
}

function skipSpace(file: string, from: number, node: Written): number {
  let at = from;
  while (at < node.end) {
    if (/\s/.test(file[at]!)) at++;
    else if (node.style === 'double' && file[at] === '\\' && file[at + 1] === '\n') at += 2;
    else break;
  }
  return at;
}

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function escapeLength(file: string, at: number): number {
  return ESCAPE_LENGTHS[file[at + 1] ?? ''] ?? 2;
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

/** The offset `points` code points after `start`. */
function advance(text: string, start: number, points: number): number {
  let at = start;
  for (let i = 0; i < points && at < text.length; i++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}
