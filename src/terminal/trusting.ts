/**
 * What a person is shown and asked about the capabilities of a folder: in words that can be judged, once for each list of capabilities.
 * Where nobody can be asked the capabilities do not hold, and stderr says how to change that.
 */
import { resolve } from 'node:path';
import { CAPABILITY_KINDS, type Capability, type CapabilityKind } from '../frontends/index.ts';
import { machineHost } from '../machine/index.ts';
import { type FolderTrust, type Policy, writeRecord } from '../policy/index.ts';
import type { Output } from './output.ts';
import { countOf, onOneLine } from './problems.ts';
import { type OpenOptions, openPolicyAt } from './project-dir.ts';
import { askForWord, type Confirm } from './word.ts';

/** What the word agrees to. */
export const TRUST_OPTION = 'let this folder do that';

export interface TrustOptions extends OpenOptions {
  /** Asks a question of the person at the terminal; default: there, if it is one. */
  readonly confirm?: Confirm;
  /** A session also offers tools; a decision asks only hooks. */
  readonly session?: boolean;
}

/** Opens a policy for a command that acts: what it needs beyond the sandbox is asked about first, if somebody is there. */
export async function openTrusted(dir: string, options: TrustOptions, output: Output): Promise<Policy> {
  const { confirm, session = false, ...open } = options;
  const policy = await openPolicyAt(dir, open);
  const asked = (session ? policy.trust : policy.untrusted).filter(({ by }) => by === null);
  if (asked.length === 0) return policy;
  const fresh = asked.filter((folder) => !folder.declined && canTrust(folder));
  if (fresh.length > 0 && canAsk(options) && (await askFor(fresh, policy, confirm ?? atTerminal, output))) {
    return openPolicyAt(dir, open);
  }
  for (const folder of asked) noteUntrusted(folder, output);
  return policy;
}

/** Whether a person can agree: everything that would run is known. */
export function canTrust({ capabilities }: FolderTrust): boolean {
  return capabilities.every(({ unknown }) => unknown === undefined);
}

function canAsk({ confirm }: TrustOptions): boolean {
  return confirm !== undefined || (process.stdin.isTTY === true && process.stderr.isTTY === true);
}

async function askFor(
  folders: readonly FolderTrust[],
  policy: Policy,
  confirm: Confirm,
  output: Output,
): Promise<boolean> {
  let agreed = false;
  for (const folder of folders) {
    output.note(describeTrust(folder));
    const answer = await askForWord(TRUST_OPTION, confirm);
    if (answer === null) continue;
    saveTrust(folder, answer, policy);
    agreed ||= answer === 'yes';
  }
  return agreed;
}

export async function atTerminal(question: string): Promise<string | null> {
  // Few commands ask anything: the others do not pay for it.
  const { Keyboard } = await import('./keyboard.ts');
  const keyboard = new Keyboard({ input: process.stdin, output: process.stderr });
  try {
    return await keyboard.confirm(question);
  } finally {
    keyboard.close();
  }
}

export function saveTrust({ dir, digest }: FolderTrust, answer: 'yes' | 'no', policy: Policy): void {
  const at = new Date(machineHost.now()).toISOString();
  writeRecord(policy.trustFolder, { digest, answer, at }, dir);
}

/**
 * Agrees to what a command has just written into a folder. One that asks for more than that is left to the person; a record that
 * cannot be kept is said, and costs a question later.
 */
export async function trustWritten(dir: string, paths: readonly string[], output: Output): Promise<boolean> {
  const policy = await openPolicyAt(dir);
  const own = policy.trust.find((folder) => resolve(folder.dir) === resolve(dir));
  if (own === undefined || own.capabilities.length === 0 || own.by !== null) return own?.by !== null;
  const ours = own.capabilities.every(({ source }) => paths.includes(source.replace(/:\d+$/, '')));
  if (!ours) {
    noteUntrusted(own, output);
    return false;
  }
  try {
    saveTrust(own, 'yes', policy);
    return true;
  } catch (error) {
    output.note(`${output.paintNote('yellow', 'warning')}: ${(error as Error).message}`);
    return false;
  }
}

/** What the folder asks for, kind by kind, each with where it is written and the files it runs. */
export function describeTrust({ dir, capabilities, digest }: FolderTrust): string {
  const kinds = (Object.keys(CAPABILITY_KINDS) as CapabilityKind[]).filter(
    (kind) => of(capabilities, kind).length > 0,
  );
  const groups = kinds.flatMap((kind) => {
    const some = of(capabilities, kind);
    return [`  ${heading(kind, some.length)}`, ...some.flatMap(describeCapability)];
  });
  return [
    `${dir} requests ${countOf(capabilities.length, 'capability', 'capabilities')}:`,
    ...groups,
    `  digest ${digest}`,
  ].join('\n');
}

function of(capabilities: readonly Capability[], kind: CapabilityKind): Capability[] {
  return capabilities.filter((capability) => capability.kind === kind);
}

function heading(kind: CapabilityKind, count: number): string {
  return `${count} ${CAPABILITY_KINDS[kind][count === 1 ? 0 : 1]}`;
}

function describeCapability({ what, name, kind, source, files, unknown }: Capability): string[] {
  const named = name === undefined || kind === 'tool' || kind === 'variable' ? what : `${name}: ${what}`;
  const runs = Object.keys(files);
  // A line of the list is one capability: none of them may write a line of its own.
  const lines = [
    `    ${named}  (${source})`,
    ...(runs.length === 0 ? [] : [`      runs ${runs.join(', ')}`]),
    ...(unknown === undefined
      ? []
      : [`      cannot be trusted: which script ${unknown} names is only known when it runs`]),
  ];
  return lines.map(onOneLine);
}

/** For the person on stderr: a model is told the cause alone. */
/** `counted`: a summary that counts warnings follows, and this is none of the files: whether they are trusted is a matter of the machine. */
export function noteUntrusted(
  { dir, capabilities, declined }: FolderTrust,
  output: Output,
  { counted = false }: { readonly counted?: boolean } = {},
): void {
  const counts = (Object.keys(CAPABILITY_KINDS) as CapabilityKind[])
    .map((kind) => [kind, of(capabilities, kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => heading(kind, count))
    .join(', ');
  const label = counted ? 'note' : output.paintNote('yellow', 'warning[TRUST_MISSING]');
  const how = declined ? 'was declined' : 'is not trusted';
  output.note(`${label}: ${dir} ${how}: its capabilities are disabled until you trust it (${counts})`);
  output.note(`See and agree to it with: harness trust ${dir}`);
}
