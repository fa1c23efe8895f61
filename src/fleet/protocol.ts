/**
 * What machines and the hub agree on: paths, names, limits, answers, and the statement a machine signs. Both sides import this
 * file, so that neither can drift.
 */
import { canonicalJson, type JsonObject, sha256Hex } from '../base/index.ts';

export const DEFAULT_PORT = 7077;

/** Raw bytes of one batch: a whole line must fit. */
export const MAX_BATCH_BYTES = 65 * 1024 * 1024;
/** A machine fills a batch up to this size; one longer line is a batch of its own. */
export const BATCH_BYTES = 1024 * 1024;
export const MAX_BATCH_LINES = 50_000;
/** Further branches of one tape are refused: a tape that is written anew that often is no record. */
export const MAX_BRANCHES = 100;

export const TOKEN_MS = 15 * 60 * 1000;
export const CHALLENGE_MS = 60 * 1000;

/** Headers of a batch. */
export const FOLDER_HEADER = 'x-harness-folder';
export const OWNER_HEADER = 'x-harness-owner';
export const SIGNED_HEADER = 'x-harness-signed-head';

/** The policy of a machine: long poll with `If-None-Match` and `wait`, in milliseconds. */
export const POLICY_PATH = '/v1/policy';
export const MAX_WAIT_MS = 30_000;
/** Beside "not modified": the signed timestamp, base64. */
export const TIMESTAMP_HEADER = 'x-harness-timestamp';

export type MachineState = 'active' | 'suspended' | 'revoked';
/** `quarantined`: the chain breaks. `forked`: another branch of the same tape exists. */
export type TapeState = 'open' | 'quarantined' | 'forked';

export interface JoinRequest {
  readonly token: string;
  readonly name: string;
  /** SPKI, DER, base64. */
  readonly publicKey: string;
}

export interface JoinAnswer {
  readonly machine: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What a machine signs to get a token. */
export interface Statement {
  readonly machine: string;
  /** From the hub; good for a minute. */
  readonly challenge: string;
  /** The last generation that the machine knows to be granted, with its nonce. */
  readonly generation: number;
  readonly nonce: string;
  /**
   * The nonce of the next generation. The machine has written it to its disk before it asks, and asks with the same one until an
   * answer arrives: a machine whose answer was lost can show what the hub granted.
   */
  readonly next: string;
}

export interface TokenAnswer {
  readonly token: string;
  readonly generation: number;
  readonly expiresMs: number;
  readonly state: MachineState;
}

/** The bytes that are signed. The first words keep the signature from being used for anything else. */
export function statementBytes(statement: Statement): Buffer {
  return Buffer.from(`harness fleet token v1\n${canonicalJson(statement as unknown as JsonObject)}`);
}

/** Where the hub stands with one tape. */
export interface HubTape {
  readonly place: string;
  readonly session: string;
  readonly branch: number;
  /** The number of the line the hub waits for; 0 is the header. */
  readonly next: number;
  /** The hash of the line before that; empty if there is none. */
  readonly head: string;
  readonly state: TapeState;
  readonly problem: string | null;
}

/** Tells folders of one machine apart without naming them in a path. */
export function placeOf(folder: string): string {
  return sha256Hex(folder).slice(0, 32);
}

const LONGEST_SESSION = 200;

/** A session's name in paths and tables. Ids that are no plain text are known by their digest. */
export function sessionName(session: string): string {
  const plain =
    session.length <= LONGEST_SESSION && /^[\x20-\x7e]+$/.test(session) && !/^\.{1,2}$/.test(session);
  return plain ? session : `id-${sha256Hex(session).slice(0, 40)}`;
}

export function tapePath(place: string, session: string): string {
  return `/v1/tapes/${place}/${encodeURIComponent(sessionName(session))}`;
}
