/**
 * A map with a limit: beyond it, the entry that was set or used longest ago is dropped. For caches, and for open things of which a
 * careless or hostile program could leave any number.
 */
export interface BoundedMapOptions<K, V> {
  /** What an entry counts against the limit; 1 by default. An entry above the limit is not stored. */
  readonly weigh?: (value: V, key: K) => number;
  /** Called with what is dropped to make room. */
  readonly onDrop?: (value: V, key: K) => void;
}

export class BoundedMap<K, V> extends Map<K, V> {
  private readonly limit: number;
  private readonly options: BoundedMapOptions<K, V>;
  private weight = 0;

  constructor(limit: number, options: BoundedMapOptions<K, V> = {}) {
    super();
    this.limit = limit;
    this.options = options;
  }

  /** The entry becomes the newest. */
  override set(key: K, value: V): this {
    this.delete(key);
    const weight = this.weigh(value, key);
    if (weight > this.limit) return this;
    super.set(key, value);
    this.weight += weight;
    for (const [oldest, dropped] of this) {
      if (this.weight <= this.limit) break;
      this.delete(oldest);
      this.options.onDrop?.(dropped, oldest);
    }
    return this;
  }

  override delete(key: K): boolean {
    if (!this.has(key)) return false;
    this.weight -= this.weigh(super.get(key) as V, key);
    return super.delete(key);
  }

  override clear(): void {
    this.weight = 0;
    super.clear();
  }

  /** The value, and the entry becomes the newest. */
  use(key: K): V | undefined {
    if (!this.has(key)) return undefined;
    const value = super.get(key) as V;
    super.delete(key);
    super.set(key, value);
    return value;
  }

  /** The value, made if it is not there; the entry becomes the newest. */
  useOrMake(key: K, make: () => V): V {
    if (this.has(key)) return this.use(key) as V;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** The value, which is removed. */
  take(key: K): V | undefined {
    const value = super.get(key);
    this.delete(key);
    return value;
  }

  private weigh(value: V, key: K): number {
    return this.options.weigh === undefined ? 1 : this.options.weigh(value, key);
  }
}
