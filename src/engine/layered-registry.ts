/**
 * A registry on top of others: a sub-agent's, or a session's own over a policy and hooks it shares. What is below stays live and stays
 * in force; here hooks can be added, and only those that were added can be taken away again.
 */

import { type Chain, prepareChain } from './chain.ts';
import type { Hook } from './hook.ts';
import { Registry } from './registry.ts';

/** A chain and what it was merged from: it holds for as long as none of those has changed. */
interface Merged {
  readonly parts: readonly Chain[];
  readonly chain: Chain;
}

export class LayeredRegistry extends Registry {
  private readonly below: readonly Registry[];
  private readonly merged = new Map<string, Merged>();

  constructor(below: Registry | readonly Registry[], hooks: Iterable<Hook> = []) {
    super(hooks);
    this.below = below instanceof Registry ? [below] : below;
  }

  override get size(): number {
    return this.below.reduce((count, registry) => count + registry.size, super.size);
  }

  override has(event: string): boolean {
    return this.below.some((registry) => registry.has(event)) || super.has(event);
  }

  override events(): string[] {
    const names = this.below.flatMap((registry) => registry.events());
    return [...new Set([...names, ...super.events()])].sort();
  }

  override list(event?: string): readonly Hook[] {
    if (event !== undefined) return this.chain(event).hooks;
    return this.events().flatMap((name) => this.chain(name).hooks);
  }

  /** What is below may have changed since, so there is no chain that is certain to be the one. */
  override prepared(): undefined {
    return undefined;
  }

  override chain(event: string): Chain {
    const own = super.chain(event);
    const parts = [...this.below.map((registry) => registry.chain(event)), own];
    const filled = parts.filter((part) => part.hooks.length > 0);
    if (filled.length < 2) return filled[0] ?? own;
    const known = this.merged.get(event);
    if (known?.parts.every((part, i) => part === parts[i])) return known.chain;
    const chain = prepareChain(
      event,
      parts.flatMap((part) => part.hooks),
    );
    this.merged.set(event, { parts, chain });
    return chain;
  }
}
