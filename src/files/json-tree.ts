/**
 * JSON text as data that remembers where it stood, so that a problem in a JSON file has a line and a column. Gives the
 * errors of json-text.ts for text that is not JSON.
 */
import type { Json } from '../base/json.ts';
import { type JsonReading, readJson } from '../base/json-text.ts';

export type JsonNode = JsonMap | JsonList | JsonScalar;

export interface JsonMap {
  readonly kind: 'map';
  readonly start: number;
  /** Of a key written twice the last one counts, as for every JSON parser; `repeated` names the others. */
  readonly entries: ReadonlyMap<string, JsonEntry>;
  readonly repeated: readonly JsonEntry[];
}

export interface JsonEntry {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonNode;
}

export interface JsonList {
  readonly kind: 'list';
  readonly start: number;
  readonly items: readonly JsonNode[];
}

export interface JsonScalar {
  readonly kind: 'scalar';
  readonly start: number;
  readonly value: string | number | boolean | null;
}

export type JsonTree = { readonly ok: true; readonly root: JsonNode } | Extract<JsonReading, { ok: false }>;

/** Offsets are those of the text without its byte order mark. */
export function readJsonTree(text: string): JsonTree {
  const reading = readJson(text, { repeats: true });
  if (!reading.ok) return reading;
  return { ok: true, root: new Walker(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).value() };
}

/** The plain data of a node. */
export function jsonData(node: JsonNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(jsonData);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, jsonData(entry.value)]));
}

/** What a person calls a node in "wanted X, got Y". */
export function jsonKind(node: JsonNode): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'an object' : 'a list';
  if (node.value === null) return 'null';
  return { string: 'a string', number: 'a number', boolean: 'a boolean' }[typeof node.value as 'string'];
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

  value(): JsonNode {
    const start = this.skipSpace();
    if (this.text[start] === '{') return this.map(start);
    if (this.text[start] === '[') return this.list(start);
    return { kind: 'scalar', start, value: JSON.parse(this.token()) as JsonScalar['value'] };
  }

  private map(start: number): JsonMap {
    const entries = new Map<string, JsonEntry>();
    const repeated: JsonEntry[] = [];
    for (this.offset++; !this.takes('}'); this.takes(',')) {
      const keyStart = this.skipSpace();
      const key = JSON.parse(this.token()) as string;
      this.takes(':');
      const before = entries.get(key);
      if (before !== undefined) repeated.push(before);
      entries.set(key, { key, keyStart, value: this.value() });
    }
    return { kind: 'map', start, entries, repeated };
  }

  private list(start: number): JsonList {
    const items: JsonNode[] = [];
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
