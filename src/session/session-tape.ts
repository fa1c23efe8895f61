/** The tape of a governed session: opened from its policy, in the same way by every host. */
import { basename, dirname, resolve } from 'node:path';
import { ENGINE } from '../base/index.ts';
import { type Host, machineHost } from '../machine/index.ts';
import {
  layerPlaces,
  type Policy,
  readFleetCheck,
  registerTapes,
  type TapeSettings,
} from '../policy/index.ts';
import {
  FileTapeStore,
  type FileTapeStoreOptions,
  type OpenTape,
  type OpenTapeOptions,
  openTape,
  type TapeStore,
  tapeOptions,
} from '../tape/index.ts';
import { RUNS } from './records-folder.ts';

export interface SessionTapeOptions
  extends Pick<OpenTapeOptions, 'session' | 'lastPolicy' | 'shared' | 'deferred' | 'after' | 'onBroken'> {
  /** A file, or a store that several processes append to. */
  readonly target: string | TapeStore;
  /** Which host fires the events, for the header. */
  readonly firedBy: string;
  /** The file of the key to sign with; default: that of the policy. */
  readonly sign?: string | undefined;
  /** The host whose clock and secrets count; default: the policy's. */
  readonly host?: OpenTapeOptions['host'];
}

/** What a policy says of its tapes, for a store of them: a file has the same as options of its own. */
export function storeOptions(settings: TapeSettings): Pick<FileTapeStoreOptions, 'sync' | 'sign'> {
  const { acknowledge, sign } = tapeOptions(settings);
  return { sync: acknowledge === 'synced', ...(sign !== undefined && { sign }) };
}

export function openSessionTape(policy: Policy, options: SessionTapeOptions): OpenTape {
  const { target, sign, host = policy.host, ...rest } = options;
  const runs = runsOf(target);
  if (runs !== null) registerTapes(runs, machineHost);
  const tape = openTape(target, {
    ...rest,
    host,
    hooks: policy.hooks,
    policy: policy.digest,
    engine: ENGINE,
    ...tapeOptions(policy.settings.tape, sign),
  });
  // Of a session that begins: one that goes on has it on its tape.
  if (rest.after === undefined) noteRefusedPolicy(tape, policy.host);
  return tape;
}

/** Why this machine does not take what its fleet offers: the policy in force is an older one. */
function noteRefusedPolicy(tape: OpenTape, host: Pick<Host, 'env'>): void {
  const { fleet } = layerPlaces(host);
  for (const place of [fleet?.managed, fleet?.user]) {
    const check = place ? readFleetCheck(place) : null;
    if (check !== null && check.problem !== null)
      tape.note('fleet_policy_refused', { problem: check.problem, since: check.problemSince });
  }
}

/** The folder of runs that a tape stands in. A tape that a person put elsewhere is theirs alone. */
function runsOf(target: string | TapeStore): string | null {
  const folder =
    typeof target === 'string'
      ? dirname(resolve(target))
      : target instanceof FileTapeStore
        ? target.dir
        : null;
  return folder !== null && basename(folder) === basename(RUNS) ? resolve(folder) : null;
}
