/**
 * Engines over one policy, one a session by its id, for a host that decides for many. Cache and counters of
 * the sessions that were used last stay in memory; what guards count is in the store.
 */
import { BoundedMap } from '../base/index.ts';
import type { Engine, Recorder } from '../engine/index.ts';
import type { Policy } from './policy.ts';

const MOST = 1000;

export class SessionEngines {
  private readonly engines = new BoundedMap<string, Engine>(MOST);
  private readonly policy: Policy;
  private readonly recorder: Recorder | undefined;

  constructor(policy: Policy, recorder: Recorder | undefined) {
    this.policy = policy;
    this.recorder = recorder;
  }

  of(session: string): Engine {
    return this.engines.useOrMake(session, () => {
      const recorder = this.recorder === undefined ? {} : { recorder: this.recorder };
      return this.policy.engine({ run: this.policy.newRun({ id: session }), canAsk: true, ...recorder });
    });
  }

  clear(): void {
    this.engines.clear();
  }
}
