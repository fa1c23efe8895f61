import { describe, expect, it } from 'vitest';
import { engineOf, hook } from '../../../test/support/plain-hook.ts';
import { machineHost } from '../../machine/host.ts';
import { UnsettledState } from '../pipeline/unsettled.ts';
import { ContextMaintenance, type MaintenanceJob, type MaintenanceOptions } from './maintenance.ts';
import { dedupeKey, type JobReceipt, RECEIPT_SCHEMA } from './receipt.ts';

const queueWith = (options: Partial<MaintenanceOptions> = {}) =>
  new ContextMaintenance({ host: machineHost, runId: 'run-1', ...options });
const job = (more: Partial<MaintenanceJob> = {}): MaintenanceJob => ({
  name: 'refresh_index',
  event: 'file_edited',
  work: () => undefined,
  ...more,
});

describe('[C119] context maintenance', () => {
  it('gives a receipt at once and does the work after the hook has answered', async () => {
    const order: string[] = [];
    const maintenance = queueWith();
    const engine = engineOf([
      hook({
        event: 'file.edited',
        body: (seen) => {
          maintenance.queue(
            job({
              affectedPaths: [String(seen.path)],
              work: () => void order.push('worked'),
            }),
          );
        },
      }),
    ]);
    const outcome = await engine.decide('file.edited', { path: 'a.ts' });
    order.push(`answered ${outcome.action}`);
    expect(maintenance.receipts[0]).toMatchObject({
      schema: RECEIPT_SCHEMA,
      status: 'queued',
      job_id: 'job_1',
      run_id: 'run-1',
      lifecycle_event: 'file.edited',
      affected_paths: ['a.ts'],
      duration_ms: 0,
      replay: { mode: 'skip' },
    });
    await maintenance.settled();
    expect(order).toEqual(['answered allow', 'worked']);
    expect(maintenance.receipts[0]!.status).toBe('succeeded');
  });

  it('has one key for the same paths and ids in any order', () => {
    const one = {
      job: 'j',
      lifecycle_event: 'file.edited',
      affected_paths: ['b', 'a', 'b'],
      artifact_ids: ['2', '1'],
    };
    const two = { ...one, affected_paths: ['a', 'b'], artifact_ids: ['1', '2'] };
    expect(dedupeKey(one)).toBe(dedupeKey(two));
    expect(dedupeKey(one)).not.toBe(dedupeKey({ ...two, affected_paths: ['a'] }));
    expect(dedupeKey(one)).not.toBe(dedupeKey({ ...two, job: 'k' }));
  });

  it('queues what waits already only once, and does it again later', async () => {
    let worked = 0;
    const maintenance = queueWith();
    const same = job({ affectedPaths: ['a', 'b'], work: () => void worked++ });
    maintenance.queue(same);
    const second = maintenance.queue({ ...same, affectedPaths: ['b', 'a'] });
    expect(second).toMatchObject({ status: 'skipped', retry_hint: { reason: 'waits already as job_1' } });
    await maintenance.settled();
    expect(worked).toBe(1);
    expect(maintenance.queue(same).status).toBe('queued');
    await maintenance.settled();
    expect(worked).toBe(2);
  });

  it('[C119] on replay skips the work under the same run id and key, unless the job says otherwise', async () => {
    const recorded = queueWith().queue(job({ affectedPaths: ['a'] }));
    let worked = 0;
    const maintenance = queueWith({ replaying: true });
    const skipped = maintenance.queue(job({ affectedPaths: ['a'], work: () => void worked++ }));
    expect(skipped).toMatchObject({
      status: 'skipped',
      run_id: recorded.run_id,
      dedupe_key: recorded.dedupe_key,
      replay: { mode: 'skip', reason: 'skipped on replay' },
    });
    maintenance.queue(job({ replay: { mode: 'include', determinism_key: 'k' }, work: () => void worked++ }));
    await maintenance.settled();
    expect(worked).toBe(1);
  });

  it('tells every step, counts what waits as pending, and takes in what a job made', async () => {
    const steps: JobReceipt[] = [];
    const unsettled = new UnsettledState();
    const maintenance = queueWith({ onReceipt: (receipt) => steps.push(receipt), unsettled });
    maintenance.queue(job({ artifactIds: ['z'], work: async () => ({ artifactIds: ['y', 'z'] }) }));
    expect(unsettled.snapshot().counts.pool_pending_tasks).toBe(1);
    await maintenance.settled();
    expect(steps.map(({ status }) => status)).toEqual(['queued', 'running', 'succeeded']);
    expect(steps.at(-1)!.artifact_ids).toEqual(['y', 'z']);
    expect(unsettled.isEmpty).toBe(true);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('disk full')), 'disk full'],
    ['never ends', () => new Promise<undefined>(() => {}), 'timed out after 20 ms'],
  ])('a job that %s fails alone, with its retry hint', async (_what, work, error) => {
    const maintenance = queueWith({ timeoutMs: 20 });
    const retry = { retryable: true, after_ms: 100, max_attempts: 3 };
    maintenance.queue(job({ work, retry }));
    maintenance.queue(job({ name: 'other' }));
    await maintenance.settled();
    expect(maintenance.receipts.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    expect(maintenance.receipts[0]).toMatchObject({ error, retry_hint: retry });
  });

  it('is bounded: one job too many is skipped, and so is what waits when it is closed', async () => {
    const maintenance = queueWith({ maxQueued: 1 });
    maintenance.queue(job());
    expect(maintenance.queue(job({ name: 'b' }))).toMatchObject({
      status: 'skipped',
      error: 'the queue is full',
    });
    await maintenance.close();
    expect(maintenance.receipts[0]).toMatchObject({ status: 'skipped', error: 'closed before it began' });
    expect(maintenance.queue(job())).toMatchObject({ status: 'skipped' });
  });

  it('refuses an event that is none', () => {
    expect(() => queueWith().queue(job({ event: 'file_editd' }))).toThrow(/did you mean file.edited/);
  });
});
