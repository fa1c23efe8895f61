/**
 * JSON text as a positioned tree, or the errors of json-text.ts for text that is not JSON.
 */
import {
  type JsonReading,
  type ListNode,
  type MapEntry,
  type MapNode,
  mapNode,
  readJson,
  type ScalarNode,
  type Tree,
} from '../base/index.ts';

export type JsonTree = { readonly ok: true; readonly root: Tree } | Extract<JsonReading, { ok: false }>;

/** Offsets are those of the text without its byte order mark. */
export function readJsonTree(text: string): JsonTree {
  const reading = readJson(text, { repeats: true });
  if (!reading.ok) return reading;
  return { ok: true, root: new Walker(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).value() };
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s,:[\]{}]+/y;
const SPACE = /\s*/y;

/** The parser has accepted the text and bounded its depth, so this one only has to find the places. */
class Walker {
  private readonly text: string;
  private offset = 0;

  constructor(text: string) {
    this.text = text;
  }

  value(): Tree {
    const start = this.skipSpace();
    if (this.text[start] === '{') return this.map(start);
    if (this.text[start] === '[') return this.list(start);
    return { kind: 'scalar', start, value: JSON.parse(this.token()) as ScalarNode['value'] };
  }

  private map(start: number): MapNode {
    const entries = new Map<string, MapEntry>();
    const repeated: MapEntry[] = [];
    for (this.offset++; !this.takes('}'); this.takes(',')) {
      const keyStart = this.skipSpace();
      const key = JSON.parse(this.token()) as string;
      this.takes(':');
      const before = entries.get(key);
      if (before !== undefined) repeated.push(before);
      entries.set(key, { key, keyStart, value: this.value() });
    }
    return mapNode(start, entries, repeated);
  }

  private list(start: number): ListNode {
    const items: Tree[] = [];
    for (this.offset++; !this.takes(']'); this.takes(',')) items.push(this.value());
    return { kind: 'list', start, items };
  }

  private token(): string {
    TOKEN.lastIndex = this.offset;
    const token = TOKEN.exec(this.text)![0];
    this.offset += token.length;
    return token;
  }

  private takes(char: string): boolean {
    if (this.text[this.skipSpace()] !== char) return false;
    this.offset++;
    return true;
  }

  private skipSpace(): number {
    SPACE.lastIndex = this.offset;
    this.offset += SPACE.exec(this.text)![0].length;
    return this.offset;
  }
}
