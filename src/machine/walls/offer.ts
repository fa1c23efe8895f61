/**
 * What this machine offers: found by trying, once a process and search path. A caller that asks for a sandbox is told what is missing and
 * what to do; nobody is given less than was asked for.
 */
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Host, machineHost, type ProcessResult } from '../host.ts';
import { searchFolders } from '../program-environment.ts';
import { launcherFor, type SandboxTools } from './bubblewrap.ts';
import { type ControlGroups, findControlGroups, GROUP_PREFIX } from './cgroup.ts';
import { type HardLimits, readHardLimits } from './limits.ts';
import type { SandboxPlan } from './plan.ts';
import { DEFAULT_SANDBOX, type Sandbox, type SandboxLimits } from './sandbox.ts';
import { filterFor } from './seccomp.ts';

export interface SandboxSupport {
  /** Null if there is none to be had; then `problem` says why. */
  readonly tools: SandboxTools | null;
  readonly problem: string | null;
  readonly version: string | null;
  /** Whom no limit on a user stops. */
  readonly root: boolean;
  readonly groups: ControlGroups;
  /** System calls are filtered. */
  readonly filtered: boolean;
}

const offers = new Map<string, Promise<SandboxSupport>>();

/**
 * `project`: programs are never taken from folders that an agent there can write. It is tried on the machine itself, whatever
 * else a host may do.
 */
export function findSandbox(host: Pick<Host, 'env'>, project: string): Promise<SandboxSupport> {
  const key = `${host.env('PATH')}\n${project}`;
  let found = offers.get(key);
  if (found === undefined) offers.set(key, (found = tryTools(host, project)));
  return found;
}

const NO_GROUPS: ControlGroups = { pids: null, memory: null };

async function tryTools(host: Pick<Host, 'env'>, project: string): Promise<SandboxSupport> {
  const root = isRoot();
  const nothing = (problem: string, version: string | null = null): SandboxSupport => ({
    ...{ tools: null, problem, version, root, groups: NO_GROUPS, filtered: false },
  });
  if (process.platform !== 'linux') return nothing(`it takes Linux, and this is ${process.platform}`);
  const folders = searchFolders(host.env('PATH') ?? '', project);
  const bwrap = find('bwrap', folders);
  if (bwrap === null) {
    return nothing('bubblewrap is not installed: want the program bwrap on PATH (apt install bubblewrap)');
  }
  const tools: SandboxTools = { bwrap, arch: process.arch, hard: hardLimits() };
  const { stdout } = await machineHost.run(versionAnswer([bwrap, '--version']), null);
  const version = /(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1] ?? null;
  const tried = await machineHost.run(
    { ...versionAnswer(['/bin/sh', '-c', LIMITED]), ...trial(tools) },
    null,
  );
  const fault = faultOf(tried);
  if (fault !== null) return nothing(`bubblewrap cannot work here: ${fault}`, version);
  const groups = root ? findControlGroups(groupName(machineHost)) : NO_GROUPS;
  return { tools, problem: null, version, root, groups, filtered: filterFor(process.arch) !== null };
}

export function groupName(host: Pick<Host, 'uuid'>): string {
  return `${GROUP_PREFIX}${host.uuid().slice(0, 18)}`;
}

/** Why a sandbox that is asked for cannot be made here, or null: said before anything starts. */
export function sandboxProblem(offer: SandboxSupport, { limits }: Sandbox): string | null {
  return offer.problem ?? limitProblem(offer, limits);
}

/** Why these limits cannot be held here, or null. */
export function limitProblem({ root, groups }: SandboxSupport, { processes }: SandboxLimits): string | null {
  if (!root || processes === 0 || groups.pids !== null) return null;
  return 'the number of processes of root can only be held by a control group, and none can be made here: run as another user, or set sandbox.limits.processes to 0';
}

const TRIAL_MS = 20_000;

function versionAnswer(argv: readonly string[]) {
  return { program: { argv }, cwd: '/', env: {}, stdin: '', timeoutMs: TRIAL_MS };
}

const TRIED_PROCESSES = 64;

/** The option for it is not the same in every shell. */
const LIMITED = `while read -r line; do case $line in "Max processes "*" ${TRIED_PROCESSES} "*) exit 0;; esac; done < /proc/self/limits; echo "its shell sets no limit of processes" >&2; exit 1`;

/** All walls, around a look at one of them. */
function trial(tools: SandboxTools) {
  const plan: SandboxPlan = {
    mounts: [{ kind: 'read-only', path: '/' }],
    cwd: '/',
    network: { kind: 'off' },
    limits: { ...DEFAULT_SANDBOX.limits, processes: TRIED_PROCESSES },
    env: {},
    terminal: false,
  };
  return { sandbox: DEFAULT_SANDBOX, launcher: launcherFor(plan, tools) };
}

function faultOf({ startError, exitCode, stderr }: ProcessResult): string | null {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  if (startError !== null) return said || startError.message;
  return exitCode === 0 ? null : said || `it ended with ${exitCode}`;
}

function find(name: string, folders: readonly string[]): string | null {
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not in this one.
    }
  }
  return null;
}

function hardLimits(): HardLimits {
  try {
    return readHardLimits(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    return new Map();
  }
}

/** Root of the machine itself: one of a namespace is counted like anybody. */
function isRoot(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    return /^\s*0\s+0\s/m.test(readFileSync('/proc/self/uid_map', 'latin1'));
  } catch {
    return true;
  }
}
