/**
 * A registry on top of another: a sub-agent's, or a session's own over hooks it shares. What is below stays live and stays
 * in force; here hooks can be added, and only those that were added can be taken away again.
 */
import type { Hook } from './hook.ts';
import { type Chain, prepareChain } from './prepare.ts';
import { Registry } from './registry.ts';

interface Merged {
  readonly below: Chain;
  readonly own: Chain;
  readonly chain: Chain;
}

export class LayeredRegistry extends Registry {
  private readonly below: Registry;
  private readonly merged = new Map<string, Merged>();

  constructor(below: Registry, hooks: Iterable<Hook> = []) {
    super(hooks);
    this.below = below;
  }

  override get size(): number {
    return this.below.size + super.size;
  }

  override has(event: string): boolean {
    return this.below.has(event) || super.has(event);
  }

  override events(): string[] {
    return [...new Set([...this.below.events(), ...super.events()])].sort();
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
    const below = this.below.chain(event);
    const own = super.chain(event);
    if (own.hooks.length === 0) return below;
    if (below.hooks.length === 0) return own;
    const known = this.merged.get(event);
    if (known?.below === below && known.own === own) return known.chain;
    const chain = prepareChain(event, [...below.hooks, ...own.hooks]);
    this.merged.set(event, { below, own, chain });
    return chain;
  }
}
