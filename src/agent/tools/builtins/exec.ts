/**
 * `exec`: programs in the workspace, within a limit of time and output. `exec.run` takes a list and involves no shell;
 * `exec.shell` is there for those who mean one.
 */
import type { ProcessResult, Program } from '../../../machine/index.ts';
import {
  builtin,
  fail,
  Module,
  StarlarkError,
  type Thread,
  type Value,
  wantDict,
  wantItems,
  wantSmallInt,
  wantString,
  wrapJson,
} from '../../../starlark/index.ts';
import { type ToolScriptCall, toolCallOf } from '../script-call.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import { FileFault } from '../workspace.ts';

const FLAGS = { pure: false, async: true };

interface Options {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

export const EXEC = new Module(
  'exec',
  new Map<string, Value>([
    [
      'run',
      builtin(
        'exec.run',
        'argv, cwd=".", timeout_ms=None, env=None, stdin=""',
        (thread, argv, cwd, timeoutMs, env, stdin) => {
          const program = { argv: readArgv(thread, argv) };
          return start(thread, 'exec.run', program, readOptions('exec.run', cwd, timeoutMs, env, stdin));
        },
        FLAGS,
      ),
    ],
    [
      'shell',
      builtin(
        'exec.shell',
        'command, cwd=".", timeout_ms=None, env=None, stdin=""',
        (thread, command, cwd, timeoutMs, env, stdin) => {
          const program = {
            shell: withoutNul('exec.shell', 'command', wantString('exec.shell', 'command', command)),
          };
          return start(thread, 'exec.shell', program, readOptions('exec.shell', cwd, timeoutMs, env, stdin));
        },
        FLAGS,
      ),
    ],
  ]),
);

function readArgv(thread: Thread, argv: Value): string[] {
  // The commonest mistake, and one that a list of characters would hide.
  if (typeof argv === 'string') {
    fail(
      'exec.run: for parameter argv: got string, want list such as ["git", "status"]; exec.shell takes a command line',
    );
  }
  const words = wantItems(thread, 'exec.run', 'argv', argv).map((word, i) =>
    withoutNul('exec.run', `argv[${i}]`, wantString('exec.run', `argv[${i}]`, word)),
  );
  if (words.length === 0 || words[0] === '') fail('exec.run: for parameter argv: want the name of a program');
  return words;
}

function readOptions(fn: string, cwd: Value, timeoutMs: Value, env: Value, stdin: Value): Options {
  const limit = timeoutMs === null ? TOOL_LIMITS.execMs : wantSmallInt(fn, 'timeout_ms', timeoutMs);
  if (limit < 1 || limit > TOOL_LIMITS.longestExecMs) {
    fail(`${fn}: for parameter timeout_ms: want 1 to ${TOOL_LIMITS.longestExecMs}`);
  }
  const variables: Record<string, string> = Object.create(null);
  if (env !== null) {
    wantDict(fn, 'env', env).forEach((key, value) => {
      const name = wantString(fn, 'env', key);
      if (!/^[^=\0]+$/.test(name)) fail(`${fn}: for parameter env: ${JSON.stringify(name)} is no name`);
      variables[name] = withoutNul(fn, 'env', wantString(fn, `env[${JSON.stringify(name)}]`, value));
    });
  }
  return {
    cwd: wantString(fn, 'cwd', cwd),
    timeoutMs: limit,
    env: variables,
    stdin: wantString(fn, 'stdin', stdin),
  };
}

function withoutNul(fn: string, parameter: string, text: string): string {
  return text.includes('\0') ? fail(`${fn}: for parameter ${parameter}: holds a NUL character`) : text;
}

async function start(thread: Thread, fn: string, program: Program, options: Options): Promise<Value> {
  const call = toolCallOf(thread);
  const cwd = await folder(fn, call, options.cwd);
  const { env, stdin } = options;
  // A program that outlived its tool would be killed without a word; ended a little sooner, what it said is kept.
  const timeoutMs = Math.min(options.timeoutMs, Math.max(1, Math.floor(call.timeoutMs * 0.9)));
  const { passedVariables: pass = [] } = call.run.settings;
  const request = { program, cwd, env, pass, stdin, timeoutMs, maxOutputBytes: TOOL_LIMITS.outputBytes };
  const done = await call.host.run(request, call.signal);
  thread.spend(1);
  thread.charge(2 * (done.stdout.length + done.stderr.length));
  if (done.startError !== null) return fail(`${fn}: ${startFault(program, done.startError)}`);
  return wrapJson(resultOf(done));
}

async function folder(fn: string, call: ToolScriptCall, cwd: string): Promise<string> {
  try {
    return await call.workspace.locate(cwd);
  } catch (thrown) {
    if (thrown instanceof StarlarkError) throw thrown;
    if (thrown instanceof FileFault) return fail(`${fn}: for parameter cwd: ${thrown.message}`);
    throw thrown;
  }
}

/** The operating system's own text names paths of the machine; its code says enough. */
const START_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'it may not be executed',
  E2BIG: 'its arguments are too long',
};

function startFault(program: Program, error: NonNullable<ProcessResult['startError']>): string {
  if (error.code === 'FLOOR') return `refused: ${error.message}`;
  if (error.code.startsWith('SANDBOX_')) return error.message;
  const name = 'argv' in program ? JSON.stringify(program.argv[0]) : 'the shell';
  return `${name} cannot be started: ${START_FAULTS[error.code] ?? error.code}`;
}

/** Plain data, so that a tool can return it as it is. */
function resultOf(done: ProcessResult) {
  return {
    exit_code: done.exitCode,
    stdout: done.stdout,
    stderr: done.stderr,
    signal: done.signal,
    timed_out: done.timedOut,
    truncated: done.truncated.length > 0 || done.flooded,
  };
}
