/**
 * Messages of a stream, one a line, as the bytes they are. A line that exceeds the limit ends the stream: nobody can say
 * what the rest of it would have meant.
 */

/** What the protocol's own clients take over standard input and output. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const LINE_END = 0x0a;

export class LineSplitter {
  private held: Buffer[] = [];
  private size = 0;
  private over = false;
  private readonly onLine: (line: Buffer) => void;
  private readonly onTooLong: () => void;
  private readonly limit: number;
  /** Empty lines mean something too. */
  private readonly all: boolean;

  constructor(onLine: (line: Buffer) => void, onTooLong: () => void, limit = MAX_MESSAGE_BYTES, all = false) {
    this.onLine = onLine;
    this.onTooLong = onTooLong;
    this.limit = limit;
    this.all = all;
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (!this.over) {
      const at = chunk.indexOf(LINE_END, from);
      const part = chunk.subarray(from, at === -1 ? undefined : at);
      this.size += part.length;
      if (this.size > this.limit) {
        this.over = true;
        this.held = [];
        this.onTooLong();
        return;
      }
      if (part.length > 0) this.held.push(part);
      if (at === -1) return;
      this.give();
      from = at + 1;
    }
  }

  private give(): void {
    const line = this.held.length === 1 ? this.held[0]! : Buffer.concat(this.held);
    this.held = [];
    this.size = 0;
    if (this.all || (line.length > 0 && !(line.length === 1 && line[0] === 0x0d))) this.onLine(line);
  }
}
