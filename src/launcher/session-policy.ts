/**
 * Which policy decides for a session of an outside agent. It is fixed by digest at the first event. A change made while no
 * call is open takes effect at the next event; one made during a call, or one that takes a layer away, does not: the policy
 * that the session began with stays in force.
 */
import { join, resolve } from 'node:path';
import type { Json } from '../base/index.ts';
import type { Change } from '../engine/index.ts';
import { bootId, type Host } from '../machine/index.ts';
import {
  guards,
  layerPlaces,
  lossBetween,
  openPolicy,
  type Policy,
  type PolicyFacts,
  policyFacts,
} from '../policy/index.ts';
import type { HookOptions } from './hook-options.ts';
import { keepPolicy, keptLayers } from './keep-policy.ts';

/** What a session remembers of its policy. */
interface Remembered extends PolicyFacts {
  /** The digest of a change that is not in force, and why. */
  readonly held: { readonly digest: string; readonly reason: string } | null;
  /** The start of the machine that it was taken in. */
  readonly boot?: string;
}

export const POLICY_KEY = 'launcher/policy';

export type SessionPolicy =
  | {
      readonly policy: Policy;
      /** The digest that decided before, if it is another one. */
      readonly before: string | null;
      /** A change that was found at this event and is not in force. */
      readonly held: { readonly from: string; readonly to: string; readonly reason: string } | null;
      /** What the session has to remember from here on. */
      readonly changes: readonly Change[];
    }
  | { readonly problem: string };

/** The policy as its folders have it now, or why there is none. It writes nothing. */
export async function policyNow(
  { dir, user }: Pick<HookOptions, 'dir' | 'user'>,
  folder: string,
  host: Host,
): Promise<Policy | { readonly problem: string }> {
  const places = layerPlaces(host);
  const root = resolve(folder);
  const policy = await openPolicy(root, {
    host,
    places: user === null ? places : { ...places, user: resolve(user) },
    allowEmpty: dir === null,
  });
  if (dir === null) return policy;
  const project = policy.layers.find((layer) => layer.kind === 'project' && layer.dir === root);
  if (project === undefined) return { problem: `the policy of this project is gone: none in ${root}` };
  const isEmpty = !guards(project) && project.broken === undefined;
  return isEmpty
    ? { problem: `the policy of this project is empty: no hook and no rule in ${root}` }
    : policy;
}

export interface SessionFacts {
  readonly remembered: Json | undefined;
  /** Calls that were let through and have not come back. */
  readonly openCalls: boolean;
  /** Where kept policies lie. */
  readonly folder: string;
  readonly host: Host;
}

export async function sessionPolicy(
  now: Policy | { readonly problem: string },
  { remembered, openCalls, folder, host }: SessionFacts,
): Promise<SessionPolicy> {
  const before = (remembered ?? null) as Remembered | null;
  if (before === null) {
    if ('problem' in now) return now;
    return take(now, null, folder, host);
  }
  const facts = 'problem' in now ? null : policyFacts(now);
  if (facts?.digest === before.digest) {
    return { policy: now as Policy, before: null, held: null, changes: [] };
  }
  const reason = refusal(before, facts, now, openCalls);
  if (reason === null) return take(now as Policy, before.digest, folder, host);
  const held = await hold(before, { digest: facts?.digest ?? 'none', reason }, folder, host);
  // A copy that was not on the disk yet when the power went: the session begins anew, by the policy that is there.
  const isLost = held === null && facts !== null && before.boot !== undefined && before.boot !== bootId();
  if (isLost) return take(now as Policy, before.digest, folder, host);
  const lost = `the policy has changed (${reason}), and the one of this session is no longer there`;
  return held ?? { problem: lost };
}

function refusal(
  before: Remembered,
  facts: PolicyFacts | null,
  now: Policy | { readonly problem: string },
  openCalls: boolean,
): string | null {
  if (facts === null) return 'problem' in now ? now.problem : 'it cannot be read';
  if (before.held?.digest === facts.digest) return before.held.reason;
  return openCalls ? 'it was made while a tool was running' : lossBetween(before, facts);
}

async function take(
  policy: Policy,
  before: string | null,
  folder: string,
  host: Host,
): Promise<SessionPolicy> {
  await keepPolicy(folder, policy, host.uuid());
  const value = { ...policyFacts(policy), held: null, boot: bootId() } as unknown as Json;
  return { policy, before, held: null, changes: [{ op: 'set', key: POLICY_KEY, value }] };
}

/** Null if the copy of the policy is not there, or damaged. */
async function hold(
  before: Remembered,
  held: { readonly digest: string; readonly reason: string },
  folder: string,
  host: Host,
): Promise<SessionPolicy | null> {
  const kept = keptLayers(folder, before.digest);
  if (kept === null) return null;
  const dir = kept.findLast(({ kind }) => kind === 'project')?.dir ?? join(folder, '..');
  const policy = await openPolicy(dir, { host, kept });
  if (policy.digest.digest !== before.digest) return null;
  if (before.held?.digest === held.digest) return { policy, before: null, held: null, changes: [] };
  const value = { ...before, held } as unknown as Json;
  return {
    policy,
    before: null,
    held: { from: before.digest, to: held.digest, reason: held.reason },
    changes: [{ op: 'set', key: POLICY_KEY, value }],
  };
}
