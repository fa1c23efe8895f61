/**
 * The hooks of a project, by event. Adding one returns its own remover; what a dispatch has taken out of the registry
 * stays as it was, so every change takes effect with the next dispatch.
 */
import { HarnessError } from '../base/errors.ts';
import { CATALOG } from '../events/catalog.ts';
import { requireEvent } from '../events/describe.ts';
import type { Hook } from './hook.ts';
import { ORIGINS } from './hook-limits.ts';
import { type Chain, prepareChain } from './prepare.ts';

/** One registration. The same hook may be registered twice; each has its own. */
interface Seat {
  readonly hook: Hook;
  /** Came with a whole set, and goes when another set takes its place. */
  readonly ofSet: boolean;
}

export class Registry {
  private readonly seats = new Map<string, Set<Seat>>();
  private readonly chains = new Map<string, Chain>();

  constructor(hooks: Iterable<Hook> = []) {
    for (const hook of hooks) this.place(hook, true);
  }

  /** How many hooks there are. */
  get size(): number {
    let count = 0;
    for (const seats of this.seats.values()) count += seats.size;
    return count;
  }

  /** Registers a hook and returns its remover, which may be called more than once. */
  add(hook: Hook): () => void {
    return this.place(hook, false);
  }

  /**
   * Puts a new set in place of the one before, which the constructor or this method brought: all of it or, if one hook is
   * refused, none. Hooks that were added one by one stay: a reload of files must not switch off a guard in code.
   */
  replaceAll(hooks: Iterable<Hook>): void {
    const fresh = new Registry(hooks);
    for (const seats of this.seats.values()) {
      for (const seat of seats) if (seat.ofSet) seats.delete(seat);
    }
    for (const [event, seats] of fresh.seats)
      this.seats.set(event, new Set([...seats, ...(this.seats.get(event) ?? [])]));
    this.chains.clear();
  }

  /** Removes the first hook of that name from the event's chain. False where there is none. */
  unregister(name: string, event: string): boolean {
    const first = this.list(event).find((hook) => hook.name === name);
    for (const seat of this.seats.get(event) ?? []) {
      if (seat.hook === first) return this.drop(event, seat);
    }
    return false;
  }

  /** Removes the hooks of one event, or all. */
  clear(event?: string): void {
    if (event === undefined) {
      this.seats.clear();
      this.chains.clear();
    } else {
      this.seats.delete(event);
      this.chains.delete(event);
    }
  }

  has(event: string): boolean {
    return (this.seats.get(event)?.size ?? 0) > 0;
  }

  /** The hooks of an event in the order they run, as they are now; of all events, one chain after the other. */
  list(event?: string): readonly Hook[] {
    if (event !== undefined) return this.chain(event).hooks;
    return [...this.seats.keys()].sort().flatMap((name) => this.chain(name).hooks);
  }

  /** The events somebody listens to. */
  events(): string[] {
    return [...this.seats.keys()].filter((event) => this.has(event)).sort();
  }

  /** The chain of a canonical event, if it has been prepared since the event's hooks last changed. */
  prepared(event: string): Chain | undefined {
    return this.chains.get(event);
  }

  /** The chain of a canonical event. Throws for a name the catalog does not have. */
  chain(event: string): Chain {
    const known = this.chains.get(event);
    if (known !== undefined) return known;
    const hooks = Array.from(this.seats.get(event) ?? [], (seat) => seat.hook);
    const chain = prepareChain(event, hooks);
    // Custom names without hooks are not kept: scripts may make up any number of them.
    if (hooks.length > 0 || Object.hasOwn(CATALOG, event)) this.chains.set(event, chain);
    return chain;
  }

  private place(hook: Hook, ofSet: boolean): () => void {
    const seat: Seat = { hook: admit(hook), ofSet };
    const { event } = hook;
    const seats = this.seats.get(event);
    if (seats === undefined) this.seats.set(event, new Set([seat]));
    else seats.add(seat);
    this.chains.delete(event);
    return () => this.drop(event, seat);
  }

  private drop(event: string, seat: Seat): boolean {
    const seats = this.seats.get(event);
    if (seats === undefined || !seats.delete(seat)) return false;
    this.chains.delete(event);
    return true;
  }
}

/** Words that decide whether a hook counts. One that is none of them would switch it off without a sign. */
const WORDS = {
  mode: ['enforce', 'warn', 'shadow'],
  onError: ['block', 'allow', 'throw'],
  onWhenError: ['skip', 'block'],
  origin: Object.keys(ORIGINS),
} as const satisfies { readonly [K in keyof Hook]?: readonly string[] };

/** The hook as its origin lets it in. */
function admit(hook: Hook): Hook {
  requireEvent(hook.event);
  for (const [key, words] of Object.entries(WORDS) as [keyof typeof WORDS, readonly string[]][]) {
    if (words.includes(hook[key])) continue;
    throw new HarnessError(
      'HOOK_REFUSED',
      `hook "${hook.name}": ${key} wants ${words.join(', ')}; came ${String(hook[key])}`,
    );
  }
  const { floor, barred } = ORIGINS[hook.origin];
  if (barred.includes(hook.event)) {
    throw new HarnessError(
      'HOOK_REFUSED',
      `hook "${hook.name}": a hook of origin ${hook.origin} may not listen to ${hook.event}`,
    );
  }
  if (!Number.isFinite(hook.priority) || !Number.isFinite(hook.position)) {
    throw new HarnessError(
      'HOOK_REFUSED',
      `hook "${hook.name}": priority and position must be finite numbers`,
    );
  }
  return hook.priority < floor ? { ...hook, priority: floor } : hook;
}
