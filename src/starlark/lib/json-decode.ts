/**
 * Reads JSON text into Starlark values, exactly: integers of any size stay integers, a number with a fraction or an
 * exponent is a float, and the order of keys is kept. Nesting is bounded, and every byte built is charged.
 */
import { StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { Dict } from '../values/dict.ts';
import { makeFloat } from '../values/float.ts';
import { negateInt, parseDigits } from '../values/int.ts';
import { List } from '../values/list.ts';
import { DICT, LIST, PIECE, SLOT, TEXT } from '../values/size.ts';
import { typeName, type Value } from '../values/value.ts';

/** The text is not JSON; `offset` is where that showed. */
export class JsonSyntaxError extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

export function decodeJson(thread: Thread, text: string): Value {
  thread.spend(1 + (text.length >> 4));
  return new Reader(thread, text).document();
}

const NUMBER_CHARACTERS = /[-+.0-9eE]*/y;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;
const PLAIN = /[^"\\\0-\x1f]*/y;
const HEX4 = /^[0-9a-fA-F]{4}$/;
const LONE_SURROGATE = /\p{Cs}/gu;

const WORDS: readonly (readonly [string, Value])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

class Reader {
  private readonly thread: Thread;
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(thread: Thread, text: string) {
    this.thread = thread;
    this.text = text;
  }

  document(): Value {
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) this.wrong(`unexpected character ${this.here()} after value`);
    return value;
  }

  private value(): Value {
    this.thread.spend(1);
    const next = this.peek();
    if (next === '"') return this.string();
    if (next === '[') return this.nested(() => this.array());
    if (next === '{') return this.nested(() => this.object());
    if (next === '-' || (next >= '0' && next <= '9')) return this.number();
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    this.wrong(`unexpected character ${this.here()}`);
  }

  private nested(read: () => Value): Value {
    if (++this.depth > MAX_NESTING) {
      throw new StarlarkError('depth', `json.decode: nested deeper than ${MAX_NESTING} levels`);
    }
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private array(): Value {
    const items: Value[] = [];
    this.thread.charge(LIST);
    if (this.peek() === ']') {
      this.at++;
      return new List(items);
    }
    for (;;) {
      this.thread.charge(SLOT);
      items.push(this.value());
      const next = this.peek();
      this.at++;
      if (next === ']') return new List(items);
      if (next !== ',') this.wrongBefore(`got ${quote(next)}, want ',' or ']'`);
    }
  }

  private object(): Value {
    const dict = new Dict();
    this.thread.charge(DICT);
    if (this.peek() === '}') {
      this.at++;
      return dict;
    }
    for (;;) {
      if (this.peek() !== '"') {
        const key = this.value();
        this.wrong(`got ${typeName(key)} for object key, want string`);
      }
      const key = this.string();
      if (this.peek() !== ':') this.wrong(`after object key, got ${this.here()}, want ':'`);
      this.at++;
      dict.set(this.thread, key, this.value());
      const next = this.peek();
      this.at++;
      if (next === '}') return dict;
      if (next !== ',') this.wrongBefore(`in object, got ${quote(next)}, want ',' or '}'`);
    }
  }

  private number(): Value {
    NUMBER_CHARACTERS.lastIndex = this.at;
    const text = NUMBER_CHARACTERS.exec(this.text)![0];
    const match = NUMBER.exec(text);
    if (match === null) this.wrong(`invalid number: ${text}`);
    if (match[1] === undefined && match[2] === undefined) {
      this.at += text.length;
      return text.startsWith('-')
        ? negateInt(this.thread, parseDigits(text.slice(1), 10, this.thread))
        : parseDigits(text, 10, this.thread);
    }
    const value = Number(text);
    if (!Number.isFinite(value)) this.wrong(`invalid number: ${text}`);
    this.at += text.length;
    return makeFloat(this.thread, value);
  }

  private string(): string {
    const start = this.at++;
    this.thread.charge(TEXT);
    let out = '';
    for (;;) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.text)![0];
      this.thread.charge(plain.length);
      out += plain;
      this.at += plain.length;
      const stop = this.text[this.at];
      if (stop === undefined) this.wrong('unclosed string literal', start);
      if (stop === '"') {
        this.at++;
        return out;
      }
      if (stop !== '\\') this.wrong(`invalid character ${this.here()} in string literal`);
      this.thread.charge(2 * PIECE);
      out += this.escape();
    }
  }

  /** One escape, or a run of `\u` escapes at once, so that the halves of a pair meet before lone ones are replaced. */
  private escape(): string {
    const letter = this.text[this.at + 1];
    if (letter !== 'u') {
      const meant = letter === undefined ? undefined : ESCAPES.get(letter);
      if (meant === undefined) this.wrong(`invalid character ${quote(letter ?? '')} in string escape code`);
      this.at += 2;
      this.thread.charge(1);
      return meant;
    }
    let units = '';
    while (this.text.startsWith('\\u', this.at)) {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!HEX4.test(digits)) this.wrong(`invalid character in \\u escape code`);
      this.thread.charge(1);
      units += String.fromCharCode(Number.parseInt(digits, 16));
      this.at += 6;
    }
    return units.replace(LONE_SURROGATE, '\ufffd');
  }

  /** The next character that is not white space; the end of the text is an error. */
  private peek(): string {
    this.skipSpace();
    return this.text[this.at] ?? this.wrong('unexpected end of file');
  }

  private skipSpace(): void {
    for (; this.at < this.text.length; this.at++) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  private here(): string {
    return quote(String.fromCodePoint(this.text.codePointAt(this.at) ?? 0));
  }

  private wrongBefore(message: string): never {
    this.wrong(message, this.at - 1);
  }

  private wrong(message: string, offset = this.at): never {
    throw new JsonSyntaxError(offset, message);
  }
}

function quote(char: string): string {
  return char === "'" ? "'\\''" : `'${JSON.stringify(char).slice(1, -1).replaceAll('\\"', '"')}'`;
}
