/** What a change of the policy would take away, and whether it is at least as strict. */
import { guards } from './loaded-layer.ts';
import type { Policy } from './policy.ts';

export const FLEET_LAYERS: readonly string[] = ['managed:fleet', 'fleet'];

/** What makes a change less than at least as strict, as a sentence; null: it is. */
export async function looseningBetween(before: Policy, after: Policy): Promise<string | null> {
  const loss = losses(before, after);
  if (loss !== null) return loss;
  // Most sessions see no change.
  const { looseningIn } = await import('./tightening.ts');
  return looseningIn(before, after);
}

/** As a sentence, or null. */
export function losses(before: Policy, after: Policy): string | null {
  const known = errorsIn(before);
  const fresh = errorsIn(after).find((message) => !known.includes(message));
  if (fresh !== undefined) return `it cannot be read without an error: ${fresh}`;
  for (const layer of before.layers) {
    const { name, dir } = layer;
    // Each version of a fleet's policy is unpacked into a folder of its own.
    const now =
      after.layers.find((each) => each.dir === dir) ??
      after.layers.find((each) => each.name === name && FLEET_LAYERS.includes(name));
    if (now === undefined) return `the layer ${name} (${dir}) is gone`;
    if (guards(layer) && !guards(now)) return `the layer ${name} (${dir}) is empty`;
  }
  return null;
}

function errorsIn({ problems }: Policy): readonly string[] {
  return problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}
