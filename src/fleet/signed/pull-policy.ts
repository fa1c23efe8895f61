/**
 * Asks the hub for the policy of this machine. Only a verified policy changes anything: every other answer, an empty one, a page of a
 * proxy, "no content", "not modified" to a machine that has nothing, leaves what is in force and is noted.
 */
import { HarnessError } from '../../base/index.ts';
import type { BytesResponse, Host } from '../../machine/index.ts';
import { type FleetPlace, type FleetPolicy, layerPlaces, readFleetPolicy } from '../../policy/index.ts';
import { errorOf, type HubClient } from '../client.ts';
import type { Enrolled } from '../enrolment.ts';
import { POLICY_PATH, TIMESTAMP_HEADER } from '../protocol.ts';
import { installPolicy, isIntact, noteCheck, noteProblem, readTrust } from './install-policy.ts';
import { untrusted } from './metadata.ts';
import { type ServedPolicy, verifyServed, verifyTimestamp } from './verify-policy.ts';

export interface PullOptions {
  readonly enrolled: Enrolled;
  readonly client: HubClient;
  readonly host: Pick<Host, 'now' | 'env'>;
  /** How long the hub may wait for a change before it answers. */
  readonly waitMs?: number;
}

export type Pulled =
  | { readonly kind: 'new' | 'same'; readonly policy: FleetPolicy }
  /** The hub has no policy for this machine yet. */
  | { readonly kind: 'none' };

/** Where the policy of this enrolment stands; null if it was joined without one. */
export function policyPlace({ enrolment }: Enrolled, host: Pick<Host, 'env'>): FleetPlace | null {
  if (enrolment.root === undefined) return null;
  return layerPlaces(host).fleet?.[enrolment.managed === true ? 'managed' : 'user'] ?? null;
}

/** Throws FLEET_UNREACHABLE, and FLEET_UNTRUSTED or FLEET_REFUSED for an answer that is not taken. Either is noted in the folder. */
export async function pullPolicy(options: PullOptions, place: FleetPlace): Promise<Pulled> {
  const { enrolled, host } = options;
  const shared = enrolled.enrolment.managed === true;
  try {
    const pulled = await ask(options, place, shared);
    if (pulled.kind === 'none' && readFleetPolicy(place) !== null)
      throw untrusted('the hub no longer has a policy for this machine');
    return pulled;
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    noteProblem(place, problem, shared, host.now());
    throw thrown instanceof HarnessError ? thrown : untrusted(problem);
  }
}

async function ask(options: PullOptions, place: FleetPlace, shared: boolean): Promise<Pulled> {
  const { enrolled, client, host, waitMs = 0 } = options;
  const { hub, root } = enrolled.enrolment;
  const known = isIntact(place) ? readFleetPolicy(place) : null;
  const response = await client.send(`${POLICY_PATH}?wait=${waitMs}`, {
    method: 'GET',
    body: null,
    ...(known !== null && { headers: { 'if-none-match': known.etag } }),
  });
  if (response.status === 304) {
    if (known === null) throw untrusted('the hub says "not modified", and this machine has no policy');
    const trust = readTrust(place);
    const timestamp = verifyTimestamp(timestampOf(response), trust.root!.signed, trust, host.now());
    if (timestamp.signed.meta['snapshot.json'].hashes.sha256 !== known.snapshot)
      throw untrusted('the hub says "not modified", and signed another snapshot');
    noteCheck(place, { at: host.now(), problem: null, problemSince: null }, shared);
    return { kind: 'same', policy: known };
  }
  if (response.status === 204) return { kind: 'none' };
  if (response.status !== 200) throw new HarnessError('FLEET_REFUSED', errorOf(response));
  const served = servedIn(response);
  const verified = verifyServed(served, root!, readTrust(place), host.now());
  const etag = String(response.headers.etag ?? '');
  const policy = await installPolicy({ place, shared, verified, served, etag, hub, root: root!, host });
  return {
    kind: known?.digest === policy.digest && known.version === policy.version ? 'same' : 'new',
    policy,
  };
}

function servedIn({ body }: BytesResponse): ServedPolicy {
  try {
    return JSON.parse(body.toString('utf8')) as ServedPolicy;
  } catch {
    throw untrusted(body.length === 0 ? 'the answer is empty' : 'the answer is no policy of a hub');
  }
}

function timestampOf({ headers }: BytesResponse): unknown {
  try {
    return JSON.parse(Buffer.from(String(headers[TIMESTAMP_HEADER] ?? ''), 'base64').toString('utf8'));
  } catch {
    throw untrusted('"not modified" without a signed timestamp');
  }
}
