/**
 * `harness sandbox`: starts a program, such as an installed agent, inside the walls that a policy puts around its tools. The
 * agent's own settings can be written, ours cannot; its hooks are in place, and decide outside.
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { agentOfProgram, type CodingAgent, ownLauncher } from '../agents/index.ts';
import { didYouMean, HarnessError } from '../base/index.ts';
import { decideOutside, type OutsideDecider } from '../launcher/index.ts';
import {
  type Containment,
  clamped,
  DEFAULT_LIMITS,
  describeSandbox,
  loosens,
  machineHost,
  makeWalls,
  NETWORKS,
  programEnvironment,
  runInForeground,
  type Sandbox,
  searchFolders,
  type WrittenSandbox,
} from '../machine/index.ts';
import { layerPlaces, type Policy, stateFolder } from '../policy/index.ts';
import {
  type Arguments,
  noteMissing,
  noteUntrusted,
  type Output,
  openPolicyAt,
  quote,
  type Run,
  UsageError,
} from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  const [name = ''] = args.positionals;
  if (name === '') throw new UsageError('sandbox needs a program: harness sandbox -- CMD …');
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  noteMissing(policy, output);
  for (const folder of policy.untrusted) noteUntrusted(folder, output);
  const workspace = realpathSync(args.value('dir') ?? '.');
  const program = programAt(name, workspace);
  const agent = agentOfProgram(basename(name));
  const sandbox = sandboxFor(policy, agent, args);
  if (args.has('print')) return show(sandbox, agent, args, output);
  return start({ policy, workspace, program, agent, sandbox }, args.positionals.slice(1), output);
};

/** What the policy says, and on top of it what the agent cannot do without; what the person adds may only tighten a policy. */
function sandboxFor(policy: Policy, agent: CodingAgent | null, args: Arguments): Sandbox {
  const asked = requestedSandbox(args);
  const stated = policy.settings.sandbox;
  const looser = loosens(stated, asked);
  if (looser !== null)
    throw new UsageError(`the policy of this folder has a sandbox, which can only be tightened: ${looser}`);
  const base = clamped(
    stated,
    stated === null && agent !== null ? { limits: AGENT_LIMITS, ...asked } : asked,
  )!;
  if (agent === null) return base;
  return {
    ...base,
    writable: [...base.writable, ...agent.sandbox.writes],
    readable: [...base.readable, ...agent.sandbox.reads],
    network: asked.network ?? (stated?.network === 'open' ? 'open' : 'allowed'),
  };
}

/** Without a policy that says it: an agent is many programs. */
const AGENT_LIMITS = { ...DEFAULT_LIMITS, processes: 2048, memory_mb: 16_384, scratch_mb: 2048 };

function requestedSandbox(args: Arguments): WrittenSandbox {
  const network = args.value('network');
  if (network !== undefined && !(NETWORKS as readonly string[]).includes(network)) {
    throw new UsageError(
      `--network: want ${NETWORKS.join(', ')}, got ${quote(network)}${didYouMean(network, [...NETWORKS])}`,
    );
  }
  const list = (option: string) =>
    args
      .value(option)
      ?.split(':')
      .filter((path) => path !== '');
  const [writable, readable, hidden] = [list('write'), list('read'), list('hide')];
  return {
    ...(network !== undefined && { network: network as WrittenSandbox['network'] & string }),
    ...(writable !== undefined && { writable }),
    ...(readable !== undefined && { readable }),
    ...(hidden !== undefined && { hidden }),
    ...(args.has('read-only') && { workspace: 'read-only' as const }),
  };
}

function show(sandbox: Sandbox, agent: CodingAgent | null, args: Arguments, output: Output): number {
  if (args.has('json')) output.line(JSON.stringify({ agent: agent?.adapter.agent ?? null, sandbox }));
  else {
    if (agent !== null) output.line(`agent    ${agent.adapter.agent}`);
    output.line(`sandbox  ${describeSandbox(sandbox)}`);
  }
  return 0;
}

interface Start {
  readonly policy: Policy;
  readonly workspace: string;
  readonly program: string;
  readonly agent: CodingAgent | null;
  readonly sandbox: Sandbox;
}

async function start(
  { policy, workspace, program, agent, sandbox }: Start,
  rest: readonly string[],
  output: Output,
): Promise<number> {
  const { node, entry } = ownLauncher();
  const domains = [...policy.settings.allowedDomains, ...(agent?.sandbox.hosts ?? [])];
  const containment: Containment = { ...policy.containment(workspace), domains: () => domains };
  const decider = await decideOutside(entry, policy.places);
  const needed = [dirname(dirname(entry)), node, ...programPlaces(program)];
  try {
    const walls = await makeWalls(machineHost, containment, sandbox, {
      cwd: workspace,
      needed,
      placed: ourPlaces(decider),
      terminal: true,
    });
    if ('problem' in walls)
      throw new HarnessError('SANDBOX_UNAVAILABLE', `the sandbox cannot be made: ${walls.problem}`);
    const { launcher: walled, group } = walls;
    const passed = [...policy.settings.environment.pass, ...(agent?.sandbox.variables ?? [])];
    const env = {
      ...programEnvironment(machineHost.variables(), passed),
      ...agent?.sandbox.env,
      // The engine outside decides for the agent inside, whatever is said about the user's daemon.
      HARNESS_DAEMON: 'sandbox',
    };
    const absent = containment.guarded().files.filter((path) => !existsSync(path));
    const ended = await runInForeground({ argv: [program, ...rest], cwd: workspace, env, launcher: walled });
    group?.close();
    const made = absent.filter((path) => existsSync(path));
    for (const path of made) output.note(`harness sandbox: ${quote(path)} ${MADE_INSIDE}`);
    if ('problem' in ended) output.note(`harness sandbox: ${ended.problem}`);
    return 'problem' in ended ? 1 : ended.exitCode || Math.sign(made.length);
  } finally {
    await decider.close();
  }
}

/** A file in a folder that has to be written to cannot be kept from being made: it is told. */
const MADE_INSIDE =
  'was not there before. The policy, or the hooks of an agent, are read from it the next time: look at it first';

/** The program itself, and the package it stands in, wherever its name leads. */
function programPlaces(program: string): string[] {
  const real = realpathSync(program);
  const inPackage = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(real)?.[1];
  return [program, real, ...(inPackage === undefined ? [] : [inPackage])];
}

/**
 * What Harness keeps and the user's policy, as they stand inside: read-only also if they are not there, so that nobody can put
 * there what a launcher inside would believe.
 */
function ourPlaces({ state, empty }: OutsideDecider): { readonly path: string; readonly from: string }[] {
  const [kept, { user }] = [stateFolder(machineHost), layerPlaces(machineHost)];
  return [
    ...(kept === null ? [] : [{ path: kept, from: state }]),
    ...(user === null ? [] : [{ path: user, from: existsSync(user) ? realpathSync(user) : empty }]),
  ];
}

function programAt(name: string, workspace: string): string {
  if (name.includes('/')) {
    const path = resolve(name);
    if (isProgram(path)) return path;
    throw new UsageError(`no such program: ${quote(name)}`);
  }
  for (const folder of searchFolders(machineHost.env('PATH') ?? '', workspace)) {
    const path = join(folder, name);
    if (isProgram(path)) return path;
  }
  throw new UsageError(`no such program on PATH: ${quote(name)}`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
