/**
 * Which policy decides for a session of an outside agent. It is fixed by digest at the first event. A change that is at least as
 * strict takes effect at the next event; any other waits, and the policy that the session began with stays in force, until a
 * person accepts the change.
 */
import { join, resolve } from 'node:path';
import { digestOf, type Json } from '../base/index.ts';
import type { Change } from '../engine/index.ts';
import { bootMark, type Host, isOfEarlierBoot } from '../machine/index.ts';
import {
  askToAccept,
  guards,
  isAccepted,
  layerPlaces,
  looseningBetween,
  openPolicy,
  type Policy,
} from '../policy/index.ts';
import type { PolicyScope } from './decision-context.ts';
import { loadPolicyCopy, savePolicyCopy } from './keep-policy.ts';

/** What a session remembers of its policy. */
interface Remembered {
  readonly digest: string;
  /** Of its files: another engine makes another digest of the same ones. */
  readonly files: string;
  readonly held: PendingChange | null;
  /** The start of the machine that it was taken in. */
  readonly boot?: string;
}

/** A change that is not in force. */
interface PendingChange {
  readonly digest: string;
  readonly reason: string;
  /** Of the question to a person; null if it could not be asked. */
  readonly question: string | null;
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
  { dir, user, managed }: PolicyScope,
  folder: string,
  host: Host,
  { oneCall = false } = {},
): Promise<Policy | { readonly problem: string }> {
  const places = layerPlaces(host);
  const root = resolve(folder);
  const policy = await openPolicy(root, {
    host,
    places: user === null ? places : { ...places, user: resolve(user) },
    allowEmpty: dir === null,
    oneCall,
  });
  const [kind, at] = managed === true ? (['managed', places.managed] as const) : (['project', root] as const);
  if (dir === null && kind === 'project') return policy;
  const whose = kind === 'managed' ? 'machine' : 'project';
  const wanted = policy.layers.find((layer) => layer.kind === kind && layer.dir === at);
  if (wanted === undefined) return { problem: `the policy of this ${whose} is gone: none in ${at}` };
  const isEmpty = !guards(wanted) && wanted.broken === undefined;
  return isEmpty ? { problem: `the policy of this ${whose} is empty: no hook and no rule in ${at}` } : policy;
}

export interface SessionFacts {
  readonly remembered: Json | undefined;
  /** Where kept policies lie. */
  readonly folder: string;
  readonly host: Host;
  /** Who asks, if a change has to wait. */
  readonly about: { readonly host: string; readonly session: string; readonly folder: string };
}

type Now = Policy | { readonly problem: string };

export async function sessionPolicy(now: Now, facts: SessionFacts): Promise<SessionPolicy> {
  const { folder, host } = facts;
  const before = (facts.remembered ?? null) as Remembered | null;
  if (before === null) {
    if ('problem' in now) return now;
    return take(now, null, folder, host);
  }
  const digest = 'problem' in now ? 'none' : now.digest.digest;
  if (digest === before.digest) {
    return { policy: now as Policy, before: null, held: null, changes: [] };
  }
  const isAgreed = before.held?.digest === digest && isAccepted(before.held.question, digest, host);
  if (isAgreed) return take(now as Policy, before.digest, folder, host);
  const policy = await copyOf(before, folder, host);
  if (policy === null) return withoutCopy(before, now, facts);
  if (before.held?.digest === digest) return { policy, before: null, held: null, changes: [] };
  const reason = 'problem' in now ? now.problem : await looseningBetween(policy, now);
  if (reason === null) return take(now as Policy, before.digest, folder, host);
  const question = 'problem' in now ? null : askToAccept(policy, now, reason, facts.about, host);
  const value = { ...before, held: { digest, reason, question } } as unknown as Json;
  return {
    policy,
    before: null,
    held: { from: before.digest, to: digest, reason },
    changes: [{ op: 'set', key: POLICY_KEY, value }],
  };
}

/** A copy that was not on the disk yet when the power went: the session begins anew, by the policy that is there. */
async function withoutCopy(
  before: Remembered,
  now: Now,
  { folder, host }: SessionFacts,
): Promise<SessionPolicy> {
  const isLost = !('problem' in now) && before.boot !== undefined && isOfEarlierBoot(before.boot);
  if (isLost) return take(now, before.digest, folder, host);
  const why = 'problem' in now ? `: ${now.problem}` : '';
  return { problem: `the policy has changed, and the one of this session is no longer there${why}` };
}

async function take(
  policy: Policy,
  before: string | null,
  folder: string,
  host: Host,
): Promise<SessionPolicy> {
  await savePolicyCopy(folder, policy, host.uuid());
  const { digest } = policy.digest;
  const value = { digest, files: filesOf(policy), held: null, boot: bootMark() };
  return { policy, before, held: null, changes: [{ op: 'set', key: POLICY_KEY, value }] };
}

function filesOf({ digest }: Policy): string {
  return digestOf(digest.files);
}

/** The policy of the session; null if the copy of it is not there, or damaged. */
async function copyOf(before: Remembered, folder: string, host: Host): Promise<Policy | null> {
  const kept = loadPolicyCopy(folder, before.digest);
  if (kept === null) return null;
  const dir = kept.findLast(({ kind }) => kind === 'project')?.dir ?? join(folder, '..');
  const policy = await openPolicy(dir, { host, kept });
  return filesOf(policy) === before.files ? policy : null;
}
