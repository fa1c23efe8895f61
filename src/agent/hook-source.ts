/**
 * Whatever a program has in hand as hooks or reminders, as the session needs it: one engine, one store.
 */
import type { Host } from '../base/host.ts';
import { Engine } from '../hooks/engine.ts';
import type { Hook } from '../hooks/hook.ts';
import { Registry } from '../hooks/registry.ts';
import { ReminderStore } from '../hooks/reminders/store.ts';
import { type RunSettings, RunState, type SessionInfo } from '../hooks/run-state.ts';

/** A registry in code with its runtime, such as `HookRuntime`: the session dispatches through its chain. */
export interface RuntimeLike {
  readonly chain: Registry;
  readonly reminders?: ReminderSource;
}

export type HookSource = Engine | Registry | RuntimeLike | Iterable<Hook>;

/** A store, or a face of one, such as `ReminderInjector`. */
export type ReminderSource = ReminderStore | { readonly store: ReminderStore };

export interface EngineNeeds {
  readonly host: Host;
  readonly canAsk: boolean;
  readonly settings: RunSettings;
  readonly session: SessionInfo;
}

export function engineFor(source: HookSource | undefined, needs: EngineNeeds): Engine {
  if (source instanceof Engine) return source;
  const run = new RunState(needs.settings, needs.session);
  return new Engine({ registry: registryOf(source ?? []), host: needs.host, run, canAsk: needs.canAsk });
}

/** Notes a runtime would leave elsewhere than the session looks would be lost, so its own store counts if none is given. */
export function remindersFor(
  given: ReminderSource | undefined,
  hooks: HookSource | undefined,
  agentId: string,
): ReminderStore {
  if (given !== undefined) return given instanceof ReminderStore ? given : given.store;
  if (hooks !== undefined && 'chain' in hooks && !(hooks instanceof Registry) && hooks.reminders !== undefined) {
    return remindersFor(hooks.reminders, undefined, agentId);
  }
  return new ReminderStore({ agentId });
}

function registryOf(source: Exclude<HookSource, Engine>): Registry {
  if (source instanceof Registry) return source;
  return 'chain' in source ? source.chain : new Registry(source);
}
