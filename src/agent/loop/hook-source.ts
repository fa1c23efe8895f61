/**
 * Whatever a program has in hand as hooks, as the engine of a session.
 */
import type { Host } from '../../base/host.ts';
import { HookRuntime } from '../../frontends/code/registry/runtime.ts';
import { Engine, type EngineOptions } from '../../hooks/engine.ts';
import type { Hook } from '../../hooks/hook.ts';
import { LayeredRegistry } from '../../hooks/layered-registry.ts';
import { Registry } from '../../hooks/registry.ts';
import { type RunServices, type RunSettings, RunState, type SessionInfo } from '../../hooks/run-state.ts';
import type { SessionState } from './state.ts';

export type HookSource = Engine | HookRuntime | Registry | Iterable<Hook>;

export interface EngineNeeds extends Pick<EngineOptions, 'canAsk' | 'observe' | 'recorder'> {
  readonly host: Host;
  readonly settings: RunSettings;
  readonly session: SessionInfo;
  readonly services: Partial<RunServices>;
  /** The session adds hooks of its own. */
  readonly ownLayer?: boolean;
}

/** An engine is used as it is. Anything else gets an engine with a run state of its own, so that sessions share nothing. */
export function engineFor(
  source: HookSource,
  { settings, session, services, ownLayer = false, ...needs }: EngineNeeds,
): Engine {
  if (source instanceof Engine) return source;
  const registry = registryOf(source);
  return new Engine({
    ...needs,
    canDelegate: true,
    // A registry that others may share must not get the hooks this session registers at run time.
    registry: ownLayer ? new LayeredRegistry(registry) : registry,
    run: new RunState(settings, session, services),
  });
}

/** The host the hooks were made with, if they were made with one. */
export function hostOf(source: HookSource): Host | undefined {
  if (source instanceof Engine) return source.host;
  return source instanceof HookRuntime ? source.engine.host : undefined;
}

function registryOf(source: Exclude<HookSource, Engine>): Registry {
  if (source instanceof Registry) return source;
  return source instanceof HookRuntime ? source.registry.chain : new Registry(source);
}

/**
 * The engine of a sub-agent: the parent's hooks as they come and go, and its own. It counts and caches with the parent, so
 * that what a guard remembers holds for both; turn values and logs are its own.
 */
export function engineBelow(
  { state, hooks }: { readonly state: Pick<SessionState, 'engine'>; readonly hooks: readonly Hook[] },
  { session, services, canAsk, observe }: EngineNeeds,
): Engine {
  const above = state.engine.run;
  const run = new RunState(above.settings, session, { ...above.services, ...services }, above);
  return state.engine.layered(hooks, { run, canAsk: canAsk ?? false, ...(observe && { observe }) });
}
