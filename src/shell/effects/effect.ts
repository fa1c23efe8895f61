/**
 * Effects: what a command does, as values that rules, hooks and people speak about. One effect is one kind of thing that one
 * command does, with everything it does it to.
 */
import type { Command } from '../reading.ts';
import type { Zone } from './zones.ts';

/** Each kind with what its verbs and objects are; the reference page is made from it. */
export const EFFECT_KINDS = {
  read: 'reads files',
  write: 'writes, creates or moves files',
  delete: 'deletes files',
  permissions: 'changes the owner or the rights of files',
  run: 'runs code; `from` says where its text comes from',
  send: 'sends data to another machine',
  receive: 'gets data from another machine',
  listen: 'waits for connections',
  privilege: 'runs with the rights of another user',
  account: 'changes users, groups or passwords',
  process: 'signals or ends processes',
  service: 'starts, stops or changes a service',
  power: 'switches the machine off, restarts it or ends a session',
  kernel: 'changes the running kernel',
  mount: 'mounts or unmounts a file system',
  disk: 'erases, divides or writes a disk past its files',
  persist: 'arranges for something to run later',
  vcs: 'changes a repository: `discard`, `rewrite`, `delete`, `publish`',
  package: '`install`, `remove` or `publish` of packages',
  remote: 'creates, changes or deletes what another system holds',
  sql: 'changes a database: `drop`, `truncate`, `delete`, `update`',
  secret: 'shows a secret',
  defence: 'switches off a protection',
  policy: 'touches the files of the policy itself',
} as const;

export type EffectKind = keyof typeof EFFECT_KINDS;
export const KINDS = Object.keys(EFFECT_KINDS) as readonly EffectKind[];

/** Where the text comes from that a `run` runs. */
export const ORIGINS = ['literal', 'file', 'download', 'decoded', 'input', 'unknown'] as const;
export type Origin = (typeof ORIGINS)[number];

/** `possible`: the program may do it, or does it in some cases. `unknown`: what runs cannot be known. */
export const CERTAINTIES = ['certain', 'possible', 'unknown'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

export interface EffectPath {
  /** As far as it is known; an unknown piece reads `${NAME}` or `$()`. */
  readonly path: string;
  readonly zone: Zone;
}

export interface Effect {
  readonly kind: EffectKind;
  /** What of its kind: `off`, `install`, `drop`; empty if the kind says all. */
  readonly verb: string;
  /** The kind of thing it is done to, where there are several: `containers`, `queues`; empty otherwise. */
  readonly resource: string;
  readonly paths: readonly EffectPath[];
  readonly hosts: readonly string[];
  /** What else it is done to: a package, a service, a resource, a program. */
  readonly objects: readonly string[];
  /** Of `run`; null for every other kind. */
  readonly from: Origin | null;
  /** With everything below the paths. */
  readonly recursive: boolean;
  readonly certainty: Certainty;
  readonly command: Command;
}
