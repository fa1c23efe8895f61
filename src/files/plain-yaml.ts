/**
 * The YAML that nearly every hook is written in: a flat map of one-line values and `|` blocks. Read here in one pass,
 * long before a whole YAML parser would be loaded; whatever is not certainly of that kind is left to the parser.
 */
import { type MapEntry, type MapNode, mapNode, type ScalarNode } from '../base/tree.ts';

/** Control characters, tabs and the rarer white space have rules of their own. */
const UNUSUAL = /[^\n\x20-\x7e\u00a1-\u1fff\u2010-\u2027\u2030-\u2fff\u3001-\ufefe\uff00-\uffef]/;
const ENTRY = /^([A-Za-z_][\w-]*):( +)(\S|\S.*\S) *$/;
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
/** No indicator at its beginning, no comment and no map inside: text as it stands. */
const TEXT = /^[A-Za-z_(/](?!.*(?:: | #|:$))/;
const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/;
/** Words that are not text. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);

type Scalar = Pick<ScalarNode, 'value' | 'style'> & { readonly end: number; readonly next: number };

/** The tree that the parser would give, with `base` added to its offsets; null where the text is not so plain. */
export function readPlainYaml(yaml: string, base: number): MapNode | null {
  if (UNUSUAL.test(yaml)) return null;
  const entries = new Map<string, MapEntry>();
  let first = -1;
  for (let at = 0; at < yaml.length; ) {
    const [line, next] = lineAt(yaml, at);
    if (line === '') {
      at = next;
      continue;
    }
    const [, key, gap, written] = ENTRY.exec(line) ?? [];
    if (key === undefined || entries.has(key) || WORDS.has(key)) return null;
    const start = at + key.length + 1 + gap!.length;
    const scalar = readScalar(yaml, written!, start, next);
    if (scalar === null) return null;
    const { value, style, end } = scalar;
    entries.set(key, {
      key,
      keyStart: base + at,
      value: { kind: 'scalar', value, style, start: base + start, end: base + end },
    });
    if (first === -1) first = at;
    at = scalar.next;
  }
  return first === -1 ? null : mapNode(base + first, entries);
}

/** The line that begins at `at`, and where the next one begins. */
function lineAt(text: string, at: number): [line: string, next: number] {
  const end = text.indexOf('\n', at);
  return end === -1 ? [text.slice(at), text.length] : [text.slice(at, end), end + 1];
}

function readScalar(yaml: string, written: string, start: number, next: number): Scalar | null {
  if (written === '|' || written === '|-') return readBlock(yaml, next, written === '|' ? '\n' : '');
  // What is indented below goes on with the value.
  if (/^\n* /.test(yaml.slice(next, next + 80))) return null;
  const end = start + written.length;
  if (INTEGER.test(written)) return { value: Number(written), style: 'plain', end, next };
  if (QUOTED.test(written)) {
    const style = written.startsWith('"') ? 'double' : 'single';
    return { value: written.slice(1, -1), style, end, next };
  }
  if (!TEXT.test(written)) return null;
  const word = WORDS.get(written);
  return { value: word === undefined ? written : word, style: 'plain', end, next };
}

/** Lines indented at least as far as the first; empty ones at the end do not count. */
function readBlock(yaml: string, from: number, lineEnd: string): Scalar | null {
  const indent = lineAt(yaml, from)[0].search(/[^ ]/);
  if (indent < 1) return null;
  const lines: string[] = [];
  let kept = 0;
  let end = from;
  let at = from;
  while (at < yaml.length) {
    const [line, next] = lineAt(yaml, at);
    const spaces = line.search(/[^ ]/);
    if (spaces === 0) break;
    if (spaces > 0 && spaces < indent) return null;
    lines.push(line.slice(indent));
    at = next;
    if (line.length > indent) {
      kept = lines.length;
      end = next;
    }
  }
  return { value: lines.slice(0, kept).join('\n') + lineEnd, style: 'literal', end, next: at };
}
