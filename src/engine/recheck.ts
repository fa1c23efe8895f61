/**
 * The second look: if a hook of a lower layer rewrote a call after guards of a higher layer had judged it, those guards
 * judge the final form once more. Only a block or an ask counts; there is no third pass.
 */
import type { CallScope } from './call.ts';
import type { Chain } from './chain.ts';
import type { TraceEntry } from './decision.ts';
import { layerOf } from './layer.ts';
import type { LimitReservation } from './reservations.ts';
import { scratchRun } from './run-state.ts';

/** A rewrite, and the authority of the layer that made it. */
export interface Rewrite {
  readonly place: number;
  readonly rank: number;
}

export interface Recheck {
  readonly places: readonly number[];
  readonly entries: TraceEntry[];
  readonly scope: CallScope;
  next: number;
}

const QUIET = { action: 'allow', mayRun: true, reason: null, hook: null, effects: [], trace: [] } as const;

/** Whatever such a call counts, caches, logs or emits goes nowhere: it has had its effects already. */
export function beginRecheck(
  { event, host, run, signal, depth, who, toolNames }: CallScope,
  places: readonly number[],
  reservations: readonly LimitReservation[],
): Recheck {
  const nested: CallScope['nested'] = (emitted, payload) => ({ ...QUIET, event: emitted, payload });
  const quiet = { nested, addEffect: () => {}, addReservation: () => {} };
  const scope = {
    ...{ event, host, signal, depth, who, toolNames, run: scratchRun(run, reservations) },
    ...quiet,
  };
  return { places, entries: [], scope, next: 0 };
}

/**
 * Which of `plan` must look again: those that stand before a rewrite of a lower layer. The plan is made for the final
 * payload, so a guard that the first form did not concern is among them if the final one does.
 */
export function guardsToRecheck(
  chain: Chain,
  plan: readonly number[],
  rewrites: readonly Rewrite[],
): readonly number[] {
  return plan.filter((place) => {
    const hook = chain.hooks[place]!;
    const { rank } = layerOf(hook);
    return (
      hook.mode === 'enforce' && rewrites.some((rewrite) => rewrite.place > place && rewrite.rank > rank)
    );
  });
}

/** Every guard, for a call that something outside the chain changed after it was judged. */
export function everyGuard(chain: Chain, plan: readonly number[]): readonly number[] {
  return plan.filter((place) => chain.hooks[place]!.mode === 'enforce');
}
