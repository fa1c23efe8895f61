/**
 * What an installer is: a table of one agent. Where its configuration stands, how an entry of an event looks there, in which
 * unit it counts time, which switch makes it fail closed, what a person has to trust. Everything that touches files is shared.
 */
import { join } from 'node:path';
import type { JsonObject } from '../../base/index.ts';
import { systemFolder } from '../../policy/index.ts';
import type { EventRow } from '../adapter.ts';
import { GUARD, USER_GUARD } from '../guard-line.ts';
import type { Operation } from './operation.ts';

/** Where to install: for one project, for everything the user does, or for everybody on a machine. */
export interface InstallTarget {
  /** For a machine, `user` is the policy folder of the machine. */
  readonly scope: { readonly dir: string } | { readonly user: string };
  /** For a machine: the folder that its files are written under, `/` or one that an administrator rolls out. */
  readonly managed?: string;
  /** The user's policy folder. */
  readonly userFolder?: string;
  readonly home: string;
  env(name: string): string | undefined;
}

/** One event to be registered. */
export interface Registration {
  readonly row: EventRow;
  /** What the agent is to run. */
  readonly line: string;
  /** How long the agent may wait for it. The guard answers before that. */
  readonly timeoutMs: number;
}

/** What stands in an agent's configuration for an event. */
export interface Registered {
  readonly event: string;
  readonly file: string;
  readonly run: { readonly shell: string } | { readonly argv: readonly string[] };
}

export type ReadText = (file: string) => string | null;

export interface WantedFile {
  readonly file: string;
  /** A link may lead to a file below this folder; elsewhere only if it is the user's own and `--user` was asked for. */
  readonly within: string;
  readonly container: readonly string[] | null;
  /** `textOf` gives what the files before this one will hold. */
  operations(textOf: ReadText): readonly Operation[];
  /** What may be there of ours when the record of it is lost; `textOf` gives what the files before this one hold now. */
  leftovers?(textOf: ReadText): readonly Operation[];
}

export interface Installer {
  readonly agent: string;
  /** It reads hooks from a place of the machine that users cannot write. */
  readonly hasSystemPlace?: true;
  /** The file that a person looks at to see or remove the registration. */
  settingsFile(place: InstallTarget): string;
  /** `registrations` is empty to uninstall: then every file that may hold something of ours. */
  files(
    place: InstallTarget,
    registrations: readonly Registration[],
    textOf: ReadText,
  ): readonly WantedFile[];
  /** The lines that are registered now, by native event. */
  registered(place: InstallTarget, textOf: ReadText): readonly Registered[];
  /** What a person still has to do before the hooks run, and why; empty if they run. */
  steps(place: InstallTarget, textOf: ReadText): readonly string[];
  /** What a person has to see to, where nothing on disk tells whether it was done. */
  advice?(place: InstallTarget): readonly string[];
  /** Limits of the agent on its own, below the usual. */
  timeoutMs?(row: EventRow): number;
}

export function rootOf(place: InstallTarget): string {
  if (isManaged(place)) return place.managed!;
  return 'dir' in place.scope ? place.scope.dir : place.home;
}

/** The guard that the lines of a place run. */
export function guardPath({ scope }: InstallTarget): string {
  return 'dir' in scope ? join(scope.dir, GUARD) : join(scope.user, USER_GUARD);
}

export function isManaged({ managed }: InstallTarget): boolean {
  return managed !== undefined;
}

/** A file of an agent's folder of the machine. */
export function systemFile({ managed = '/' }: InstallTarget, agent: string, name: string): string {
  return join(managed, systemFolder(agent), name);
}

export function isUser(place: InstallTarget): boolean {
  return 'user' in place.scope;
}

/** For agents that read a project's configuration only in a folder that its user trusts. */
export function trustSteps(
  place: InstallTarget,
  {
    program,
    folder,
    isTrusted,
    otherwise,
  }: {
    readonly program: string;
    readonly folder: string;
    readonly isTrusted: (dir: string) => boolean;
    readonly otherwise?: (dir: string) => string;
  },
): string[] {
  const dir = rootOf(place);
  if (isUser(place) || isTrusted(dir)) return [];
  const more = otherwise === undefined ? '' : `, or ${otherwise(dir)}`;
  return [
    `${program} reads ${join(dir, folder)} only in a folder it trusts: start ${program} there once and trust it${more}`,
  ];
}

export function entry(path: readonly string[], value: JsonObject): Operation {
  return { kind: 'entry', path, value };
}
