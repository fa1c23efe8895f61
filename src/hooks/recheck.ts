/**
 * The second look: if a hook of a lower layer rewrote a call after guards of a higher layer had judged it, those guards
 * judge the final form once more. Only a block or an ask counts; there is no third pass.
 */
import { layerOf } from './layer.ts';
import type { Chain } from './prepare.ts';

/** A rewrite, and the authority of the layer that made it. */
export interface Rewrite {
  readonly place: number;
  readonly rank: number;
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
