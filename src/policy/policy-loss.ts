/**
 * What a change of the policy would take away. A watcher and a launcher ask the same: the one has both policies, the other
 * only what an earlier process left of the first.
 */
import { guards } from './loaded-layer.ts';
import type { Policy } from './policy.ts';

/** What of a policy has to be known to judge a change. */
export interface PolicyFacts {
  readonly digest: string;
  readonly layers: readonly { readonly name: string; readonly dir: string; readonly holds: boolean }[];
  readonly errors: readonly string[];
}

export function policyFacts({ digest, layers, problems }: Policy): PolicyFacts {
  return {
    digest: digest.digest,
    layers: layers.map((layer) => ({ name: layer.name, dir: layer.dir, holds: guards(layer) })),
    errors: problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
  };
}

const FLEET_LAYERS: readonly string[] = ['managed:fleet', 'fleet'];

/** As a sentence, or null. */
export function lossBetween(before: PolicyFacts, after: PolicyFacts): string | null {
  const fresh = after.errors.find((message) => !before.errors.includes(message));
  if (fresh !== undefined) return `it cannot be read without an error: ${fresh}`;
  for (const { name, dir, holds: held } of before.layers) {
    // Each version of a fleet's policy is unpacked into a folder of its own.
    const now =
      after.layers.find((layer) => layer.dir === dir) ??
      after.layers.find((layer) => layer.name === name && FLEET_LAYERS.includes(name));
    if (now === undefined) return `the layer ${name} (${dir}) is gone`;
    if (held && !now.holds) return `the layer ${name} (${dir}) is empty`;
  }
  return null;
}
