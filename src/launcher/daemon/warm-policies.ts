/**
 * Policies that are open, one for each folder, scope and environment. One is used again only while every file it was read from,
 * and every place that could add to it, is as it was before it was read; the look that tells is taken at every call.
 */

import { hash } from 'node:crypto';
import { CANARY_VARIABLE } from '../../agents/index.ts';
import type { Host } from '../../machine/index.ts';
import { type FoundPaths, fullFingerprint, type Policy } from '../../policy/index.ts';
import type { PolicyScope } from '../decision-context.ts';
import type { LaunchProblem } from '../problem.ts';
import { policyNow } from '../session-policy.ts';
import { IdleMap } from './idle-map.ts';

const MOST = 32;

/** Files that change while they are read: after so many rounds the policy serves this call, and the next one reads it again. */
const ROUNDS = 3;

interface Warm {
  readonly policy: Policy;
  readonly found: FoundPaths;
}

export class WarmPolicies {
  private readonly warm = new IdleMap<Warm>(MOST);
  /** What is being read, until it is. */
  private readonly opening = new Map<string, Promise<void>>();

  get size(): number {
    return this.warm.size;
  }

  /** Problems are not kept: they are looked for again at each call. */
  async open(scope: PolicyScope, root: string, host: Host): Promise<Policy | LaunchProblem> {
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
    const known = this.warm.use(key);
    return known?.found.isUnchanged(host.now()) === true ? known.policy : null;
  }

  private async read(
    key: string,
    scope: PolicyScope,
    root: string,
    host: Host,
  ): Promise<Policy | LaunchProblem> {
    const known = this.warm.get(key);
    this.warm.delete(key);
    let before: Policy | LaunchProblem = known?.policy ?? (await policyNow(scope, root, host));
    for (let round = 0; round < ROUNDS; round++) {
      if ('problem' in before) return before;
      const found = fullFingerprint(before, host);
      // Read after the look: a change from then on shows at the next one.
      const policy: Policy | LaunchProblem = await policyNow(scope, root, host);
      if ('problem' in policy) return policy;
      if (sourcesOf(policy) === sourcesOf(before)) {
        if (found.isSettled(host.now())) this.warm.set(key, { policy, found });
        return policy;
      }
      before = policy;
    }
    return before;
  }

  /** Drops the policies that nobody asked since the last sweep, with the environments they were opened in. */
  sweep(): void {
    this.warm.sweep();
  }
}

/**
 * Why a policy cannot be decided by here, or null: a module reads the environment and the modules it imports from the process it
 * runs in, and in this process both would be old.
 */
export function moduleProblem({ hooks }: Policy): LaunchProblem | null {
  const module = hooks.find(({ frontEnd }) => frontEnd.runsInProgram);
  return module === undefined
    ? null
    : { problem: `hook ${module.name} is a module of the launcher's process` };
}

/** With the whole environment: what of it a policy hangs on is not known here. Only a canary is no part of it. */
function keyOf({ dir, user, managed }: PolicyScope, root: string, host: Host): string {
  let digest = environments.get(host);
  if (digest === undefined) {
    const variables = Object.entries(host.variables())
      .filter(([name]) => name !== CANARY_VARIABLE)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    digest = hash('sha256', JSON.stringify(variables), 'hex');
    environments.set(host, digest);
  }
  return JSON.stringify([dir, user, managed === true, root, digest]);
}

/** The environment of a host is what it was when it began. */
const environments = new WeakMap<Host, string>();

function sourcesOf({ layers, places }: Policy): string {
  return JSON.stringify([places, layers.map(({ dir, project }) => [dir, project.files])]);
}
