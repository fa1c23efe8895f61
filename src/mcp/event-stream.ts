/**
 * A stream of events as servers send it over HTTP: read from bytes, each event within a limit, and written. What is no field of an
 * event is not passed on.
 */
import { LineSplitter, MAX_MESSAGE_BYTES } from './lines.ts';

export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  /** Null: the event carries none, only its id. */
  readonly data: Buffer | null;
  readonly retry: string | undefined;
}

const SPACE = Buffer.from(' ');

export class EventReader {
  private readonly lines: LineSplitter;
  private readonly onEvent: (event: StreamEvent) => void;
  private data: Buffer[] = [];
  private size = 0;
  private fields: Record<string, string> = {};

  constructor(onEvent: (event: StreamEvent) => void, onTooLong: () => void) {
    this.onEvent = onEvent;
    const tooLong = () => {
      this.data = [];
      onTooLong();
    };
    this.lines = new LineSplitter((line) => this.line(line, tooLong), tooLong, MAX_MESSAGE_BYTES + 64, true);
  }

  push(chunk: Buffer): void {
    this.lines.push(chunk);
  }

  private line(line: Buffer, tooLong: () => void): void {
    const end = line.length > 0 && line[line.length - 1] === 0x0d ? line.length - 1 : line.length;
    if (end === 0) {
      this.give();
      return;
    }
    const colon = line.indexOf(0x3a);
    if (colon === 0) return;
    const name = line.subarray(0, colon === -1 ? end : colon).toString('utf8');
    const from = colon === -1 ? end : line[colon + 1] === 0x20 ? colon + 2 : colon + 1;
    const value = line.subarray(from, end);
    if (name !== 'data') {
      this.fields[name] = value.toString('utf8');
      return;
    }
    // A message written over several lines is one line to everybody else: no text of JSON holds a line end.
    if (this.data.length > 0) this.data.push(SPACE);
    this.data.push(value);
    this.size += value.length;
    if (this.size > MAX_MESSAGE_BYTES) tooLong();
  }

  private give(): void {
    const { id, event = 'message', retry } = this.fields;
    const data =
      this.data.length === 0 ? null : this.data.length === 1 ? this.data[0]! : Buffer.concat(this.data);
    this.data = [];
    this.size = 0;
    this.fields = {};
    if (data !== null || id !== undefined || retry !== undefined) this.onEvent({ id, event, data, retry });
  }
}

/** One event; a message without line ends. */
export function eventText(
  line: Buffer | string,
  { id, retry }: { readonly id?: string | undefined; readonly retry?: string | undefined } = {},
): Buffer {
  const before = `${id === undefined ? '' : `id: ${oneLine(id)}\n`}${retry === undefined ? '' : `retry: ${oneLine(retry)}\n`}`;
  const data = typeof line === 'string' ? Buffer.from(line) : line;
  return Buffer.concat([Buffer.from(`event: message\n${before}data: `), flat(data), Buffer.from('\n\n')]);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, '');
}

/** Line ends between the parts of a message become spaces. */
function flat(data: Buffer): Buffer {
  if (!data.includes(0x0a) && !data.includes(0x0d)) return data;
  return Buffer.from(data.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}
