/**
 * How built-ins with an effect reach the call they belong to. A module's top level is tried once at load, where there is
 * no call to reach: the try ends there, and the module is run anew for each call instead of being shared.
 */

import type { JsonObject } from '../../base/index.ts';
import type { HookCall, HookLayer, PolicyContents } from '../../engine/index.ts';
import { StarlarkError, type Thread } from '../../starlark/index.ts';

/** What built-ins need of the call of a hook or of a tool. */
export type ScriptCall = Pick<
  HookCall,
  'host' | 'run' | 'signal' | 'timeoutMs' | 'emit' | 'log' | 'effect' | 'who'
> & {
  /** Who the script belongs to, for effects that say who left them. */
  readonly hook: {
    readonly name: string;
    readonly layer?: HookLayer;
    readonly source?: string;
    readonly origin?: string;
    readonly stateGroup?: string;
    readonly contents?: PolicyContents;
  };
  /** Of a hook: the event it hears, and where what it takes from limits is kept until that is settled. */
  readonly event?: string;
  readonly addReservation?: HookCall['addReservation'];
  readonly fetched?: HookCall['fetched'];
  /** Hosts the script may reach over HTTP; absent: those of the run. */
  readonly domains?: readonly string[];
  /** Of the dispatch, for hooks. */
  readonly depth?: number;
  /** Calls a tool of the agent; absent: hooks find the agent in the services of the run. */
  readonly callTool?: (name: string, args: JsonObject) => Promise<string>;
};

/** The host of a try at load. */
export class LoadProbe {
  /** The top level wanted something only a call has. */
  touched = false;

  touch(): never {
    this.touched = true;
    throw new StarlarkError('cancelled', 'the top level of the script needs a call');
  }
}

export function scriptCallOf(thread: Thread): ScriptCall {
  const { host } = thread;
  // Asked for by what it has: `instanceof` follows the prototypes of every call to say no.
  if ((host as Partial<LoadProbe> | undefined)?.touch !== undefined) (host as LoadProbe).touch();
  // A step each, so that a call that has been given up cannot go on to leave effects.
  thread.spend(1);
  return host as ScriptCall;
}
