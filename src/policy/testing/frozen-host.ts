/**
 * The machine as a test case sees it: a clock that stands still between steps, ids in a row, only the variables, addresses
 * and programs that the case names. Nothing outside the case can change its result.
 */
import type {
  Host,
  HttpRequest,
  HttpResponse,
  ProcessRequest,
  ProcessResult,
  Program,
} from '../../machine/index.ts';
import type { CommandStub, HttpStub, TestCase } from './test-case.ts';

/** Steps of a case are this far apart, so that windows of time can be told from one another. */
const STEP_MS = 1000;

export interface FrozenHost extends Host {
  /** Before each step after the first. */
  tick(): void;
}

export function frozenHost({
  clock,
  http,
  commands,
  env,
}: Pick<TestCase, 'clock' | 'http' | 'commands' | 'env'>): FrozenHost {
  let now = clock;
  let ids = 0;
  return {
    tick: () => {
      now += STEP_MS;
    },
    now: () => now,
    elapsed: () => 0,
    uuid: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    variables: () => env,
    http: async (request) => respond(http, request),
    run: async (request) => runStub(commands, request),
    appendFile: async () => {},
  };
}

function respond(stubs: readonly HttpStub[], { url, method }: HttpRequest): HttpResponse {
  const stub = stubs.find((each) => each.url === url && (each.method ?? method) === method);
  if (stub === undefined) throw new Error(`the case has no answer for ${method} ${url}: add it under http`);
  if (stub.error !== undefined) throw new Error(stub.error);
  return { status: stub.status ?? 200, headers: stub.headers ?? {}, body: stub.body ?? '' };
}

function runStub(stubs: readonly CommandStub[], { program }: ProcessRequest): ProcessResult {
  const line = lineOf(program);
  const stub = stubs.find(({ command }) => line.includes(command));
  const { stdout = '', stderr = '', exit = 0 } = stub ?? {};
  return {
    exitCode: stub === undefined ? null : exit,
    signal: null,
    stdout,
    stderr,
    stdoutBytes: Buffer.byteLength(stdout),
    stderrBytes: Buffer.byteLength(stderr),
    truncated: [],
    invalidUtf8: [],
    flooded: false,
    timedOut: false,
    aborted: false,
    startError:
      stub === undefined
        ? {
            code: 'COMMAND_MISSING',
            message: `tests start no programs: say under commands what ${line} does`,
          }
        : null,
    leftBehind: 0,
    ms: 0,
  };
}

function lineOf(program: Program): string {
  if ('argv' in program) return program.argv.join(' ');
  return 'shell' in program ? program.shell : program.script;
}
