/**
 * `repr` and `str`: values as text. Bounded in depth and length, safe on cycles, and charged while it is written.
 */
import { StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { Bytes } from './bytes.ts';
import { intText } from './int.ts';
import { escapeText } from './quote.ts';
import { PIECE, textBytes } from './size.ts';
import { blocksOf } from './text-builder.ts';
import { isObject, type ReprWriter, type StarObject, type Value } from './value.ts';

/** A value may share its parts so often that its text would be longer than any string can be. */
const MAX_TEXT = 1 << 28;
/** Text that is quoted in one piece. */
const SHORT = 1024;

export function repr(value: Value, thread?: Thread): string {
  if (typeof value === 'number') {
    const text = String(value);
    thread?.spend(1);
    thread?.charge(textBytes(text.length));
    return text;
  }
  const writer = new Writer(thread);
  writer.value(value);
  return writer.finish();
}

/** Like `repr`, but a string is itself and bytes are decoded. */
export function str(value: Value, thread?: Thread): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') {
    thread?.spend(1);
    const text = `${value}`;
    thread?.charge(PIECE + text.length);
    return text;
  }
  if (value instanceof Bytes) {
    thread?.spend(value.length >> 4);
    thread?.charge(textBytes(value.length));
    return value.decode();
  }
  return repr(value, thread);
}

class Writer implements ReprWriter {
  private out = '';
  /** Containers being written; made with the first of them. */
  private open: Set<StarObject> | null = null;
  private readonly thread: Thread | undefined;

  constructor(thread: Thread | undefined) {
    this.thread = thread;
  }

  text(text: string): void {
    this.thread?.charge(PIECE + text.length);
    if (this.out.length + text.length > MAX_TEXT) throw new StarlarkError('memory', 'text of value too long');
    this.out += text;
  }

  value(value: Value): void {
    this.thread?.spend(1);
    if (isObject(value)) value.writeRepr(this, this.thread ?? null);
    else if (typeof value === 'string') this.quoted(value);
    else this.text(primitiveText(value, this.thread));
  }

  private quoted(text: string): void {
    this.thread?.spend(text.length >> 4);
    if (text.length <= SHORT) {
      this.text(`"${escapeText(text)}"`);
      return;
    }
    // Escapes lengthen a text many times over: each block is paid for before the next is made.
    this.text('"');
    for (const block of blocksOf(text)) this.text(escapeText(block));
    this.text('"');
  }

  nest(container: StarObject, open: string, close: string, body: () => void): void {
    this.text(open);
    this.open ??= new Set();
    if (this.open.has(container)) {
      this.text('...');
    } else {
      if (this.open.size >= MAX_NESTING) {
        throw new StarlarkError('depth', `value nested deeper than ${MAX_NESTING} levels`);
      }
      this.open.add(container);
      body();
      this.open.delete(container);
    }
    this.text(close);
  }

  finish(): string {
    return this.out;
  }
}

function primitiveText(value: null | boolean | number | bigint, thread: Thread | undefined): string {
  switch (typeof value) {
    case 'number':
      return String(value);
    case 'bigint':
      return intText(value, 10, thread);
    case 'boolean':
      return value ? 'True' : 'False';
    default:
      return 'None';
  }
}
