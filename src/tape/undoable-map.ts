/**
 * A map whose last changes can be taken back.
 */
export class UndoableMap<V> extends Map<string, V> {
  /** What stood there before, newest last; null while nobody may want it back. */
  private before: [key: string, had: boolean, value: V | undefined][] | null = null;

  remember(): void {
    this.before = [];
  }

  keep(): void {
    this.before = null;
  }

  undo(): void {
    const changes = this.before ?? [];
    this.before = null;
    for (const [key, had, value] of changes.reverse()) {
      if (had) super.set(key, value as V);
      else super.delete(key);
    }
  }

  override set(key: string, value: V): this {
    this.note(key);
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.note(key);
    return super.delete(key);
  }

  override clear(): void {
    for (const key of this.keys()) this.note(key);
    super.clear();
  }

  private note(key: string): void {
    this.before?.push([key, this.has(key), this.get(key)]);
  }
}
