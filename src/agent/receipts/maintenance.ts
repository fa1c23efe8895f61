/**
 * Slow work that an event calls for, done outside the hook: refreshing an index, summing up, tidying. A hook queues it and
 * gets a receipt at once; the work runs later, one job at a time and in its own time, and cannot fail anything but itself.
 */
import { HarnessError, type JsonObject } from '../../base/index.ts';
import { describeThrown, resolveEvent, withTimeout } from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';
import type { UnsettledState } from '../pipeline/unsettled.ts';
import {
  dedupeKey,
  inOrder,
  type JobReceipt,
  RECEIPT_SCHEMA,
  type ReplayRule,
  type RetryHint,
} from './receipt.ts';

export interface MaintenanceJob {
  /** Which work: `refresh_index`. Two jobs of one name over the same paths and ids are the same. */
  readonly name: string;
  /** The event that calls for it, in any spelling. */
  readonly event: string;
  readonly affectedPaths?: readonly string[];
  readonly artifactIds?: readonly string[];
  /** What to do if it fails; for the reader of the receipt. */
  readonly retry?: RetryHint;
  /** Skipped on replay by default. */
  readonly replay?: ReplayRule;
  readonly metadata?: JsonObject;
  /** May name what it made. */
  readonly work: (signal: AbortSignal) => Promise<JobOutput> | JobOutput;
}

export type JobOutput = { readonly artifactIds?: readonly string[] } | undefined;

export interface MaintenanceOptions {
  readonly host: Pick<Host, 'elapsed'>;
  /** Usually the id of the session. */
  readonly runId: string;
  /** A recorded run is being replayed: jobs that say so are skipped. */
  readonly replaying?: boolean;
  /** Milliseconds one job may take; 60 000 by default. */
  readonly timeoutMs?: number;
  /** Jobs that may wait; one more is skipped. 1000 by default. */
  readonly maxQueued?: number;
  /** Sees every receipt: when a job is queued, begins and ends. */
  readonly onReceipt?: (receipt: JobReceipt) => void;
  /** Where jobs that wait or run are counted as pending tasks. */
  readonly unsettled?: UnsettledState;
}

/** A session that stays for weeks must not keep all of them. */
const MOST_RECEIPTS = 10_000;

interface Waiting {
  receipt: JobReceipt;
  readonly job: MaintenanceJob;
  readonly settle: () => void;
}

export class ContextMaintenance {
  private readonly options: MaintenanceOptions;
  private readonly stop = new AbortController();
  private readonly waiting: Waiting[] = [];
  private readonly latest = new Map<string, JobReceipt>();
  private running: Promise<void> | null = null;
  private count = 0;

  constructor(options: MaintenanceOptions) {
    this.options = options;
  }

  /** The last receipt of each job, in the order they were queued; of very many, the newest. */
  get receipts(): readonly JobReceipt[] {
    return [...this.latest.values()];
  }

  /**
   * Never waits, never runs the work itself. The receipt says `queued`, or `skipped` and why. A job that waits already is
   * not queued twice; one that runs is, since it may have looked before what happened now.
   */
  queue(job: MaintenanceJob): JobReceipt {
    const receipt = this.receiptOf(job);
    const why = this.reasonToSkip(receipt);
    if (why !== null) return this.note({ ...receipt, status: 'skipped', ...why });
    const settle = this.options.unsettled?.note('pool_pending_tasks', {
      job_id: receipt.job_id,
      job: receipt.job,
    });
    this.waiting.push({ receipt, job, settle: settle ?? (() => {}) });
    // Not before the hook that queues it has answered.
    this.running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.work());
    return this.note(receipt);
  }

  /** Resolves when nothing waits or runs any more. */
  async settled(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  /** Aborts the job that runs; those that wait are skipped. */
  async close(): Promise<void> {
    this.stop.abort();
    await this.settled();
  }

  private async work(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      await this.runOne(next);
      next.settle();
    }
    this.running = null;
  }

  private async runOne({ receipt, job }: Waiting): Promise<void> {
    if (this.stop.signal.aborted) {
      this.note({ ...receipt, status: 'skipped', error: 'closed before it began' });
      return;
    }
    const { host, timeoutMs = 60_000 } = this.options;
    const begun = host.elapsed();
    this.note({ ...receipt, status: 'running' });
    const settled = await withTimeout(this.stop.signal, timeoutMs, (signal) => job.work(signal));
    const ran = { ...receipt, duration_ms: Math.max(0, Math.round(host.elapsed() - begun)) };
    if (settled.kind === 'value') {
      const made = (settled.value as JobOutput)?.artifactIds ?? [];
      this.note({ ...ran, status: 'succeeded', artifact_ids: inOrder([...receipt.artifact_ids, ...made]) });
      return;
    }
    const error = settled.kind === 'thrown' ? describeThrown(settled.thrown) : settled.failure.message;
    this.note({ ...ran, status: 'failed', error });
  }

  private receiptOf(job: MaintenanceJob): JobReceipt {
    if (typeof job.name !== 'string' || job.name === '') throw invalid('a job wants a name');
    const resolved = resolveEvent(job.event);
    if (!resolved.ok) throw invalid(resolved.message + resolved.hint);
    const sketch = {
      job: job.name,
      lifecycle_event: resolved.event,
      affected_paths: inOrder(job.affectedPaths ?? []),
      artifact_ids: inOrder(job.artifactIds ?? []),
    };
    return {
      schema: RECEIPT_SCHEMA,
      status: 'queued',
      job_id: `job_${++this.count}`,
      run_id: this.options.runId,
      ...sketch,
      dedupe_key: dedupeKey(sketch),
      duration_ms: 0,
      retry_hint: job.retry ?? { retryable: false },
      replay: job.replay ?? { mode: 'skip' },
      ...(job.metadata === undefined ? {} : { metadata: job.metadata }),
    };
  }

  private reasonToSkip(receipt: JobReceipt): Partial<JobReceipt> | null {
    const { replaying = false, maxQueued = 1000 } = this.options;
    if (replaying && receipt.replay.mode === 'skip') {
      return { replay: { ...receipt.replay, reason: receipt.replay.reason ?? 'skipped on replay' } };
    }
    const same = this.waiting.find((other) => other.receipt.dedupe_key === receipt.dedupe_key);
    if (same !== undefined) {
      return { retry_hint: { retryable: false, reason: `waits already as ${same.receipt.job_id}` } };
    }
    if (this.stop.signal.aborted) return { error: 'the queue is closed' };
    if (this.waiting.length < maxQueued) return null;
    return {
      retry_hint: { retryable: true, reason: `${maxQueued} jobs wait already` },
      error: 'the queue is full',
    };
  }

  private note(receipt: JobReceipt): JobReceipt {
    this.latest.set(receipt.job_id, receipt);
    if (this.latest.size > MOST_RECEIPTS) this.latest.delete(this.latest.keys().next().value!);
    try {
      this.options.onReceipt?.(receipt);
    } catch {
      // A listener must not stop the work.
    }
    return receipt;
  }
}

function invalid(message: string): HarnessError {
  return new HarnessError('RECEIPT_INVALID', message);
}
