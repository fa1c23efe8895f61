/**
 * A sandbox as data, complete and the same on every machine, and the one order there is between two of them: looser and
 * tighter. Whatever changes one goes through here, so that no layer, tool or hook can loosen what another has said.
 */
import { check, didYouMean, isError, isJsonObject, type Json, quote } from '../../base/index.ts';
import { NETWORKS, type Network, SANDBOX, type WrittenSandbox } from './shape.ts';

export interface SandboxLimits {
  /** 0 is no limit, here and below. */
  readonly processes: number;
  readonly memory_mb: number;
  readonly file_mb: number;
  readonly open_files: number;
  readonly cpu_seconds: number;
  readonly scratch_mb: number;
}

/** Type and not interface: it is JSON as it is. */
export type Sandbox = {
  readonly workspace: 'read-only' | 'writable';
  /** Normal form of what was written: absolute, `~/…`, or relative to the workspace. */
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  readonly network: Network;
  readonly limits: { readonly [K in keyof SandboxLimits]: number };
};

export const DEFAULT_LIMITS: SandboxLimits = {
  processes: 512,
  memory_mb: 4096,
  file_mb: 2048,
  open_files: 4096,
  cpu_seconds: 0,
  scratch_mb: 512,
};

/** What `sandbox: true` means. */
export const DEFAULT_SANDBOX: Sandbox = {
  workspace: 'writable',
  writable: [],
  readable: [],
  hidden: [],
  network: 'off',
  limits: DEFAULT_LIMITS,
};

/** What nothing is looser than: for a sandbox that was written and cannot be understood. */
export const TIGHTEST_SANDBOX: Sandbox = { ...DEFAULT_SANDBOX, workspace: 'read-only' };

export type RequestedSandbox = boolean | WrittenSandbox;

/** `asked` laid over the sandbox in force, as far as it tightens it. Null: there is none yet. */
export function clamped(current: Sandbox | null, asked: RequestedSandbox): Sandbox | null {
  if (asked === false) return current;
  const written = asked === true ? {} : asked;
  if (current === null) return completed(written);
  const writable = written.writable?.map(sandboxPath) ?? current.writable;
  const readable = written.readable?.map(sandboxPath) ?? current.readable;
  return {
    workspace: written.workspace === 'read-only' ? 'read-only' : current.workspace,
    writable: writable.filter((path) => mayWrite(current, path)),
    readable: readable.filter((path) => mayRead(current, path)),
    hidden: union(current.hidden, (written.hidden ?? []).map(sandboxPath)),
    network: lesser(current.network, written.network ?? current.network),
    limits: mapLimits((name) => smaller(current.limits[name], written.limits?.[name])),
  };
}

export type Tightened =
  | { readonly ok: true; readonly sandbox: Sandbox | null }
  | { readonly ok: false; readonly message: string };

/** The same for a hook, whose word is either followed or refused. */
export function tightened(current: Sandbox | null, asked: unknown): Tightened {
  const read = readRequested(asked);
  if (!read.ok) return { ok: false, message: read.message };
  const looser = loosens(current, read.asked);
  if (looser === null) return { ok: true, sandbox: clamped(current, read.asked) };
  return { ok: false, message: `the sandbox can only be tightened: ${looser}` };
}

/** What of it would be looser than the sandbox in force, as the rest of a sentence; null if nothing is. */
export function loosens(current: Sandbox | null, asked: RequestedSandbox): string | null {
  if (current === null) return null;
  if (asked === true) return null;
  if (asked === false) return 'it cannot be taken away';
  const { workspace, network, limits = {} } = asked;
  if (workspace === 'writable' && current.workspace !== 'writable') return 'the workspace is read-only';
  const written = asked.writable?.map(sandboxPath).find((path) => !mayWrite(current, path));
  if (written !== undefined) return `${quote(written)} is not writable`;
  const read = asked.readable?.map(sandboxPath).find((path) => !mayRead(current, path));
  if (read !== undefined) return `${quote(read)} is not readable`;
  if (network !== undefined && lesser(current.network, network) !== network) {
    return `network is ${quote(current.network)}, want ${quote(network)}`;
  }
  for (const name of LIMIT_NAMES) {
    const wanted = limits[name];
    if (wanted !== undefined && smaller(current.limits[name], wanted) !== wanted) {
      return `limits.${name} is ${current.limits[name]}, want ${wanted === 0 ? '0 (none)' : wanted}`;
    }
  }
  return null;
}

/** A value that came from a script or a payload, held against the shape. */
function readRequested(
  asked: unknown,
): { ok: true; asked: RequestedSandbox } | { ok: false; message: string } {
  const [fault] = check(SANDBOX, asked).filter(isError);
  if (fault === undefined) return { ok: true, asked: asked as RequestedSandbox };
  const at = fault.path.length === 0 ? '' : `.${fault.path.join('.')}`;
  if (fault.kind === 'unknown') {
    const near = didYouMean(String(fault.path.at(-1)), Object.keys(fault.field.fields ?? {}));
    return { ok: false, message: `sandbox${at} is no key of a sandbox${near}` };
  }
  const want = fault.field.enum?.join(', ') ?? EXPECTED[fault.field.kind] ?? fault.field.kind;
  return { ok: false, message: `sandbox${at}: want ${want}, got ${JSON.stringify(fault.value) ?? 'None'}` };
}

const EXPECTED: Readonly<Record<string, string>> = {
  either: 'True or a dict',
  array: 'a list of paths',
  object: 'a dict',
  integer: 'a whole number from 0 on',
  string: 'a text',
};

/** One that stands in a payload or a request; null if there is none that could be understood. */
export function sandboxIn(value: Json | undefined): Sandbox | null {
  if (!isJsonObject(value)) return null;
  const read = readRequested(value);
  return read.ok ? clamped(null, read.asked) : null;
}

/** Both at once: for a call that two have spoken of. */
export function tighterOf(a: Sandbox | null, b: Sandbox | null): Sandbox | null {
  if (a === null || b === null) return a ?? b;
  return clamped(a, b);
}

function completed(written: WrittenSandbox): Sandbox {
  const paths = (list: readonly string[] | undefined) => [...new Set((list ?? []).map(sandboxPath))];
  return {
    workspace: written.workspace ?? DEFAULT_SANDBOX.workspace,
    writable: paths(written.writable),
    readable: paths(written.readable),
    hidden: paths(written.hidden),
    network: written.network ?? DEFAULT_SANDBOX.network,
    limits: mapLimits((name) => written.limits?.[name] ?? DEFAULT_LIMITS[name]),
  };
}

const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as (keyof SandboxLimits)[];

function mapLimits(value: (name: keyof SandboxLimits) => number): SandboxLimits {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, value(name)])) as unknown as SandboxLimits;
}

function smaller(a: number, b: number | undefined): number {
  if (b === undefined || b === 0) return a;
  return a === 0 ? b : Math.min(a, b);
}

function lesser(a: Network, b: Network): Network {
  return NETWORKS[Math.min(NETWORKS.indexOf(a), NETWORKS.indexOf(b))]!;
}

function mayWrite({ workspace, writable }: Sandbox, path: string): boolean {
  if (workspace === 'writable' && isInWorkspace(path)) return true;
  return writable.some((folder) => covers(folder, path));
}

function mayRead(sandbox: Sandbox, path: string): boolean {
  if (isInWorkspace(path)) return true;
  return [...sandbox.readable, ...sandbox.writable].some((folder) => covers(folder, path));
}

function isInWorkspace(path: string): boolean {
  return !path.startsWith('/') && !path.startsWith('~');
}

/** Without what says nothing. A path that leaves what it is relative to is taken as one from the root of nowhere: nothing covers it. */
export function sandboxPath(written: string): string {
  const base = written.startsWith('/') ? '/' : /^~(?:\/|$)/.test(written) ? '~/' : '';
  const parts: string[] = [];
  for (const part of written.slice(base === '~/' ? 1 : 0).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined && base !== '/') return `/../${written}`;
  }
  if (base === '~/') return parts.length === 0 ? '~' : `~/${parts.join('/')}`;
  return base + (parts.join('/') || (base === '' ? '.' : ''));
}

export function covers(folder: string, path: string): boolean {
  return folder === path || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}

/** One line for people. */
export function describeSandbox({ workspace, writable, readable, hidden, network, limits }: Sandbox): string {
  const more = (word: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${word} ${paths.join(', ')}`];
  const most = LIMIT_NAMES.filter((name) => limits[name] !== 0).map((name) => `${name} ${limits[name]}`);
  return [
    `workspace ${workspace}`,
    `network ${network}`,
    ...more('writes', writable),
    ...more('reads', readable),
    ...more('hides', hidden),
    `at most ${most.join(', ') || 'anything'}`,
  ].join('; ');
}
