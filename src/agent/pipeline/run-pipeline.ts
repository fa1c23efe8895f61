/**
 * A pipeline: a function whose end is an event. After it has returned, `finish.pre`, `finish.unsettled` where work is still
 * open, the finish callback, and `finish.post`, in this order; then the value reaches the caller.
 */

import { canonicalJson, HarnessError, type Json, type JsonObject } from '../../base/index.ts';
import {
  type CatalogName,
  describeThrown,
  type Engine,
  type Outcome,
  withTimeout,
} from '../../engine/index.ts';
import { fireThrough, isEngine } from '../loop/fire-through.ts';
import type { Session } from '../session.ts';
import { type UnsettledSnapshot, UnsettledState } from './unsettled.ts';

/** What it returns takes the place of the value; nothing (`undefined`) leaves it. */
export type OnFinish = (
  value: Json,
  unsettled: UnsettledSnapshot,
) => Promise<Json | undefined> | Json | undefined;

export interface Pipeline {
  readonly unsettled: UnsettledState;
  readonly signal: AbortSignal;
  /** There is one place for it: the last callback given counts. Null takes it away. */
  readonly onFinish: (callback: OnFinish | null) => void;
}

export interface PipelineOptions {
  /** Whose hooks the events go through. A session is closed at the end, whatever that is. */
  readonly hooks: Engine | Session;
  /** Shared with whatever begins work outside the function. */
  readonly unsettled?: UnsettledState;
  readonly signal?: AbortSignal;
  /** Milliseconds the finish callback may take; 10 000 by default. */
  readonly finishMs?: number;
}

/**
 * Rejects with what the function threw, or with a HarnessError: `PIPELINE_VETOED`, `PIPELINE_FINISH`, `PIPELINE_ABORTED`.
 * Where it rejects, the callback is gone without having been called, or was called once.
 */
export async function runPipeline(
  run: (pipeline: Pipeline) => Promise<Json> | Json,
  { hooks, unsettled = new UnsettledState(), signal, finishMs = 10_000 }: PipelineOptions,
): Promise<Json> {
  const outer = signal ?? new AbortController().signal;
  const slot: { callback: OnFinish | null } = { callback: null };
  const fire = firingThrough(hooks, outer);
  let failed = true;
  try {
    const value = await returned(run, outer, {
      unsettled,
      signal: outer,
      onFinish: (callback) => {
        slot.callback = callback;
      },
    });
    const finished = await finish(value, slot, unsettled, fire, (work) => withTimeout(outer, finishMs, work));
    failed = false;
    return finished;
  } finally {
    slot.callback = null;
    if (!isEngine(hooks)) await hooks.close(failed ? (outer.aborted ? 'aborted' : 'error') : undefined);
  }
}

async function finish(
  value: Json,
  slot: { callback: OnFinish | null },
  unsettled: UnsettledState,
  fire: (event: CatalogName, payload: JsonObject) => Promise<void>,
  within: (work: () => unknown) => ReturnType<typeof withTimeout>,
): Promise<Json> {
  await fire('finish.pre', { value });
  if (!unsettled.isEmpty)
    await fire('finish.unsettled', { ...unsettled.snapshot() } as unknown as JsonObject);
  const { callback } = slot;
  // Consumed before it runs: one that calls for itself again is not called again.
  slot.callback = null;
  const final = callback === null ? value : await finalValue(callback, value, unsettled, within);
  await fire('finish.post', { value: final });
  return final;
}

async function finalValue(
  callback: OnFinish,
  value: Json,
  unsettled: UnsettledState,
  within: (work: () => unknown) => ReturnType<typeof withTimeout>,
): Promise<Json> {
  const settled = await within(() => callback(value, unsettled.snapshot()));
  if (settled.kind === 'thrown') throw finishError(describeThrown(settled.thrown));
  if (settled.kind === 'failed') {
    if (settled.failure.kind === 'aborted') throw aborted();
    throw finishError(settled.failure.message);
  }
  if (settled.value === undefined) return value;
  return asJson(settled.value, finishError);
}

async function returned(
  run: (pipeline: Pipeline) => Promise<Json> | Json,
  signal: AbortSignal,
  pipeline: Pipeline,
): Promise<Json> {
  const settled = await withTimeout(signal, 0, () => run(pipeline));
  if (settled.kind === 'thrown') throw settled.thrown;
  if (settled.kind === 'failed') throw aborted();
  return asJson(settled.value ?? null, (why) => new TypeError(`a pipeline returns JSON: ${why}`));
}

/** Hooks are told the value, so it must be something that can be told. */
function asJson(value: unknown, wrong: (why: string) => Error): Json {
  try {
    canonicalJson(value);
  } catch (thrown) {
    throw wrong(describeThrown(thrown));
  }
  return value as Json;
}

function firingThrough(
  hooks: Engine | Session,
  signal: AbortSignal,
): (event: CatalogName, payload: JsonObject) => Promise<void> {
  return async (event, payload) => {
    const outcome = await fireThrough(hooks, event, payload, signal);
    if (signal.aborted) throw aborted();
    if (outcome.failure !== undefined) throw vetoed(event, outcome);
  };
}

function vetoed(event: string, { failure }: Outcome): HarnessError {
  return new HarnessError('PIPELINE_VETOED', `${event}: hook "${failure!.hook}": ${failure!.message}`);
}

function finishError(why: string): HarnessError {
  return new HarnessError('PIPELINE_FINISH', `on_finish: ${why}`);
}

function aborted(): HarnessError {
  return new HarnessError('PIPELINE_ABORTED', 'the pipeline was aborted');
}
