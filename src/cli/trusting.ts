/**
 * What a person is shown and asked about the powers of a folder: in words that can be judged, once for each list of powers.
 * Where nobody can be asked the powers do not hold, and stderr says how to change that.
 */
import { resolve } from 'node:path';
import { machineHost } from '../base/host.ts';
import { POWER_KINDS, type Power, type PowerKind } from '../frontends/power.ts';
import type { Policy } from '../policy/policy.ts';
import { writeRecord } from '../policy/trust/records.ts';
import type { FolderTrust } from '../policy/trust/trust.ts';
import type { Output } from './output.ts';
import { countOf, onOneLine } from './problems.ts';
import { type OpenOptions, openPolicyAt } from './project-dir.ts';

export interface TrustOptions extends OpenOptions {
  /** Asks a question of the person at the terminal; default: there, if it is one. */
  readonly confirm?: (question: string) => Promise<string | null>;
  /** A session also offers tools; a decision asks only hooks. */
  readonly session?: boolean;
}

/** Opens a policy for a command that acts: what it needs beyond the sandbox is asked about first, if somebody is there. */
export async function openTrusted(dir: string, options: TrustOptions, output: Output): Promise<Policy> {
  const { confirm, session = false, ...open } = options;
  const policy = await openPolicyAt(dir, open);
  const asked = (session ? policy.trust : policy.untrusted).filter(({ by }) => by === null);
  if (asked.length === 0) return policy;
  const fresh = asked.filter(({ declined }) => !declined);
  if (fresh.length > 0 && canAsk(options) && (await askFor(fresh, policy, confirm ?? atTerminal, output))) {
    return openPolicyAt(dir, open);
  }
  for (const folder of asked) noteUntrusted(folder, output);
  return policy;
}

function canAsk({ confirm }: TrustOptions): boolean {
  return confirm !== undefined || (process.stdin.isTTY === true && process.stderr.isTTY === true);
}

async function askFor(
  folders: readonly FolderTrust[],
  policy: Policy,
  confirm: NonNullable<TrustOptions['confirm']>,
  output: Output,
): Promise<boolean> {
  let agreed = false;
  for (const folder of folders) {
    output.note(describeTrust(folder));
    const answer = await yesOrNo('Let this folder do that? [y]es, [N]o: ', confirm);
    if (answer === null) continue;
    keep(folder, answer, policy);
    agreed ||= answer === 'yes';
  }
  return agreed;
}

/** Null if there was no answer. Anything but a yes or a no is asked about again. */
export async function yesOrNo(
  question: string,
  confirm: NonNullable<TrustOptions['confirm']>,
): Promise<'yes' | 'no' | null> {
  for (;;) {
    const line = await confirm(question);
    if (line === null) return null;
    const said = line.trim().toLowerCase();
    if (said === 'y' || said === 'yes') return 'yes';
    if (said === '' || said === 'n' || said === 'no') return 'no';
  }
}

export async function atTerminal(question: string): Promise<string | null> {
  // Few commands ask anything: the others do not pay for it.
  const { Keyboard } = await import('./agent/keyboard.ts');
  const keyboard = new Keyboard({ input: process.stdin, output: process.stderr });
  try {
    return await keyboard.confirm(question);
  } finally {
    keyboard.close();
  }
}

export function keep({ dir, digest }: FolderTrust, answer: 'yes' | 'no', policy: Policy): void {
  const at = new Date(machineHost.now()).toISOString();
  writeRecord(policy.userFolder, { digest, answer, at }, dir);
}

/**
 * Agrees to what a command has just written into a folder. One that asks for more than that is left to the person; a record that
 * cannot be kept is said, and costs a question later.
 */
export async function trustWritten(dir: string, paths: readonly string[], output: Output): Promise<boolean> {
  const policy = await openPolicyAt(dir);
  const own = policy.trust.find((folder) => resolve(folder.dir) === resolve(dir));
  if (own === undefined || own.powers.length === 0 || own.by !== null) return own?.by !== null;
  const ours = own.powers.every(({ source }) => paths.includes(source.replace(/:\d+$/, '')));
  if (!ours) {
    noteUntrusted(own, output);
    return false;
  }
  try {
    keep(own, 'yes', policy);
    return true;
  } catch (error) {
    output.note(`${output.paintNote('yellow', 'warning')}: ${(error as Error).message}`);
    return false;
  }
}

/** What the folder asks for, kind by kind, each with where it is written and the files it runs. */
export function describeTrust({ dir, powers, digest }: FolderTrust): string {
  const kinds = (Object.keys(POWER_KINDS) as PowerKind[]).filter((kind) => of(powers, kind).length > 0);
  const groups = kinds.flatMap((kind) => {
    const some = of(powers, kind);
    return [`  ${heading(kind, some.length)}`, ...some.flatMap(describePower)];
  });
  return [
    `${dir} asks for ${countOf(powers.length, 'power')} beyond the sandbox:`,
    ...groups,
    `  digest ${digest}`,
  ].join('\n');
}

function of(powers: readonly Power[], kind: PowerKind): Power[] {
  return powers.filter((power) => power.kind === kind);
}

function heading(kind: PowerKind, count: number): string {
  return `${count} ${POWER_KINDS[kind][count === 1 ? 0 : 1]}`;
}

function describePower({ what, name, kind, source, files }: Power): string[] {
  const named = name === undefined || kind === 'tool' || kind === 'variable' ? what : `${name}: ${what}`;
  const runs = Object.keys(files);
  // A line of the list is one power: none of them may write a line of its own.
  const lines = [
    `    ${named}  (${source})`,
    ...(runs.length === 0 ? [] : [`      runs ${runs.join(', ')}`]),
  ];
  return lines.map(onOneLine);
}

/** For the person on stderr: a model is told the cause alone. */
export function noteUntrusted({ dir, powers, declined }: FolderTrust, output: Output): void {
  const counts = (Object.keys(POWER_KINDS) as PowerKind[])
    .map((kind) => [kind, of(powers, kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => heading(kind, count))
    .join(', ');
  const label = output.paintNote('yellow', 'warning[TRUST_MISSING]');
  const how = declined ? 'was declined' : 'is not trusted';
  output.note(`${label}: ${dir} ${how}: what it asks for beyond the sandbox does not hold (${counts})`);
  output.note(`See and agree to it with: harness trust ${dir}`);
}
