/**
 * What a machine knows about its hub, in the user's state folder: address, id, key, and the generation of its token. The folder is
 * policy: it belongs to the user and is closed to others.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../base/index.ts';
import { createFile, type Host, randomHex, replaceFile } from '../machine/index.ts';
import { fleetFolder, folderProblem, openFolder } from '../policy/index.ts';

export interface Enrolment {
  /** Without a slash at the end. */
  readonly hub: string;
  readonly machine: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly joined: number;
  /** SHA-256 of the first root of the policy; absent: this machine takes no policy. */
  readonly root?: string;
  /** The policy is for every user of the machine. */
  readonly managed?: boolean;
}

/** The last granted generation, its token, and the nonce of a request whose answer has not arrived; empty if there is none. */
export interface Grant {
  readonly generation: number;
  readonly nonce: string;
  readonly next: string;
  readonly token: string;
  /** When to ask again, by this machine's clock. */
  readonly until: number;
}

const MACHINE = 'machine.json';
const KEY = 'key.pem';
const GRANT = 'grant.json';

export class Enrolled {
  readonly folder: string;
  readonly enrolment: Enrolment;

  constructor(folder: string, enrolment: Enrolment) {
    this.folder = folder;
    this.enrolment = enrolment;
  }

  key(): KeyObject {
    return createPrivateKey(readFileSync(join(this.folder, KEY)));
  }

  grant(): Grant {
    return readJson<Grant>(join(this.folder, GRANT)) ?? firstGrant();
  }

  saveGrant(grant: Grant): void {
    replaceFile(join(this.folder, GRANT), `${JSON.stringify(grant)}\n`, { flush: true });
  }

  read<T>(name: string): T | null {
    return readJson<T>(join(this.folder, name));
  }

  write(name: string, value: unknown): void {
    replaceFile(join(this.folder, name), `${JSON.stringify(value)}\n`);
  }
}

function firstGrant(): Grant {
  return { generation: 0, nonce: '', next: '', token: '', until: 0 };
}

export function newNonce(): string {
  return randomHex(16);
}

/** Null if this user's machine joined no hub. Throws FLEET_NOT_JOINED if its folder cannot be relied on. */
export function findEnrolled(host: Pick<Host, 'env'>): Enrolled | null {
  const folder = fleetFolder(host);
  if (folder === null || !existsSync(join(folder, MACHINE))) return null;
  const problem = folderProblem(folder);
  if (problem !== null) throw new HarnessError('FLEET_NOT_JOINED', problem);
  const enrolment = readJson<Enrolment>(join(folder, MACHINE));
  if (typeof enrolment?.hub !== 'string' || typeof enrolment.machine !== 'string')
    throw new HarnessError(
      'FLEET_NOT_JOINED',
      `${join(folder, MACHINE)} is damaged. A person leaves the fleet with \`harness fleet leave\`, then this machine can join again`,
    );
  return new Enrolled(folder, enrolment);
}

export function enrolled(host: Pick<Host, 'env'>): Enrolled {
  const found = findEnrolled(host);
  if (found !== null) return found;
  throw new HarnessError(
    'FLEET_NOT_JOINED',
    'this machine belongs to no hub. Make a token where the hub runs (`harness hub token --join`), then: harness fleet join URL --token T',
  );
}

/** The folder of a machine that joins, with its key. A join that was interrupted goes on with the same key. */
export function prepareKey(host: Pick<Host, 'env'>): { readonly folder: string; readonly publicKey: string } {
  const folder = fleetFolder(host);
  if (folder === null) throw new HarnessError('FLEET_NOT_JOINED', 'neither HOME nor XDG_STATE_HOME is set');
  const problem = openFolder(folder);
  if (problem !== null) throw new HarnessError('FLEET_NOT_JOINED', problem);
  const path = join(folder, KEY);
  const { privateKey } = generateKeyPairSync('ed25519');
  createFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const key = createPublicKey(createPrivateKey(readFileSync(path)));
  return { folder, publicKey: key.export({ type: 'spki', format: 'der' }).toString('base64') };
}

/** The last step of joining: from here on the machine is enrolled. */
export function saveEnrolment(folder: string, enrolment: Enrolment): Enrolled {
  replaceFile(join(folder, MACHINE), `${JSON.stringify(enrolment, null, 2)}\n`, { flush: true });
  return new Enrolled(folder, enrolment);
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
