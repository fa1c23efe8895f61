/**
 * A policy that is kept open in the heap of a snapshot. It is used again only while a look at everything it stands on says what
 * it said when it was put away, and while every variable that was asked for on the way has the value it had then.
 */
import { resolve } from 'node:path';
import { type Host, machineHost } from '../../base/host.ts';
import { layerPlaces } from '../../policy/layers.ts';
import type { Policy } from '../../policy/policy.ts';
import { isSettled, lookAt } from '../../policy/policy-look.ts';
import { demandSandboxed } from '../daemon/warm-policies.ts';
import { keptByBuild } from '../hook/kept.ts';
import { policyNow } from '../hook/session-policy.ts';
import { forgetSnapshot, markUsed } from './place.ts';

/** Absolute paths, as the registered line has them. */
export interface HeldScope {
  readonly dir: string;
  readonly user: string | null;
}

export interface HeldPolicy {
  readonly scope: HeldScope;
  readonly policy: Policy;
  readonly seen: string;
  readonly variables: ReadonlyMap<string, string | undefined>;
}

/** File systems count time in steps: of two changes within one, the second does not show. */
const SETTLED_MS = 100;

/** Throws for a policy that cannot be put away. */
export async function openHeld(scope: HeldScope): Promise<HeldPolicy> {
  const variables = new Map<string, string | undefined>();
  const host: Host = {
    ...machineHost,
    env: (name) => {
      const value = machineHost.env(name);
      variables.set(name, value);
      return value;
    },
  };
  // What was made of its files before is taken: then nothing that reads or compiles them is in the heap.
  const kept = keptByBuild(machineHost);
  const first = await policyNow(scope, scope.dir, host, kept);
  if ('problem' in first) throw new Error(first.problem);
  const seen = lookAt(first, host);
  // Read after the look: a change from then on shows at the next one.
  const policy = await policyNow(scope, scope.dir, host, kept);
  if ('problem' in policy) throw new Error(policy.problem);
  if (!isSettled(seen, host.now(), SETTLED_MS)) throw new Error('the policy is being changed');
  demandSandboxed(policy);
  if (policy.settings.sandbox !== null)
    throw new Error('what a sandbox can be made of is looked at each time');
  // A directory that was down while the snapshot was made would be down in every process that starts from it.
  if (policy.layers.some(({ project }) => project.settings.tables.length > 0))
    throw new Error('tables from elsewhere are fetched by the process that decides');
  return { scope, policy, seen, variables };
}

let held: HeldPolicy | null = null;
/** Looked at once in a process: one decision does not stand on two looks. */
let current: boolean | null = null;

/** From here on this process has it at hand. */
export function holdPolicy(policy: HeldPolicy): void {
  held = policy;
  current = null;
}

/** The policy that is held for a folder, if it is still what it was. */
export function heldFor(dir: string, user: string | null = layerPlaces(machineHost).user): Policy | null {
  if (held === null || resolve(dir) !== held.scope.dir) return null;
  const wanted = held.scope.user ?? layerPlaces(machineHost).user;
  if (user !== wanted) return null;
  current ??= isCurrent(held);
  return current ? held.policy : null;
}

function isCurrent({ scope, policy, seen, variables }: HeldPolicy): boolean {
  for (const [name, value] of variables) if (machineHost.env(name) !== value) return false;
  if (lookAt(policy, machineHost) === seen) {
    markUsed(machineHost, scope.dir);
    return true;
  }
  forgetSnapshot(scope.dir);
  return false;
}
