/**
 * Whatever a program has in hand as hooks, as the engine of a session.
 */

import {
  Engine,
  type EngineOptions,
  type Guards,
  type Hook,
  IN_CODE,
  isBuiltIn,
  LayeredRegistry,
  Registry,
  type RunServices,
  type RunSettings,
  RunState,
  type SessionInfo,
} from '../../engine/index.ts';
import { HookRuntime } from '../../frontends/index.ts';
import type { Host } from '../../machine/index.ts';
import { floorHook, type Permissions, type Policy, permissionHook } from '../../policy/index.ts';
import type { SessionState } from './state.ts';

export type HookSource = Engine | HookRuntime | Registry | Iterable<Hook>;

export interface EngineNeeds extends Pick<EngineOptions, 'canAsk' | 'observe' | 'recorder'> {
  readonly host: Host;
  readonly settings: RunSettings;
  readonly session: SessionInfo;
  readonly services: Partial<RunServices>;
  /** The session adds hooks of its own. */
  readonly ownLayer?: boolean;
  /** Where commands run that do not say where. */
  readonly workspace: string | null;
  readonly policy?: Policy;
  readonly permissions?: Permissions;
  /** Where guards count and remember; absent: in memory, for this session alone. */
  readonly guards?: Guards;
}

/** An engine keeps its host and run state. Anything else gets a run state of its own, so that sessions share nothing. */
export function engineFor(source: HookSource, needs: EngineNeeds): Engine {
  const { settings, session, services, host, canAsk, observe, recorder, guards } = needs;
  const own = builtInsFor(source, needs);
  if (source instanceof Engine) {
    const run = runOf(source, needs);
    if (own.length === 0 && run === source.run) return source;
    return source.layered(own, { run, canAsk: source.canAsk });
  }
  const run = new RunState(
    settings,
    session,
    services,
    guards === undefined ? undefined : { ...newShared(), guards },
  );
  if (needs.policy !== undefined) run.origins = needs.policy.originsFor(run);
  return new Engine({
    host,
    ...(canAsk !== undefined && { canAsk }),
    ...(observe !== undefined && { observe }),
    ...(recorder !== undefined && { recorder }),
    canDelegate: true,
    registry: registryFor(source, own, needs),
    run,
  });
}

/** An engine keeps its run state; whom a session works for is the session's to say. */
function runOf({ run }: Engine, { session, guards }: EngineNeeds): RunState {
  const { actor = null, caller } = session;
  if (actor === null && guards === undefined) return run;
  const told = actor === null ? run.session : { ...run.session, actor, ...(caller != null && { caller }) };
  const { metrics, health, cache, origins } = run;
  return new RunState(run.settings, told, run.services, {
    metrics,
    health,
    cache,
    guards: guards ?? run.guards,
    origins,
  });
}

function newShared(): Pick<RunState, 'metrics' | 'health' | 'cache'> {
  return { metrics: new Map(), health: new Map(), cache: new Map() };
}

/** What holds for every session, whether its hooks come with it or not. */
function builtInsFor(source: HookSource, { workspace, policy, permissions }: EngineNeeds): Hook[] {
  const there = (policy?.registry ?? chainOf(source))?.list('tool.pre').some(isBuiltIn) ?? false;
  return [
    ...(there ? [] : [floorHook(workspace)]),
    ...(permissions === undefined ? [] : [permissionHook({ permissions, source: '<code>', layer: IN_CODE })]),
  ];
}

/** A registry that others may share must not get the hooks this session registers at run time. */
function registryFor(
  source: Exclude<HookSource, Engine>,
  own: readonly Hook[],
  { policy, ownLayer = false }: EngineNeeds,
): Registry {
  const given = registryOf(source);
  if (policy === undefined) return own.length > 0 || ownLayer ? new LayeredRegistry(given, own) : given;
  return new LayeredRegistry([policy.registry, given], own);
}

function chainOf(source: HookSource): Registry | null {
  if (source instanceof Engine) return source.registry;
  return source instanceof Registry ? source : null;
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
