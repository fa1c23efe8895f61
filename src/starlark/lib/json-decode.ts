/**
 * Reads JSON text into Starlark values, exactly: integers of any size stay integers, a number with a fraction or an
 * exponent is a float, and the order of keys is kept. Nesting is bounded, and every byte built is charged.
 */
import { StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { Dict } from '../values/dict.ts';
import { makeFloat } from '../values/float.ts';
import { isPlainKey } from '../values/hash-table.ts';
import { negateInt, parseDigits } from '../values/int.ts';
import { List } from '../values/list.ts';
import { DICT, ENTRY, LIST, PIECE, SLOT, TEXT } from '../values/size.ts';
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
const NUMBER_CHARACTER = /[-+.eE]/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;
const PLAIN = /[^"\\\0-\x1f]*/y;
const HEX4 = /^[0-9a-fA-F]{4}$/;
const LONE_SURROGATE = /\p{Cs}/gu;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const COMMA = 0x2c;
const COLON = 0x3a;
const ZERO = 0x30;
const SPACE = 0x20;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_DICT = 0x7b;
const CLOSE_DICT = 0x7d;
/** So many digits are a safe integer, whatever they are. */
const SAFE_DIGITS = 15;
/** Keys of an object that the next one may share. */
const MOST_KEYS = 64;
const NO_KEYS: readonly string[] = [];
/** Of a key with one of these, the text in the document may differ. */
const NOT_AS_WRITTEN = /["\\\0-\x1f\ufffd]/;

function isAsWritten(key: string): boolean {
  return isPlainKey(key) && !NOT_AS_WRITTEN.test(key);
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

const LITERALS: readonly (readonly [string, Value])[] = [
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
  /** The keys of the last object at each depth, in order. */
  private readonly lastKeys: (readonly string[])[] = [];

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
    if (next === QUOTE) return this.string();
    if (next === OPEN_LIST || next === OPEN_DICT) return this.nested(next);
    if (next === MINUS || isDigit(next)) return this.number();
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    this.wrong(`unexpected character ${this.here()}`);
  }

  private nested(open: number): Value {
    if (++this.depth > MAX_NESTING) {
      throw new StarlarkError('depth', `json.decode: nested deeper than ${MAX_NESTING} levels`);
    }
    this.at++;
    const value = open === OPEN_LIST ? this.array() : this.object();
    this.depth--;
    return value;
  }

  private array(): Value {
    const items: Value[] = [];
    this.thread.charge(LIST);
    if (this.peek() === CLOSE_LIST) {
      this.at++;
      return new List(items);
    }
    for (;;) {
      this.thread.charge(SLOT);
      items.push(this.value());
      const next = this.peek();
      this.at++;
      if (next === CLOSE_LIST) return new List(items);
      if (next !== COMMA) this.wrongBefore(`got ${this.quoted(this.at - 1)}, want ',' or ']'`);
    }
  }

  private object(): Value {
    this.thread.charge(DICT);
    if (this.peek() === CLOSE_DICT) {
      this.at++;
      return new Dict();
    }
    const last = this.lastKeys[this.depth] ?? NO_KEYS;
    const values: Value[] = [];
    // Null while the keys are those of the object before.
    let dict: Dict | null = null;
    for (let i = 0; ; i++) {
      if (this.peek() !== QUOTE) {
        const key = this.value();
        this.wrong(`got ${typeName(key)} for object key, want string`);
      }
      let key: string | null = null;
      if (dict !== null || i >= last.length || !this.skipKey(last[i]!)) {
        key = this.string();
        dict ??= this.dictOf(last, values);
      }
      if (this.peek() !== COLON) this.wrong(`after object key, got ${this.here()}, want ':'`);
      this.at++;
      const value = this.value();
      if (key === null) values.push(value);
      else dict!.set(this.thread, key, value);
      const next = this.peek();
      this.at++;
      if (next === CLOSE_DICT) return this.ended(dict, last, values);
      if (next !== COMMA) this.wrongBefore(`in object, got ${this.quoted(this.at - 1)}, want ',' or '}'`);
    }
  }

  /** Objects of one kind share their keys. */
  private ended(made: Dict | null, last: readonly string[], values: Value[]): Dict {
    if (made === null && values.length === last.length) {
      this.thread.charge(ENTRY * last.length);
      return Dict.withKeys(last, values.slice());
    }
    const dict = made ?? this.dictOf(last, values);
    const keys = dict.keys() as string[];
    if (keys.length <= MOST_KEYS && keys.every(isAsWritten)) this.lastKeys[this.depth] = keys;
    return dict;
  }

  private dictOf(keys: readonly string[], values: readonly Value[]): Dict {
    const dict = new Dict();
    for (let i = 0; i < values.length; i++) dict.set(this.thread, keys[i]!, values[i]!);
    return dict;
  }

  /** Whether this key stands here; then it is read. */
  private skipKey(key: string): boolean {
    const end = this.at + 1 + key.length;
    if (this.text.charCodeAt(end) !== QUOTE || !this.text.startsWith(key, this.at + 1)) return false;
    this.thread.charge(TEXT + key.length);
    this.at = end + 1;
    return true;
  }

  private number(): Value {
    const { text } = this;
    const isNegative = text.charCodeAt(this.at) === MINUS;
    const start = isNegative ? this.at + 1 : this.at;
    let at = start;
    let value = 0;
    let unit = text.charCodeAt(at);
    for (; isDigit(unit); unit = text.charCodeAt(++at)) value = value * 10 + unit - ZERO;
    const isShort =
      at > start && at - start <= SAFE_DIGITS && (text.charCodeAt(start) !== ZERO || at - start === 1);
    if (!isShort || NUMBER_CHARACTER.test(text[at] ?? '')) return this.anyNumber();
    this.at = at;
    return isNegative ? 0 - value : value;
  }

  private anyNumber(): Value {
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
    const { text } = this;
    const start = this.at + 1;
    let at = start;
    let unit = text.charCodeAt(at);
    while (unit >= 0x20 && unit !== QUOTE && unit !== BACKSLASH) unit = text.charCodeAt(++at);
    if (unit !== QUOTE) return this.stringWithEscapes();
    this.thread.charge(TEXT + at - start);
    this.at = at + 1;
    return text.slice(start, at);
  }

  private stringWithEscapes(): string {
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

  /** The next unit that is not white space; the end of the text is an error. */
  private peek(): number {
    const unit = this.text.charCodeAt(this.at);
    if (unit > SPACE) return unit;
    this.skipSpace();
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : this.wrong('unexpected end of file');
  }

  private skipSpace(): void {
    for (; this.at < this.text.length; this.at++) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== SPACE && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  private quoted(at: number): string {
    return quote(this.text[at]!);
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
