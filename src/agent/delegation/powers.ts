/**
 * What a session can do beyond its own loop, handed to the code that acts in it: start sub-agents, call tools for scripts, change
 * itself. A table of functions, because each of these needs parts of the loop that in turn need these.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import type { Scope } from '../loop/state.ts';
import type { Provider } from '../provider.ts';
import type { Session, SessionOptions } from '../session.ts';
import type { DelegationChain } from './chain.ts';
import type { Delegated } from './delegate.ts';
import type { Augmentation } from './meta/augmentation.ts';

export interface ServedModel {
  readonly provider: Provider;
  /** As requests name it. */
  readonly model: string;
}

export interface Powers {
  readonly spawn: (options: SessionOptions) => Session;
  /** Who serves another model; null or absent: the provider there is, under the name as it is written. */
  readonly providerFor: ((model: string) => Promise<ServedModel | null> | ServedModel | null) | undefined;
  readonly delegate: (scope: Scope, request: Json, chain: DelegationChain | null) => Promise<Delegated>;
  readonly callTool: (scope: Scope, name: string, args: JsonObject) => Promise<string>;
  /** Null if the agent may not change itself. */
  readonly augmentation: Augmentation | null;
}
