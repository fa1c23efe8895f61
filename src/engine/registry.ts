/**
 * The hooks of a project, by event. Adding one returns its own remover; what a dispatch has taken out of the registry
 * stays as it was, so every change takes effect with the next dispatch.
 */
import { HarnessError } from '../base/index.ts';
import { CATALOG } from './catalog.ts';
import { type Chain, prepareChain } from './chain.ts';
import { requireEvent } from './describe.ts';
import type { Hook } from './hook.ts';
import { ORIGINS } from './hook-limits.ts';
import { isBuiltIn } from './layer.ts';
import { compareHooks } from './pipeline.ts';

/** One registration. The same hook may be registered twice; each has its own. */
interface Registration {
  readonly hook: Hook;
  /** Came with a whole set, and goes when another set takes its place. */
  readonly ofSet: boolean;
}

export class Registry {
  private readonly registered = new Map<string, Set<Registration>>();
  private readonly chains = new Map<string, Chain>();

  constructor(hooks: Iterable<Hook> = []) {
    for (const hook of hooks) this.place(hook, true);
  }

  /** How many hooks there are. */
  get size(): number {
    let count = 0;
    for (const registrations of this.registered.values()) count += registrations.size;
    return count;
  }

  /** Registers a hook and returns its remover, which may be called more than once. */
  add(hook: Hook): () => void {
    return this.place(hook, false);
  }

  /**
   * Puts a new set in place of the one before, which the constructor or this method brought: all of it or, if one hook is
   * refused, none. Hooks that were added one by one stay: a reload of files must not switch off a guard in code. Built-in
   * hooks stay unless the new set brings its own.
   */
  replaceAll(hooks: Iterable<Hook>): void {
    const fresh = new Registry(hooks);
    const bringsOwn = fresh.list().some(isBuiltIn);
    for (const registrations of this.registered.values()) {
      for (const one of registrations)
        if (one.ofSet && (bringsOwn || !isBuiltIn(one.hook))) registrations.delete(one);
    }
    for (const [event, registrations] of fresh.registered)
      this.registered.set(event, new Set([...registrations, ...(this.registered.get(event) ?? [])]));
    this.chains.clear();
  }

  /** Removes the first hook of that name that is registered here from the event's chain. False where there is none. */
  unregister(name: string, event: string): boolean {
    const named = [...(this.registered.get(event) ?? [])].filter(
      ({ hook }) => hook.name === name && !isBuiltIn(hook),
    );
    const [first] = named.sort((a, b) => compareHooks(a.hook, b.hook));
    return first !== undefined && this.drop(event, first);
  }

  /** Removes the hooks of one event, or all; built-in ones stay. */
  clear(event?: string): void {
    for (const name of event === undefined ? [...this.registered.keys()] : [event]) {
      for (const one of this.registered.get(name) ?? []) if (!isBuiltIn(one.hook)) this.drop(name, one);
    }
  }

  has(event: string): boolean {
    return (this.registered.get(event)?.size ?? 0) > 0;
  }

  /** The hooks of an event in the order they run, as they are now; of all events, one chain after the other. */
  list(event?: string): readonly Hook[] {
    if (event !== undefined) return this.chain(event).hooks;
    return [...this.registered.keys()].sort().flatMap((name) => this.chain(name).hooks);
  }

  /** The events somebody listens to. */
  events(): string[] {
    return [...this.registered.keys()].filter((event) => this.has(event)).sort();
  }

  /** The chain of a canonical event, if it has been prepared since the event's hooks last changed. */
  prepared(event: string): Chain | undefined {
    return this.chains.get(event);
  }

  /** The chain of a canonical event. Throws for a name the catalog does not have. */
  chain(event: string): Chain {
    const known = this.chains.get(event);
    if (known !== undefined) return known;
    const hooks = Array.from(this.registered.get(event) ?? [], (registration) => registration.hook);
    const chain = prepareChain(event, hooks);
    // Custom names without hooks are not kept: scripts may make up any number of them.
    if (hooks.length > 0 || Object.hasOwn(CATALOG, event)) this.chains.set(event, chain);
    return chain;
  }

  private place(hook: Hook, ofSet: boolean): () => void {
    const registration: Registration = { hook: admit(hook), ofSet };
    const { event } = hook;
    const registrations = this.registered.get(event);
    if (registrations === undefined) this.registered.set(event, new Set([registration]));
    else registrations.add(registration);
    this.chains.delete(event);
    return () => this.drop(event, registration);
  }

  private drop(event: string, registration: Registration): boolean {
    const registrations = this.registered.get(event);
    if (registrations === undefined || !registrations.delete(registration)) return false;
    this.chains.delete(event);
    return true;
  }
}

/** Words that decide whether a hook counts. One that is none of them would switch it off without a sign. */
const HOOK_ENUMS = {
  mode: ['enforce', 'warn', 'shadow'],
  onError: ['block', 'allow', 'throw'],
  onWhenError: ['skip', 'block'],
  origin: Object.keys(ORIGINS),
} as const satisfies { readonly [K in keyof Hook]?: readonly string[] };

/** The hook as its origin lets it in. */
function admit(hook: Hook): Hook {
  requireEvent(hook.event);
  for (const [key, words] of Object.entries(HOOK_ENUMS) as [keyof typeof HOOK_ENUMS, readonly string[]][]) {
    if (words.includes(hook[key])) continue;
    throw new HarnessError(
      'HOOK_REFUSED',
      `hook "${hook.name}": ${key} wants ${words.join(', ')}; got ${String(hook[key])}`,
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
