/**
 * Work that is under way and not yet settled, by kind: what a pipeline that finishes leaves behind. The code that begins such
 * work notes it here and settles it when it is done.
 */
import type { Json } from '../../base/index.ts';

export const BUCKETS = [
  'suspended_subagents',
  'queued_triggers',
  'partial_handoffs',
  'in_flight_llm_calls',
  'pool_pending_tasks',
] as const;

export type Bucket = (typeof BUCKETS)[number];

export interface UnsettledSnapshot {
  readonly unsettled: Readonly<Record<Bucket, readonly Json[]>>;
  readonly is_empty: boolean;
  readonly counts: Readonly<Record<Bucket, number>>;
  /** `2 suspended subagents, 1 queued trigger`; `nothing unsettled` where there is none. */
  readonly summary: string;
}

export class UnsettledState {
  private readonly open: Readonly<Record<Bucket, Set<{ readonly item: Json }>>> = {
    suspended_subagents: new Set(),
    queued_triggers: new Set(),
    partial_handoffs: new Set(),
    in_flight_llm_calls: new Set(),
    pool_pending_tasks: new Set(),
  };

  /** Returns what settles it; calling that twice is harmless. */
  note(bucket: Bucket, item: Json): () => void {
    const entry = { item };
    this.open[bucket].add(entry);
    return () => {
      this.open[bucket].delete(entry);
    };
  }

  get isEmpty(): boolean {
    return BUCKETS.every((bucket) => this.open[bucket].size === 0);
  }

  /** Plain data: what happens later does not change it. */
  snapshot(): UnsettledSnapshot {
    const items = (bucket: Bucket) => [...this.open[bucket]].map(({ item }) => structuredClone(item));
    return {
      unsettled: each(items),
      is_empty: this.isEmpty,
      counts: each((bucket) => this.open[bucket].size),
      summary: this.summary(),
    };
  }

  private summary(): string {
    const parts = BUCKETS.filter((bucket) => this.open[bucket].size > 0).map((bucket) => {
      const count = this.open[bucket].size;
      const words = bucket.replaceAll('_', ' ');
      return `${count} ${count === 1 ? words.replace(/s$/, '') : words}`;
    });
    return parts.length === 0 ? 'nothing unsettled' : parts.join(', ');
  }
}

function each<T>(value: (bucket: Bucket) => T): Record<Bucket, T> {
  return Object.fromEntries(BUCKETS.map((bucket) => [bucket, value(bucket)])) as Record<Bucket, T>;
}
