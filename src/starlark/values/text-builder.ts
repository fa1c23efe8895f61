/**
 * Text put together from very many short pieces. Joined one by one, each would leave a node of the engine's behind that
 * is several times its size; here they are joined in blocks.
 */
const BLOCK = 1024;
/** Units of a long text that are worked on at a time. */
const UNITS = 4096;

/** A long text in parts, none of them ending within a surrogate pair: for work that would need room for all of it at once. */
export function* blocksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + UNITS, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    yield text.slice(start, end);
    start = end;
  }
}

export class TextBuilder {
  private out = '';
  private block = '';
  private pieces = 0;
  private unit = 0;

  add(piece: string): void {
    this.block += piece;
    if (++this.pieces === BLOCK) this.flush();
  }

  finish(): string {
    this.flush();
    return this.out;
  }

  private flush(): void {
    // To be asked for one of its units, the engine makes a text one; it is kept, lest nothing be asked.
    this.unit = this.block.charCodeAt(this.unit & 1);
    this.out += this.block;
    this.block = '';
    this.pieces = 0;
  }
}
