/**
 * Whatever a program has in hand as hooks, as the engine of a session.
 */
import type { Host } from '../base/host.ts';
import { HookRuntime } from '../frontends/code/loom/runtime.ts';
import { Engine, type EngineOptions } from '../hooks/engine.ts';
import type { Hook } from '../hooks/hook.ts';
import { Registry } from '../hooks/registry.ts';
import { type RunSettings, RunState, type SessionInfo } from '../hooks/run-state.ts';

export type HookSource = Engine | HookRuntime | Registry | Iterable<Hook>;

export interface EngineNeeds extends Pick<EngineOptions, 'canAsk' | 'observe'> {
  readonly host: Host;
  readonly settings: RunSettings;
  readonly session: SessionInfo;
}

/** An engine is used as it is. Anything else gets an engine with a run state of its own, so that sessions share nothing. */
export function engineFor(source: HookSource, { settings, session, ...needs }: EngineNeeds): Engine {
  if (source instanceof Engine) return source;
  return new Engine({ ...needs, registry: registryOf(source), run: new RunState(settings, session) });
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
