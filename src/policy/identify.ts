/**
 * For hosts that are given a token instead of a person: their own function says whose it is. What it does not say clearly
 * and in time is nobody, and the reason is kept: a directory that is down must not look like somebody.
 */
import type { Json } from '../base/index.ts';
import { type Actor, describeThrown, type MaybePromise, readActor, withTimeout } from '../engine/index.ts';

/** Null: the claim is good, and belongs to nobody in particular. Throws if the claim is not good. */
export type Identify = (claim: Json, signal: AbortSignal) => MaybePromise<Actor | null>;

export type Identified =
  | { readonly ok: true; readonly actor: Actor | null }
  | { readonly ok: false; readonly actor: null; readonly reason: string };

const IDENTIFY_MS = 10_000;

export async function identified(
  identify: Identify | undefined,
  claim: Json,
  ms = IDENTIFY_MS,
): Promise<Identified> {
  if (identify === undefined) return unknown('this host cannot check a claim: it has no `identify`');
  const settled = await withTimeout(new AbortController().signal, ms, async (signal) =>
    identify(claim, signal),
  );
  if (settled.kind === 'thrown') return unknown(describeThrown(settled.thrown));
  if (settled.kind === 'failed') return unknown(settled.failure.message);
  const read = readActor(settled.value);
  return read.ok ? read : unknown(read.message);
}

function unknown(why: string): Identified {
  return { ok: false, actor: null, reason: `who is behind the call could not be verified: ${why}` };
}
