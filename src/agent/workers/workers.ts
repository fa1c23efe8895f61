/**
 * Work that goes on beside a session: workers that begin, report, wait, are suspended and resumed, and end. Each step is an
 * event; suspending, resuming and draining can be refused by hooks. What the worker does is its owner's affair: here is
 * only what becomes of it.
 */
import { HarnessError, type Json, type JsonObject } from '../../base/index.ts';
import type { CatalogName, Engine, Outcome } from '../../engine/index.ts';
import { fireThrough } from '../loop/fire-through.ts';
import { UnsettledState } from '../pipeline/unsettled.ts';
import type { Session } from '../session.ts';

export type WorkerState = 'running' | 'waiting' | 'suspended' | 'completed' | 'failed' | 'cancelled';

/** Whether what was asked for has happened, and if not, why. */
export type Permitted = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export type DrainDecision = 'resume' | 'cancel' | 'keep';

export interface WorkersOptions {
  readonly hooks: Engine | Session;
  /** Where suspended workers are counted; the pipeline's, if there is one. */
  readonly unsettled?: UnsettledState;
}

const DONE: Permitted = { ok: true };

export class Workers {
  readonly unsettled: UnsettledState;
  private readonly hooks: Engine | Session;
  private readonly suspended = new Set<Worker>();
  private count = 0;

  constructor({ hooks, unsettled = new UnsettledState() }: WorkersOptions) {
    this.hooks = hooks;
    this.unsettled = unsettled;
  }

  async spawn(name: string, parentId: string | null = null): Promise<Worker> {
    const worker = new Worker(`worker_${++this.count}`, name, parentId, {
      fire: (event, payload) => this.fire(event, payload),
      suspended: this.suspended,
      unsettled: this.unsettled,
    });
    await worker.tell('worker.spawned');
    return worker;
  }

  /** Settles every suspended worker as `decide` says; one whose resuming hooks refuse stays. */
  async drain(decide: (worker: Worker) => DrainDecision): Promise<Permitted> {
    const veto = refusal(await this.fire('drain.pre', this.pending()));
    if (veto !== null) return veto;
    for (const worker of [...this.suspended]) {
      const decision = decide(worker);
      await worker.tell('drain.decision', { decision });
      if (decision === 'resume') await worker.resume('drain');
      else if (decision === 'cancel') await worker.cancel('drain');
    }
    await this.fire('drain.post', this.pending());
    return DONE;
  }

  private pending(): JsonObject {
    const ids = [...this.suspended].map(({ id }) => id);
    return { pending: ids.length, ids };
  }

  private async fire(event: CatalogName, payload: JsonObject): Promise<Outcome> {
    const outcome = await fireThrough(this.hooks, event, payload);
    const { failure } = outcome;
    if (failure === undefined) return outcome;
    throw new HarnessError('WORKER_STATE', `${event}: hook "${failure.hook}" failed: ${failure.message}`);
  }
}

interface Keeper {
  readonly fire: (event: CatalogName, payload: JsonObject) => Promise<Outcome>;
  readonly suspended: Set<Worker>;
  readonly unsettled: UnsettledState;
}

export class Worker {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  private readonly keeper: Keeper;
  private current: WorkerState = 'running';
  private settle: () => void = () => {};

  /** Made by `Workers.spawn`. */
  constructor(id: string, name: string, parentId: string | null, keeper: Keeper) {
    this.id = id;
    this.name = name;
    this.parentId = parentId;
    this.keeper = keeper;
  }

  get state(): WorkerState {
    return this.current;
  }

  async progress(progress: Json): Promise<void> {
    this.require('progress', ['running', 'waiting']);
    this.current = 'running';
    await this.tell('worker.progressed', { progress });
  }

  async waitForInput(reason: string | null = null): Promise<void> {
    this.require('wait', ['running', 'waiting']);
    this.current = 'waiting';
    await this.tell('worker.waiting_for_input', { reason });
  }

  async suspend(reason: string | null = null): Promise<Permitted> {
    this.require('be suspended', ['running', 'waiting']);
    const veto = refusal(await this.tell('suspend.pre', { reason }));
    if (veto !== null) return veto;
    // Hooks take their time: it may have ended meanwhile.
    this.require('be suspended', ['running', 'waiting']);
    this.current = 'suspended';
    this.keeper.suspended.add(this);
    this.settle = this.keeper.unsettled.note('suspended_subagents', { id: this.id, name: this.name, reason });
    await this.tell('worker.suspended', { reason });
    await this.tell('suspend.post', { reason });
    return DONE;
  }

  async resume(reason: string | null = null): Promise<Permitted> {
    this.require('resume', ['suspended']);
    const veto = refusal(await this.tell('resume.pre', { reason }));
    if (veto !== null) return veto;
    this.require('resume', ['suspended']);
    this.leave('running');
    await this.tell('worker.resumed', { reason });
    await this.tell('resume.post', { reason });
    return DONE;
  }

  async complete(result: Json = null): Promise<void> {
    this.require('complete', ['running', 'waiting']);
    this.leave('completed');
    await this.tell('worker.completed', { result });
  }

  async fail(reason: string): Promise<void> {
    this.require('fail', ['running', 'waiting', 'suspended']);
    this.leave('failed');
    await this.tell('worker.failed', { reason });
  }

  async cancel(reason: string | null = null): Promise<void> {
    this.require('be cancelled', ['running', 'waiting', 'suspended']);
    this.leave('cancelled');
    await this.tell('worker.cancelled', { reason });
  }

  /** Fires an event about this worker. */
  tell(event: CatalogName, more: JsonObject = {}): Promise<Outcome> {
    return this.keeper.fire(event, { id: this.id, name: this.name, parent_id: this.parentId, ...more });
  }

  private leave(state: WorkerState): void {
    this.current = state;
    this.keeper.suspended.delete(this);
    this.settle();
  }

  private require(what: string, states: readonly WorkerState[]): void {
    if (states.includes(this.current)) return;
    throw new HarnessError('WORKER_STATE', `${this.id} is ${this.current} and cannot ${what}`);
  }
}

function refusal({ mayRun, hook, reason }: Outcome): Permitted | null {
  if (mayRun) return null;
  return { ok: false, reason: `blocked by hook "${hook}": ${reason ?? 'no reason given'}` };
}
