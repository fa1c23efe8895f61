/**
 * What `elems`, `elem_ords`, `codepoints`, `codepoint_ords` of a string and `elems` of bytes return: an iterable over
 * the text that makes each element only when it is asked for.
 */
import type { Thread } from '../run/thread.ts';
import type { Bytes } from '../values/bytes.ts';
import { checkedIndex } from '../values/sequence.ts';
import { TEXT } from '../values/size.ts';
import { type Cursor, type ReprWriter, StarObject, type Value } from '../values/value.ts';
import { codePointAt, fromCodePoint } from './unicode.ts';

const LAST_SHARED = '\xff';

/** An iteration by a function that gives the element at an offset and how far to go from there. */
class TextCursor implements Cursor {
  private at = 0;
  private readonly thread: Thread;
  private readonly length: number;
  private readonly element: (at: number) => Value;
  private readonly width: (at: number) => number;

  constructor(
    thread: Thread,
    length: number,
    element: (at: number) => Value,
    width: (at: number) => number = () => 1,
  ) {
    this.thread = thread;
    this.length = length;
    this.element = element;
    this.width = width;
  }

  next(): Value | undefined {
    if (this.at >= this.length) return undefined;
    const element = this.element(this.at);
    // What is not in the engine's table of short strings is made anew.
    if (typeof element === 'string' && element > LAST_SHARED) this.thread.charge(TEXT);
    this.at += this.width(this.at);
    return element;
  }

  close(): void {}
}

/** The UTF-16 units of a string, as strings or as numbers. Has a length and can be indexed. */
export class StringElems extends StarObject {
  readonly type = 'string.elems';
  private readonly text: string;
  private readonly ords: boolean;

  constructor(text: string, ords: boolean) {
    super();
    this.text = text;
    this.ords = ords;
  }

  private element(at: number): Value {
    return this.ords ? this.text.charCodeAt(at) : this.text[at]!;
  }

  override writeRepr(out: ReprWriter): void {
    out.value(this.text);
    out.text(this.ords ? '.elem_ords()' : '.elems()');
  }

  override truth(): boolean {
    return this.text.length > 0;
  }

  override hashKey(): undefined {
    return undefined;
  }

  override len(): number {
    return this.text.length;
  }

  override getItem(thread: Thread, key: Value): Value {
    thread.charge(TEXT);
    return this.element(checkedIndex(this.type, key, this.text.length));
  }

  override cursor(thread: Thread): Cursor {
    return new TextCursor(thread, this.text.length, (at) => this.element(at));
  }
}

/** The code points of a string, as strings or as numbers; half a pair is U+FFFD. Its length is not known beforehand. */
export class StringCodePoints extends StarObject {
  readonly type = 'string.codepoints';
  private readonly text: string;
  private readonly ords: boolean;

  constructor(text: string, ords: boolean) {
    super();
    this.text = text;
    this.ords = ords;
  }

  override writeRepr(out: ReprWriter): void {
    out.value(this.text);
    out.text(this.ords ? '.codepoint_ords()' : '.codepoints()');
  }

  override truth(): boolean {
    return this.text.length > 0;
  }

  override hashKey(): undefined {
    return undefined;
  }

  override cursor(thread: Thread): Cursor {
    const { text, ords } = this;
    return new TextCursor(
      thread,
      text.length,
      (at) => (ords ? codePointAt(text, at) : fromCodePoint(codePointAt(text, at))),
      (at) => (text.codePointAt(at)! > 0xffff ? 2 : 1),
    );
  }
}

/** The numbers of a bytes value. */
export class BytesElems extends StarObject {
  readonly type = 'bytes.elems';
  private readonly bytes: Bytes;

  constructor(bytes: Bytes) {
    super();
    this.bytes = bytes;
  }

  override writeRepr(out: ReprWriter): void {
    out.value(this.bytes);
    out.text('.elems()');
  }

  override truth(): boolean {
    return this.bytes.length > 0;
  }

  override hashKey(): undefined {
    return undefined;
  }

  override len(): number {
    return this.bytes.length;
  }

  override getItem(_thread: Thread, key: Value): Value {
    return this.bytes.data[checkedIndex(this.type, key, this.bytes.length)]!;
  }

  override cursor(thread: Thread): Cursor {
    return new TextCursor(thread, this.bytes.length, (at) => this.bytes.data[at]!);
  }
}
