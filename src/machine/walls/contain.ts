/**
 * A host whose programs run in a sandbox: the one that is in force, tightened by what a request asks for. It is the only place
 * where a program gets its walls; what cannot have them does not start, and its result says why. What makes them is loaded
 * when the first program needs them.
 */
import { type Host, NEVER_RAN, type ProcessRequest, type ProcessResult } from '../host.ts';
import type { SandboxPlaces } from './places.ts';
import { type Sandbox, sandboxIn, tighterOf } from './sandbox.ts';

/** What stands around programs; read anew for each of them, because a policy may change. */
export interface Containment {
  /** Null: only what a request asks for. */
  readonly sandbox: () => Sandbox | null;
  readonly workspace: string;
  readonly guarded: () => SandboxPlaces['guarded'];
  /** What programs may reach if the network is `allowed`. */
  readonly domains: () => readonly string[];
}

/** Every method of the host as it is, and `run` behind walls. */
export function containedHost(host: Host, containment: Containment): Host {
  return {
    now: () => host.now(),
    elapsed: () => host.elapsed(),
    uuid: () => host.uuid(),
    env: (name) => host.env(name),
    variables: () => host.variables(),
    ...(host.machine !== undefined && { machine: () => host.machine!() }),
    ...(host.realPath !== undefined && { realPath: (path) => host.realPath!(path) }),
    http: (request, signal) => host.http(request, signal),
    appendFile: (request) => host.appendFile(request),
    ...(host.look !== undefined && { look: (...asked) => host.look!(...asked) }),
    ...(host.content !== undefined && { content: (key, read) => host.content!(key, read) }),
    run: (request, signal) => run(host, containment, request, signal),
  };
}

async function run(
  host: Host,
  containment: Containment,
  request: ProcessRequest,
  signal: AbortSignal | null,
): Promise<ProcessResult> {
  const sandbox = tighterOf(containment.sandbox(), sandboxIn(request.sandbox));
  if (request.launcher !== undefined || sandbox === null) return host.run(request, signal);
  const { makeWalls, requiredSandbox } = await import('./walls.ts');
  const made = await makeWalls(host, containment, sandbox, {
    cwd: request.cwd,
    needed: requiredSandbox(request, containment.workspace),
  });
  if ('problem' in made) return unavailable(made.problem);
  try {
    return await host.run({ ...request, sandbox, launcher: made.launcher }, signal);
  } finally {
    made.group?.close();
  }
}

function unavailable(message: string): ProcessResult {
  return {
    ...NEVER_RAN,
    startError: {
      code: 'SANDBOX_UNAVAILABLE',
      message: `a sandbox is asked for and cannot be made: ${message}`,
    },
  };
}
