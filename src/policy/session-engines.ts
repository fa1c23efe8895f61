/**
 * Engines over one policy, one a session by its id, for a host that decides for many. Held are the cache and the counters of
 * those that were asked for last; what guards keep is in the store, and stays.
 */
import type { Engine } from '../hooks/engine.ts';
import type { Recorder } from '../hooks/recorder.ts';
import type { Policy } from './policy.ts';

const MOST = 1000;

export class SessionEngines {
  private readonly engines = new Map<string, Engine>();
  private readonly policy: Policy;
  private readonly recorder: Recorder | undefined;

  constructor(policy: Policy, recorder: Recorder | undefined) {
    this.policy = policy;
    this.recorder = recorder;
  }

  of(session: string): Engine {
    const known = this.engines.get(session);
    if (known !== undefined && this.engines.size < MOST) return known;
    const run = () => this.policy.newRun({ id: session });
    const recorder = this.recorder === undefined ? {} : { recorder: this.recorder };
    const engine = known ?? this.policy.engine({ run: run(), canAsk: true, ...recorder });
    // Put behind all others: the one that was asked for longest ago goes first.
    this.engines.delete(session);
    this.engines.set(session, engine);
    if (this.engines.size > MOST) this.engines.delete(this.engines.keys().next().value!);
    return engine;
  }

  clear(): void {
    this.engines.clear();
  }
}
