/**
 * The receipt of a maintenance job: what was to be done because of which event, and what became of it. Plain data, so that
 * it can be written down, compared and shown.
 */
import { digestOf, type JsonObject } from '../../base/index.ts';

/** Tools that read such receipts know them by this id. */
export const RECEIPT_SCHEMA = 'harn.context_maintenance.job_receipt.v1';

export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'skipped';

export interface RetryHint {
  readonly retryable: boolean;
  readonly after_ms?: number;
  readonly max_attempts?: number;
  readonly reason?: string;
}

export interface ReplayRule {
  /** `skip`: on replay the job is not done again, and its receipt says so. */
  readonly mode: 'include' | 'skip';
  readonly determinism_key?: string;
  readonly reason?: string;
}

export interface JobReceipt {
  readonly schema: typeof RECEIPT_SCHEMA;
  readonly status: JobStatus;
  readonly job_id: string;
  readonly run_id: string;
  readonly job: string;
  readonly dedupe_key: string;
  /** Canonical name of the event that asked for it. */
  readonly lifecycle_event: string;
  readonly affected_paths: readonly string[];
  readonly artifact_ids: readonly string[];
  /** 0 until it has run. */
  readonly duration_ms: number;
  readonly retry_hint: RetryHint;
  readonly replay: ReplayRule;
  readonly error?: string;
  readonly metadata?: JsonObject;
}

/** Sorted, each once: the same work in another order is the same work. */
export function inOrder(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

export function dedupeKey(
  job: Pick<JobReceipt, 'job' | 'lifecycle_event' | 'affected_paths' | 'artifact_ids'>,
): string {
  const { lifecycle_event, affected_paths, artifact_ids } = job;
  return digestOf({
    job: job.job,
    lifecycle_event,
    affected_paths: inOrder(affected_paths),
    artifact_ids: inOrder(artifact_ids),
  });
}
