/**
 * The signed head: the hash of a line and its number, signed with Ed25519 in a file beside the tape. A chain alone shows that
 * something was changed; only the signature shows that not the whole file was written anew.
 */
import type { KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canonicalJson, HarnessError, isJsonObject, lateCrypto } from '../base/index.ts';
import { isAbsent, readBytes } from '../files/index.ts';
import { replaceFile, syncFolder } from '../machine/index.ts';
import { TAPE_VERSION } from './entry.ts';

export interface Head {
  /** The version of the tape. */
  readonly tape: number;
  readonly session: string;
  /** The number of the last entry it covers. */
  readonly entries: number;
  /** The hash of the line of that entry. */
  readonly head: string;
  /** Entries before that which nobody vouches for: they were there without a signature of this key when the tape was gone on with. */
  readonly gaps?: readonly Gap[];
}

/** The first and the last entry; 0 is the header. */
export type Gap = readonly [from: number, to: number];

export interface SignedHead extends Head {
  readonly algorithm: 'ed25519';
  /** SPKI, DER, base64. It says which key to look for; whether that key is to be trusted it cannot say. */
  readonly publicKey: string;
  /** Over the canonical JSON of all the rest, hex. */
  readonly signature: string;
}

export function signatureFile(tape: string): string {
  return `${tape}.sig`;
}

/** Replaces the file in one step, so that a crash leaves the old head or the new one. */
export function writeSignedHead(tape: string, head: Head, key: KeyObject, sync = false): void {
  replaceFile(signatureFile(tape), `${canonicalJson(signHead(head, key))}\n`, { flush: sync });
  if (sync) syncFolder(dirname(tape));
}

export function signHead({ tape, session, entries, head, gaps = [] }: Head, key: KeyObject): SignedHead {
  const publicKey = encodeKey(lateCrypto().createPublicKey(key));
  const told = gaps.length === 0 ? {} : { gaps };
  const body = { algorithm: 'ed25519', tape, session, entries, head, ...told, publicKey } as const;
  return {
    ...body,
    signature: lateCrypto()
      .sign(null, Buffer.from(canonicalJson(body)), key)
      .toString('hex'),
  };
}

/** Null if there is none; a text where there is one and it is wrong. */
export function readSignedHead(tape: string): SignedHead | string | null {
  const file = signatureFile(tape);
  if (isAbsent(file)) return null;
  const read = readBytes('', file);
  if (!(read instanceof Uint8Array)) return `the signature cannot be read: ${read.message}`;
  return parseSignedHead(read.toString('utf8'));
}

/** The text of a signature file. */
export function parseSignedHead(text: string): SignedHead | string {
  const value = parse(text);
  const sound = isSignedHead(value) && text === `${canonicalJson(value)}\n`;
  return sound ? value : 'the signature file does not hold a signed head';
}

/** What is wrong with a signed head, or null. Without a key of the reader's own it is held against the key it names. */
export function signatureProblem(signed: SignedHead, trusted: KeyObject | null): string | null {
  const { signature, ...body } = signed;
  if (trusted !== null && encodeKey(trusted) !== signed.publicKey) {
    return `it is signed with another key (${keyName(signed.publicKey)})`;
  }
  try {
    const key =
      trusted ??
      lateCrypto().createPublicKey({
        key: Buffer.from(signed.publicKey, 'base64'),
        format: 'der',
        type: 'spki',
      });
    if (key.asymmetricKeyType !== 'ed25519') return 'the signature names a key that is not Ed25519';
    if (lateCrypto().verify(null, Buffer.from(canonicalJson(body)), key, Buffer.from(signature, 'hex')))
      return null;
  } catch {
    // A key or a signature that is no such thing.
  }
  return 'the signature does not fit the head it signs';
}

/** A short name by which people can compare keys. */
export function keyName(publicKey: string): string {
  return `SHA256:${lateCrypto().hash('sha256', Buffer.from(publicKey, 'base64'), 'base64url').slice(0, 22)}`;
}

/** A pair as PEM: the private key to `path`, for its owner alone; the public one to `path.pub`. Nothing is written over. */
export function writeKeyPair(path: string): { readonly name: string; readonly publicFile: string } {
  const { privateKey, publicKey } = lateCrypto().generateKeyPairSync('ed25519');
  const publicFile = `${path}.pub`;
  try {
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
    writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx', mode: 0o644 });
  } catch (thrown) {
    throw new HarnessError('TAPE_KEY', `cannot write the pair: ${(thrown as Error).message}`);
  }
  return { name: keyName(encodeKey(publicKey)), publicFile };
}

export function readSigningKey(path: string): KeyObject {
  return readKey(path, 'private', lateCrypto().createPrivateKey);
}

/** The public key; a private key file will do as well. */
export function readVerifyingKey(path: string): KeyObject {
  return readKey(path, 'public', lateCrypto().createPublicKey);
}

function readKey(path: string, kind: string, parseKey: (pem: Buffer) => KeyObject): KeyObject {
  try {
    const key = parseKey(readFileSync(path));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code)) {
      throw new HarnessError('TAPE_KEY', `cannot read the key: ${message}`);
    }
  }
  throw new HarnessError('TAPE_KEY', `${path} does not hold a ${kind} Ed25519 key as PEM`);
}

function encodeKey(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

function isSignedHead(value: unknown): value is SignedHead {
  return (
    isJsonObject(value) &&
    value.algorithm === 'ed25519' &&
    value.tape === TAPE_VERSION &&
    Number.isSafeInteger(value.entries) &&
    (value.gaps === undefined || isGaps(value.gaps)) &&
    /^[0-9a-f]{128}$/.test(String(value.signature)) &&
    ['session', 'head', 'publicKey'].every((key) => typeof value[key] === 'string')
  );
}

function isGaps(value: unknown): boolean {
  const isGap = (gap: unknown) => Array.isArray(gap) && gap.length === 2 && gap.every(Number.isSafeInteger);
  return Array.isArray(value) && value.length > 0 && value.every(isGap);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
