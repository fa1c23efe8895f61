/**
 * Policies that are open, one for each folder, scope and environment. One is used again only while every file it was read from,
 * and every place that could add to it, is as it was before it was read; the look that tells is taken at every call.
 */
import { hash } from 'node:crypto';
import { CANARY_VARIABLE } from '../../adapters/canary.ts';
import type { Host } from '../../base/host.ts';
import { isBuiltIn } from '../../hooks/layer.ts';
import type { Policy } from '../../policy/policy.ts';
import { isSettled, lookAt } from '../../policy/policy-look.ts';
import type { Problem } from '../hook/problem.ts';
import { policyNow } from '../hook/session-policy.ts';
import type { PolicyScope } from '../hook/surroundings.ts';
import { Declined } from './declined.ts';

const MOST = 32;

/** File systems count time in steps: of two changes within one, the second does not show. So long nothing may have changed. */
const SETTLED_MS = 100;

/** Files that change while they are read: after so many rounds the caller reads them for itself. */
const ROUNDS = 3;

/** What these front ends read only computes. Others start programs or load modules, which a long-lived process must not. */
const SANDBOXED: ReadonlySet<string> = new Set(['markdown', 'patterns', 'packs', 'project']);

interface Warm {
  readonly policy: Policy;
  readonly seen: string;
}

export class WarmPolicies {
  private readonly warm = new Map<string, Warm>();
  /** What is being read, until it is. */
  private readonly opening = new Map<string, Promise<void>>();

  get size(): number {
    return this.warm.size;
  }

  /** Problems are not kept: they are looked for again at each call. */
  async open(scope: PolicyScope, root: string, host: Host): Promise<Policy | Problem> {
    const key = keyOf(scope, root, host);
    for (;;) {
      const known = this.stillTrue(key, host);
      if (known !== null) return known;
      const under = this.opening.get(key);
      if (under === undefined) break;
      // A thousand calls at once read it once. What comes of it is looked at anew: a change may have come before this call.
      await under;
    }
    const read = this.read(key, scope, root, host);
    const over = read.then(
      () => {},
      () => {},
    );
    this.opening.set(key, over);
    void over.then(() => this.opening.delete(key));
    return read;
  }

  private stillTrue(key: string, host: Host): Policy | null {
    const known = this.warm.get(key);
    if (known === undefined || lookAt(known.policy, host) !== known.seen) return null;
    // The least used is the first to go.
    this.warm.delete(key);
    this.warm.set(key, known);
    return known.policy;
  }

  private async read(key: string, scope: PolicyScope, root: string, host: Host): Promise<Policy | Problem> {
    const known = this.warm.get(key);
    this.warm.delete(key);
    let before: Policy | Problem = known?.policy ?? (await policyNow(scope, root, host));
    for (let round = 0; round < ROUNDS; round++) {
      if ('problem' in before) return before;
      const seen = lookAt(before, host);
      // Read after the look: a change from then on shows at the next one.
      const policy: Policy | Problem = await policyNow(scope, root, host);
      if ('problem' in policy) return policy;
      if (sourcesOf(policy) === sourcesOf(before)) {
        if (isSettled(seen, host.now(), SETTLED_MS)) this.keep(key, { policy, seen });
        return policy;
      }
      before = policy;
    }
    throw new Declined('the policy is being changed');
  }

  private keep(key: string, warm: Warm): void {
    this.warm.set(key, warm);
    if (this.warm.size > MOST) this.warm.delete(this.warm.keys().next().value!);
  }
}

/** Throws for a policy that runs programs or modules. */
export function demandSandboxed(policy: Policy): void {
  const other = policy.hooks.find((hook) => !isBuiltIn(hook) && !SANDBOXED.has(hook.frontEnd.name));
  if (other !== undefined) throw new Declined(`hook ${other.name} may start programs or load modules`);
}

/** With the whole environment: what of it a policy hangs on is not known here. Only a canary is no part of it. */
function keyOf({ dir, user }: PolicyScope, root: string, host: Host): string {
  let digest = environments.get(host);
  if (digest === undefined) {
    const variables = Object.entries(host.variables())
      .filter(([name]) => name !== CANARY_VARIABLE)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    digest = hash('sha256', JSON.stringify(variables), 'hex');
    environments.set(host, digest);
  }
  return JSON.stringify([dir, user, root, digest]);
}

/** The environment of a host is what it was when it began. */
const environments = new WeakMap<Host, string>();

function sourcesOf({ layers, places }: Policy): string {
  return JSON.stringify([places, layers.map(({ dir, project }) => [dir, project.files])]);
}
