/**
 * Text put together from very many short pieces. Joined one by one, each would leave a node of the engine's behind that
 * is several times its size; here they are joined in blocks.
 */
const BLOCK = 1024;

export class TextBuilder {
  private out = '';
  private pieces: string[] = [];

  add(piece: string): void {
    this.pieces.push(piece);
    if (this.pieces.length === BLOCK) this.flush();
  }

  finish(): string {
    this.flush();
    return this.out;
  }

  private flush(): void {
    this.out += this.pieces.join('');
    this.pieces = [];
  }
}
