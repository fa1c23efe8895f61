/**
 * The YAML that nearly every hook is written in: maps and lists of one-line values, `|` blocks and flow collections of plain
 * words. Read here in one pass, long before a whole YAML parser would be loaded; whatever is not certainly of that kind is left
 * to the parser.
 */
import {
  type ListNode,
  type MapEntry,
  type MapNode,
  mapNode,
  type ScalarNode,
  type Tree,
} from '../base/tree.ts';

/** Control characters, tabs and the rarer white space have rules of their own. */
const UNUSUAL = /[^\n\x20-\x7e\u00a1-\u1fff\u2010-\u2027\u2030-\u2fff\u3001-\ufefe\uff00-\uffef]/;
const ENTRY = /([A-Za-z_][\w-]*):(?: +(\S|\S.*\S))? *$/y;
const ITEM = /-( +)\S/y;
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
/** No indicator or number at its beginning, no comment and no map inside: text as it stands. */
const TEXT = /^(?:[A-Za-z_(/]|\.\.?\/|\.[a-hj-mo-z]|\d+ [A-Za-z])(?!.*(?:: | #|:$))/;
/** The same where a text goes on in the next line. */
const MORE = /^[A-Za-z_("'/](?!.*(?:: | #|:$))/;
const QUOTED = /^(?:"(?:[^"\\]|\\[nt"\\])*"|'[^']*')$/;
const ESCAPES: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t' };
/** In a flow collection: what ends at a comma or a bracket. */
const FLOW_SCALAR =
  /"(?:[^"\\\n]|\\[nt"\\])*"|'[^'\n]*'(?!')|(?:[A-Za-z_(/]|\.\.?\/|\.[a-z]|\d+ [A-Za-z])[^,[\]{}:#"'\n]*|-?\d+/y;
const FLOW_KEY = /([A-Za-z_][\w-]*): +/y;
/** Words that are not text. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);
const DEEPEST = 20;

/** The tree that the parser would give, with `base` added to its offsets; null if the text is not so plain. */
export function readPlainYaml(yaml: string, base: number): MapNode | null {
  if (UNUSUAL.test(yaml)) return null;
  const reader = new Reader(yaml, base);
  const tree = reader.skip() && reader.column === 0 ? reader.map(0, 0) : null;
  return reader.atEnd ? tree : null;
}

/** Each method leaves `at` behind what it read, at the beginning of a line; null means that the parser is needed. */
class Reader {
  private readonly yaml: string;
  private readonly base: number;
  private at = 0;
  /** Of the line at `at`, found by `skip`. */
  column = 0;

  constructor(yaml: string, base: number) {
    this.yaml = yaml;
    this.base = base;
  }

  get atEnd(): boolean {
    return this.at >= this.yaml.length;
  }

  /** Goes past empty lines, and comments that begin their line, to the next line with something in it; false at the end. */
  skip(): boolean {
    while (!this.atEnd) {
      const [line, next] = lineAt(this.yaml, this.at);
      this.column = line.search(/[^ ]/);
      // A line of spaces has rules of its own.
      if (this.column === -1 && line !== '') return false;
      if (this.column !== -1 && line[0] !== '#') return true;
      this.at = next;
    }
    return false;
  }

  /** The entries that stand at a column; the first may stand behind a dash. */
  map(column: number, depth: number): MapNode | null {
    if (depth > DEEPEST) return null;
    const entries = new Map<string, MapEntry>();
    const start = this.at + column;
    do {
      const from = this.at + column;
      const [line, next] = lineAt(this.yaml, this.at);
      ENTRY.lastIndex = column;
      const [, key, written] = ENTRY.exec(line) ?? [];
      if (key === undefined || entries.has(key) || WORDS.has(key)) return null;
      const value =
        written === undefined
          ? this.below(next, column, depth + 1)
          : this.value(
              written,
              this.at + line.indexOf(written, column + key.length + 1),
              next,
              column,
              depth + 1,
            );
      if (value === null) return null;
      entries.set(key, { key, keyStart: this.base + from, value });
    } while (this.skip() && this.column === column);
    return this.atEnd || this.column < column ? mapNode(this.base + start, entries) : null;
  }

  /** What stands in the lines below a key, further in. */
  private below(next: number, column: number, depth: number): Tree | null {
    this.at = next;
    if (!this.skip() || this.column <= column) return null;
    const inner = this.column;
    return this.yaml[this.at + inner] === '-' ? this.list(inner, depth) : this.map(inner, depth);
  }

  private list(column: number, depth: number): ListNode | null {
    if (depth > DEEPEST) return null;
    const items: Tree[] = [];
    const start = this.at + column;
    do {
      const [line, next] = lineAt(this.yaml, this.at);
      ITEM.lastIndex = column;
      const found = ITEM.exec(line);
      if (found === null) return null;
      const inner = column + 1 + found[1]!.length;
      ENTRY.lastIndex = inner;
      const item = ENTRY.test(line)
        ? this.map(inner, depth + 1)
        : this.value(line.slice(inner).trimEnd(), this.at + inner, next, column, depth + 1);
      if (item === null) return null;
      items.push(item);
    } while (this.skip() && this.column === column);
    return this.atEnd || this.column < column ? { kind: 'list', start: this.base + start, items } : null;
  }

  /** What is written behind a key or a dash of that column; `next` is where the line below begins. */
  private value(written: string, start: number, next: number, column: number, depth: number): Tree | null {
    if (written === '|' || written === '|-')
      return this.block(start, next, column, written === '|' ? '\n' : '');
    if (written[0] === '{' || written[0] === '[') {
      const flow = this.flow(start, depth);
      const rest = flow === null ? null : this.yaml.slice(flow.next, next);
      if (rest === null || !/^ *\n?$/.test(rest) || this.goesOn(next, column)) return null;
      this.at = next;
      return flow!.tree;
    }
    let text = written;
    let end = start + written.length;
    this.at = next;
    while (TEXT.test(written) && this.goesOn(this.at, column)) {
      const [line, after] = lineAt(this.yaml, this.at);
      const more = line.trim();
      if (!MORE.test(more)) return null;
      text += ` ${more}`;
      end = this.at + line.trimEnd().length;
      this.at = after;
    }
    if (this.goesOn(this.at, column)) return null;
    const scalar = scalarOf(text);
    return scalar && { kind: 'scalar', ...scalar, start: this.base + start, end: this.base + end };
  }

  /** Whether what is next, behind empty lines, is further in than the column: it goes on with the value. */
  private goesOn(from: number, column: number): boolean {
    const near = /\n*( *)/y;
    near.lastIndex = from;
    return near.exec(this.yaml)![1]!.length > column;
  }

  /** Lines indented at least as far as the first; empty ones at the end do not count. */
  private block(start: number, from: number, column: number, lineEnd: string): ScalarNode | null {
    const indent = lineAt(this.yaml, from)[0].search(/[^ ]/);
    if (indent <= column) return null;
    const lines: string[] = [];
    let kept = 0;
    let end = from;
    this.at = from;
    while (!this.atEnd) {
      const [line, next] = lineAt(this.yaml, this.at);
      const spaces = line.search(/[^ ]/);
      if (spaces >= 0 && spaces <= column) break;
      if (spaces > column && spaces < indent) return null;
      lines.push(line.slice(indent));
      this.at = next;
      if (line.length > indent) {
        kept = lines.length;
        end = next;
      }
    }
    const value = lines.slice(0, kept).join('\n') + lineEnd;
    return { kind: 'scalar', value, style: 'literal', start: this.base + start, end: this.base + end };
  }

  /** A flow collection or one of its values, on one line. */
  private flow(at: number, depth: number): { readonly tree: Tree; readonly next: number } | null {
    if (depth > DEEPEST) return null;
    const sign = this.yaml[at];
    if (sign === '{') return this.flowMap(at, depth);
    if (sign === '[') return this.flowList(at, depth);
    FLOW_SCALAR.lastIndex = at;
    const written = FLOW_SCALAR.exec(this.yaml)?.[0].trimEnd();
    const scalar = written === undefined ? null : scalarOf(written);
    if (scalar === null) return null;
    const next = at + written!.length;
    return { tree: { kind: 'scalar', ...scalar, start: this.base + at, end: this.base + next }, next };
  }

  private flowMap(at: number, depth: number): { readonly tree: MapNode; readonly next: number } | null {
    const entries = new Map<string, MapEntry>();
    for (let place = this.spaces(at + 1); ; ) {
      FLOW_KEY.lastIndex = place;
      const [whole, key] = FLOW_KEY.exec(this.yaml) ?? [];
      if (key === undefined || entries.has(key) || WORDS.has(key)) return null;
      const value = this.flow(place + whole!.length, depth + 1);
      if (value === null) return null;
      entries.set(key, { key, keyStart: this.base + place, value: value.tree });
      place = this.spaces(value.next);
      if (this.yaml[place] === '}') return { tree: mapNode(this.base + at, entries), next: place + 1 };
      if (!this.yaml.startsWith(', ', place)) return null;
      place = this.spaces(place + 1);
    }
  }

  private flowList(at: number, depth: number): { readonly tree: ListNode; readonly next: number } | null {
    const items: Tree[] = [];
    for (let place = this.spaces(at + 1); ; ) {
      const item = this.flow(place, depth + 1);
      if (item === null) return null;
      items.push(item.tree);
      place = this.spaces(item.next);
      if (this.yaml[place] === ']')
        return { tree: { kind: 'list', start: this.base + at, items }, next: place + 1 };
      if (!this.yaml.startsWith(', ', place)) return null;
      place = this.spaces(place + 1);
    }
  }

  private spaces(at: number): number {
    let place = at;
    while (this.yaml[place] === ' ') place++;
    return place;
  }
}

/** The line that begins at `at`, and where the next one begins. */
function lineAt(text: string, at: number): [line: string, next: number] {
  const end = text.indexOf('\n', at);
  return end === -1 ? [text.slice(at), text.length] : [text.slice(at, end), end + 1];
}

function scalarOf(written: string): (Pick<ScalarNode, 'value'> & Required<Pick<ScalarNode, 'style'>>) | null {
  if (INTEGER.test(written)) return { value: Number(written), style: 'plain' };
  if (QUOTED.test(written)) {
    const inside = written.slice(1, -1);
    if (written[0] === "'") return { value: inside, style: 'single' };
    return { value: inside.replace(/\\./g, (pair) => ESCAPES[pair] ?? pair[1]!), style: 'double' };
  }
  if (!TEXT.test(written)) return null;
  const word = WORDS.get(written);
  return { value: word === undefined ? written : word, style: 'plain' };
}
