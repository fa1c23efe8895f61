/** The last things of many, by key. The oldest give way: who leaves many things open loses them, not this program its memory. */
export class Recent<K, V> {
  private readonly kept = new Map<K, V>();

  get(key: K): V | undefined {
    return this.kept.get(key);
  }

  keep(key: K, value: V): void {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(key, value);
  }

  take(key: K): V | undefined {
    const value = this.kept.get(key);
    this.kept.delete(key);
    return value;
  }
}

const MOST_KEPT = 1000;
