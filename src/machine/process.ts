/**
 * The one place that starts programs. A program runs in a process group of its own, within a time and an output limit,
 * and whatever happens the result is data, comes by the deadline, and leaves no process behind.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { LONGEST_TIMER_MS } from '../base/index.ts';
import { type Launcher, NEVER_RAN, type ProcessRequest, type ProcessResult, type Program } from './host.ts';
import { withoutInherited } from './inherited-descriptors.ts';
import { inputFile } from './process-input.ts';
import { killGroup, killMarked, killMarkedSoon, MARKER, track, untrack } from './process-sweep.ts';
import { guardedPath, programEnvironment, type Variables } from './program-environment.ts';
import { randomHex } from './random.ts';
import { planScript, thisMachine } from './script.ts';

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
/** What exceeds the limit is read and counted, so that a program can end in its own way; this many times it is a flood. */
const FLOOD = 8;
/** A program that has exited may have children that hold its output open: so long they may finish writing. */
const DRAIN_MS = 250;
/** After they were ended, the pipes close at once; this is only the outer net. */
const CLOSE_MS = 400;
/** The descriptor on which a launcher says how the program ended. */
const STATUS = 3;
const STATUS_CHARS = 2000;

/** Settles by the deadline. Never rejects. `variables` is the environment that the program inherits from. */
export async function runProcess(
  request: ProcessRequest,
  signal: AbortSignal | null,
  variables: Variables = process.env,
): Promise<ProcessResult> {
  const { program, cwd } = request;
  // A wall that was asked for and is not there must not look like one that holds.
  if (request.sandbox !== undefined && request.launcher === undefined) return NO_SANDBOX;
  if (!('script' in program)) return start({ ...request, program }, signal, variables);
  const plan = await planScript(
    cwd,
    program.script,
    thisMachine((name) => variables[name]),
  );
  if (plan.ok) return start({ ...request, program: plan }, signal, variables);
  return { ...NEVER_RAN, startError: { code: plan.code, message: plan.message } };
}

type Startable = ProcessRequest & { readonly program: Exclude<Program, { script: string }> };

function start(request: Startable, signal: AbortSignal | null, variables: Variables): Promise<ProcessResult> {
  return new Promise((resolve) => new RunningProcess(request, signal, variables, resolve).start());
}

const NO_SANDBOX: ProcessResult = {
  ...NEVER_RAN,
  startError: { code: 'SANDBOX_UNAVAILABLE', message: 'a sandbox is asked for, and this host makes none' },
};

function inherited(
  variables: Variables,
  pass: readonly string[] | undefined,
  guarded: string | null,
): Record<string, string> {
  const given = programEnvironment(variables, pass);
  if (guarded !== null && given.PATH !== undefined) given.PATH = guardedPath(given.PATH, guarded);
  return given;
}

export function withLauncher(given: Record<string, string>, { env }: Launcher): Record<string, string> {
  const changed: Record<string, string | null> = { ...given, ...env };
  return Object.fromEntries(
    Object.entries(changed).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** So many programs at once; the others wait for one to end. */
const MOST_AT_ONCE = 64;

/**
 * Programs start one after the other: to start one blocks this process for a millisecond or more, and between two of them other
 * work has its turn.
 */
const queue = {
  waiting: [] as RunningProcess[],
  running: 0,
  /** One was started in this turn of the loop. */
  started: false,

  enter(program: RunningProcess): void {
    this.waiting.push(program);
    this.go();
  },

  ended(): void {
    this.running--;
    this.go();
  },

  go(): void {
    if (this.started || this.running >= MOST_AT_ONCE) return;
    const next = this.waiting.shift();
    if (next === undefined) return;
    this.running++;
    this.started = true;
    setImmediate(() => {
      this.started = false;
      this.go();
    });
    next.begin();
  },
};

class RunningProcess {
  private readonly request: Startable;
  private readonly signal: AbortSignal | null;
  private readonly variables: Variables;
  private readonly resolve: (result: ProcessResult) => void;
  private readonly mark = randomHex(12);
  private readonly began = performance.now();
  private readonly stdout: Capture;
  private readonly stderr: Capture;
  private child: ChildProcess | null = null;
  private deadline: NodeJS.Timeout | undefined;
  private draining: NodeJS.Timeout | undefined;
  private exit: { readonly code: number | null; readonly signal: string | null } | null = null;
  /** Its output has ended, and what it left behind is looked for. */
  private closing = false;
  private leftBehind = 0;
  private begun = false;
  private settled = false;
  /** What a launcher said of the program. */
  private status = '';

  constructor(
    request: Startable,
    signal: AbortSignal | null,
    variables: Variables,
    resolve: (result: ProcessResult) => void,
  ) {
    this.request = request;
    this.signal = signal;
    this.variables = variables;
    this.resolve = resolve;
    const limit = request.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
    const flooded = () => this.stop({ flooded: true });
    this.stdout = new Capture(limit, flooded);
    this.stderr = new Capture(limit, flooded);
  }

  start(): void {
    if (this.signal?.aborted) {
      this.settle({ aborted: true });
      return;
    }
    const limit = Math.min(Math.max(this.request.timeoutMs, 1), LONGEST_TIMER_MS);
    this.deadline = setTimeout(() => this.late(), limit);
    this.signal?.addEventListener('abort', this, { once: true });
    queue.enter(this);
  }

  /** Its turn to be started has come. */
  begin(): void {
    this.begun = true;
    if (this.settled) {
      queue.ended();
      return;
    }
    try {
      this.child = this.spawn();
    } catch (thrown) {
      this.notStarted(thrown);
      return;
    }
    const { child } = this;
    // Also after the result is out: a late error without a listener would end the whole program.
    child.on('error', (error) => this.notStarted(error));
    if (child.pid !== undefined) this.follow(child, child.pid);
  }

  private spawn(): ChildProcess {
    const { program, cwd, env, pass, guards, stdin, launcher } = this.request;
    const own = 'shell' in program ? ['/bin/sh', '-c', program.shell] : program.argv;
    const [file = '', ...args] = launcher === undefined ? own : [...launcher.argv, ...own];
    const guarded = guards === true ? cwd : null;
    const given = { ...inherited(this.variables, pass, guarded), ...env, [MARKER]: this.mark };
    const opened: number[] = [];
    const open = (descriptor: number | null) => {
      if (descriptor !== null) opened.push(descriptor);
      return descriptor;
    };
    try {
      const streams: StdioOptions = [open(inputFile(Buffer.from(stdin, 'utf8'))) ?? 'pipe', 'pipe', 'pipe'];
      if (launcher !== undefined) this.handOver(launcher, streams, open);
      return spawn(file, args, {
        cwd,
        env: launcher === undefined ? given : withLauncher(given, launcher),
        // A session of its own: it can be ended as a whole, and no terminal is there to ask questions on.
        detached: true,
        stdio: streams,
      });
    } finally {
      for (const descriptor of opened) closeSync(descriptor);
    }
  }

  /** The descriptors of a launcher; and nothing in the place of those that this process was itself started with. */
  private handOver(
    { filter }: Launcher,
    streams: StdioOptions & unknown[],
    open: (descriptor: number | null) => number | null,
  ): void {
    streams.push('pipe');
    if (filter !== undefined) {
      const descriptor = open(inputFile(filter));
      if (descriptor === null) throw new Error('the filter of the sandbox cannot be handed over');
      streams.push(descriptor);
    }
    open(withoutInherited(streams));
  }

  private follow(child: ChildProcess, pid: number): void {
    track(pid, this.mark);
    child.once('exit', (code, signal) => this.exited(code, signal));
    child.once('close', () => this.closed());
    this.stdout.follow(child.stdout!);
    this.stderr.follow(child.stderr!);
    if (this.request.launcher !== undefined) {
      const status = child.stdio[STATUS] as Readable;
      status.on('error', () => {});
      status.on('data', (chunk: Buffer) => {
        this.status = (this.status + chunk.toString('latin1')).slice(-STATUS_CHARS);
      });
    }
    // Only where its input could not be a file. A program need not read what it is told.
    child.stdin?.on('error', () => {});
    child.stdin?.end(this.request.stdin);
  }

  /** The abort: the process listens itself, so that what is added is what is removed. */
  handleEvent(): void {
    this.stop({ aborted: true });
  }

  private notStarted(thrown: unknown): void {
    const { code = 'UNKNOWN', message } = thrown as NodeJS.ErrnoException;
    this.settle({ startError: { code, message } });
  }

  private exited(code: number | null, signal: string | null): void {
    this.exit = { code, signal };
    if (this.settled) return;
    this.draining = setTimeout(() => {
      this.endRest();
      this.draining = setTimeout(() => this.settle({}), CLOSE_MS);
    }, DRAIN_MS);
  }

  private closed(): void {
    if (this.settled || this.closing) return;
    this.closing = true;
    const pid = this.child!.pid!;
    killMarkedSoon(pid, this.mark, (marked) => {
      if (this.settled) return;
      this.noteLeft(marked, killGroup(pid));
      this.settle({});
    });
  }

  /** Its time is up. One that has exited has answered; only its children are late. */
  private late(): void {
    if (this.exit === null) this.stop({ timedOut: true });
    else this.closed();
  }

  private stop(why: Partial<ProcessResult>): void {
    if (this.settled) return;
    this.endAll();
    this.settle(why);
  }

  private endAll(): void {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    killGroup(pid);
    killMarked(pid, this.mark);
  }

  /** The program has exited by itself: what is still there was left behind. */
  private endRest(): void {
    const pid = this.child!.pid!;
    const marked = killMarked(pid, this.mark);
    this.noteLeft(marked, killGroup(pid));
  }

  private noteLeft(marked: number | null, grouped: boolean): void {
    this.leftBehind += marked ?? (grouped ? 1 : 0);
  }

  private settle(how: Partial<ProcessResult>): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.deadline);
    clearTimeout(this.draining);
    this.signal?.removeEventListener('abort', this);
    this.letGo();
    if (this.begun) queue.ended();
    const [stdout, stderr] = [this.stdout.read(), this.stderr.read()];
    const which = (flag: 'truncated' | 'invalid') => [
      ...(stdout[flag] ? (['stdout'] as const) : []),
      ...(stderr[flag] ? (['stderr'] as const) : []),
    ];
    this.resolve({
      ...NEVER_RAN,
      ...this.wallFault(stderr.text),
      exitCode: this.exit?.code ?? null,
      signal: this.exit?.signal ?? null,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytes: this.stdout.bytes,
      stderrBytes: this.stderr.bytes,
      truncated: which('truncated'),
      invalidUtf8: which('invalid'),
      leftBehind: this.leftBehind,
      ms: performance.now() - this.began,
      ...how,
    });
  }

  /** The launcher has ended by itself and does not know how the program did: it never ran. */
  private wallFault(stderr: string): Partial<ProcessResult> {
    const { launcher } = this.request;
    if (launcher === undefined || this.exit === null || this.status.includes('"exit-code"')) return {};
    const why = stderr.trim().split('\n').at(-1) || 'it gave no reason';
    return { startError: { code: 'SANDBOX_FAILED', message: `the program was not started: ${why}` } };
  }

  /** Nothing of the process may keep ours alive, not even one that does not die of a kill. */
  private letGo(): void {
    const { child } = this;
    if (child === null) return;
    for (const stream of child.stdio) stream?.destroy();
    child.unref();
    if (child.pid !== undefined) untrack(child.pid);
  }
}

/** One output: the first bytes are kept, the others counted. */
class Capture {
  bytes = 0;
  private readonly limit: number;
  private readonly onFlood: () => void;
  private readonly chunks: Buffer[] = [];
  private kept = 0;

  constructor(limit: number, onFlood: () => void) {
    this.limit = limit;
    this.onFlood = onFlood;
  }

  follow(stream: Readable): void {
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      const room = this.limit - this.kept;
      if (room > 0) {
        this.chunks.push(chunk.subarray(0, room));
        this.kept += Math.min(room, chunk.length);
      }
      if (this.bytes > this.limit * FLOOD) this.onFlood();
    });
  }

  read(): { readonly text: string; readonly truncated: boolean; readonly invalid: boolean } {
    const bytes = Buffer.concat(this.chunks);
    const truncated = this.bytes > this.kept;
    try {
      // What was cut off may end inside a character, which streaming forgives.
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: truncated });
      return { text, truncated, invalid: false };
    } catch {
      return { text: bytes.toString('utf8'), truncated, invalid: true };
    }
  }
}
