/** What a daemon has open, by key: beyond the limit the least used is dropped, and `sweep` drops what was not used since the last sweep. */
import { BoundedMap } from '../../base/index.ts';

export class IdleMap<V> extends BoundedMap<string, V> {
  private readonly onDrop: (value: V) => void;
  private idle = new Set<string>();

  constructor(limit: number, onDrop: (value: V) => void = () => {}) {
    super(limit, { onDrop });
    this.onDrop = onDrop;
  }

  override set(key: string, value: V): this {
    this.idle.delete(key);
    return super.set(key, value);
  }

  override use(key: string): V | undefined {
    this.idle.delete(key);
    return super.use(key);
  }

  sweep(): void {
    for (const key of this.idle) {
      const value = this.take(key);
      if (value !== undefined) this.onDrop(value);
    }
    this.idle = new Set(this.keys());
  }
}
