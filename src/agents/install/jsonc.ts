/**
 * JSON with comments and trailing commas, as a tree that knows where everything begins and ends, so that a file can be
 * changed without writing it anew. Plain JSON is the same without them. Depth is bounded; nothing here throws.
 */
import type { Json } from '../../base/index.ts';

export type JsoncNode = JsoncScalar | JsoncList | JsoncMap;

interface Placed {
  readonly start: number;
  /** The offset after its last character. */
  readonly end: number;
}

export interface JsoncScalar extends Placed {
  readonly kind: 'scalar';
  readonly value: null | boolean | number | string;
}

/** An item of a list or a member of a map. */
export interface JsoncElement extends Placed {
  readonly value: JsoncNode;
  /** The offset of the comma after it; -1 if there is none. */
  readonly comma: number;
  /** Of a member. */
  readonly key: string | null;
}

export interface JsoncList extends Placed {
  readonly kind: 'list';
  readonly elements: readonly JsoncElement[];
}

export interface JsoncMap extends Placed {
  readonly kind: 'map';
  readonly elements: readonly JsoncElement[];
}

export type JsoncReading =
  | { readonly ok: true; readonly root: JsoncNode | null }
  | { readonly ok: false; readonly message: string; readonly offset: number };

const MAX_NESTING = 256;

/** `root` is null if the text holds nothing but space and comments. */
export function readJsonc(text: string): JsoncReading {
  const reader = new Reader(text);
  try {
    return { ok: true, root: reader.document() };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { ok: false, message: thrown.message, offset: thrown.offset };
  }
}

export function dataOf(node: JsoncNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.elements.map(({ value }) => dataOf(value));
  return Object.fromEntries(node.elements.map(({ key, value }) => [key ?? '', dataOf(value)]));
}

class Unreadable extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const SPACE = /(?:[ \t\r\n]+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
    if (text.charCodeAt(0) === 0xfeff) this.at = 1;
  }

  document(): JsoncNode | null {
    this.skip();
    if (this.at === this.text.length) return null;
    const root = this.value();
    this.skip();
    if (this.at < this.text.length) throw this.want('the end of the file');
    return root;
  }

  private value(): JsoncNode {
    const start = this.at;
    const first = this.text[start];
    if (first === '{' || first === '[') {
      if (++this.depth > MAX_NESTING) throw new Unreadable(`nested deeper than ${MAX_NESTING} levels`, start);
      const elements = this.elements(first === '{');
      this.depth--;
      return { kind: first === '{' ? 'map' : 'list', start, end: this.at, elements };
    }
    const token = first === '"' ? this.string() : this.match(SCALAR);
    if (token === null) throw this.want('a value');
    return { kind: 'scalar', start, end: this.at, value: JSON.parse(token) as JsoncScalar['value'] };
  }

  private elements(members: boolean): JsoncElement[] {
    const close = members ? '}' : ']';
    const elements: JsoncElement[] = [];
    this.at++;
    for (;;) {
      this.skip();
      if (this.take(close)) return elements;
      if (elements.length > 0 && elements.at(-1)?.comma === -1) throw this.want(`"," or "${close}"`);
      const start = this.at;
      const key = members ? this.key() : null;
      const value = this.value();
      const { at: end } = this;
      this.skip();
      const comma = this.text[this.at] === ',' ? this.at++ : -1;
      elements.push({ start, end, value, comma, key });
    }
  }

  private key(): string {
    if (this.text[this.at] !== '"') throw this.want('a key in double quotes or "}"');
    const key = JSON.parse(this.string()) as string;
    this.skip();
    if (!this.take(':')) throw this.want('":"');
    this.skip();
    return key;
  }

  private string(): string {
    const token = this.match(STRING);
    if (token === null) throw new Unreadable('a string that does not end, or with a bad escape', this.at);
    return token;
  }

  private skip(): void {
    this.match(SPACE);
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at += found[0].length;
    return found[0];
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private want(what: string): Unreadable {
    const got = this.at >= this.text.length ? 'the end of the file' : JSON.stringify(this.pointAt());
    return new Unreadable(`want ${what}, got ${got}`, this.at);
  }

  private pointAt(): string {
    return String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
  }
}
