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

/** What is not in the engine's table of short strings is made anew. */
function charged(thread: Thread, element: string): string {
  if (element > LAST_SHARED) thread.charge(TEXT);
  return element;
}

class UnitCursor implements Cursor {
  private at = 0;
  private readonly thread: Thread;
  private readonly text: string;
  private readonly ords: boolean;

  constructor(thread: Thread, text: string, ords: boolean) {
    this.thread = thread;
    this.text = text;
    this.ords = ords;
  }

  next(): Value | undefined {
    if (this.at >= this.text.length) return undefined;
    const at = this.at++;
    return this.ords ? this.text.charCodeAt(at) : charged(this.thread, this.text[at]!);
  }

  close(): void {}
}

class CodePointCursor implements Cursor {
  private at = 0;
  private readonly thread: Thread;
  private readonly text: string;
  private readonly ords: boolean;

  constructor(thread: Thread, text: string, ords: boolean) {
    this.thread = thread;
    this.text = text;
    this.ords = ords;
  }

  next(): Value | undefined {
    if (this.at >= this.text.length) return undefined;
    const point = codePointAt(this.text, this.at);
    this.at += point > 0xffff ? 2 : 1;
    return this.ords ? point : charged(this.thread, fromCodePoint(point));
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
    return new UnitCursor(thread, this.text, this.ords);
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
    return new CodePointCursor(thread, this.text, this.ords);
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
    return this.bytes.units.charCodeAt(checkedIndex(this.type, key, this.bytes.length));
  }

  override cursor(thread: Thread): Cursor {
    return new UnitCursor(thread, this.bytes.units, true);
  }
}
