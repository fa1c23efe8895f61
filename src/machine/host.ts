/**
 * The one door for everything that is not a function of its input: clocks, ids, environment, network, programs. The
 * caller of the engine passes a Host; recording and replaying are Hosts too, so nothing else may touch these.
 */

import { type Json, type JsonObject, lateCrypto } from '../base/index.ts';
import type { AppendRequest } from './append-file.ts';
import { realPath } from './real-path.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Program =
  | { readonly argv: readonly string[] }
  | { readonly shell: string }
  /** Relative to `cwd`, or absolute; run by whatever on the machine can. */
  | { readonly script: string };

export interface MachineFacts {
  /** `linux`, `darwin`, `windows`, … */
  readonly platform: string;
  readonly hostname: string;
}

/**
 * What stands around a program and starts it: a command line that its own follows. It is told to say on descriptor 3 how the
 * program ended, as bubblewrap does with `--json-status-fd`, so that a wall that did not stand is told from a program that failed.
 */
export interface Launcher {
  readonly argv: readonly string[];
  /** Set for the program after all others; null takes a variable away. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Handed over on descriptor 4. */
  readonly filter?: Uint8Array;
}

export interface ProcessRequest {
  readonly program: Program;
  readonly cwd: string;
  /** Set for the program, beside the usual variables of the host (base/program-environment.ts). */
  readonly env: Readonly<Record<string, string>>;
  /** Further variables of the host that it is given: `NAME` or `PREFIX_*`. */
  readonly pass?: readonly string[];
  /** It guards something: programs are not taken from folders that an agent working in `cwd` can write. */
  readonly guards?: boolean;
  /** The sandbox it is to run in (src/machine/walls). A host that knows none does not start it. */
  readonly sandbox?: JsonObject;
  /** What makes that sandbox on this machine. */
  readonly launcher?: Launcher;
  readonly stdin: string;
  readonly timeoutMs: number;
  /** Kept of each of the two outputs; 1 MiB by default. */
  readonly maxOutputBytes?: number;
}

/** How a process ended. Plain data, so that it can be recorded. */
export interface ProcessResult {
  /** Null if it did not end by itself. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes it wrote to the two, also those not kept. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** An output of which not all was kept. */
  readonly truncated: readonly ('stdout' | 'stderr')[];
  /** An output that is not UTF-8; its text then holds replacement characters. */
  readonly invalidUtf8: readonly ('stdout' | 'stderr')[];
  /** It wrote so much that it was ended. */
  readonly flooded: boolean;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Why it never ran: a code of the operating system, such as ENOENT, or of base/errors.ts, such as COMMAND_MISSING. */
  readonly startError: { readonly code: string; readonly message: string } | null;
  /** Processes it started, did not wait for, and that were ended with it. */
  readonly leftBehind: number;
  readonly ms: number;
}

/** The result of a process of which nothing else is known. */
export const NEVER_RAN: ProcessResult = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  truncated: [],
  invalidUtf8: [],
  flooded: false,
  timedOut: false,
  aborted: false,
  startError: null,
  leftBehind: 0,
  ms: 0,
};

export interface Host {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start, for durations only; never part of what replay compares. */
  elapsed(): number;
  uuid(): string;
  env(name: string): string | undefined;
  /** The whole environment, to keep its secrets out of records. No decision may hang on it: it is no reading of a call. */
  variables(): Readonly<Record<string, string | undefined>>;
  /** What the machine is; absent where there is none to speak of. */
  machine?(): MachineFacts;
  /** An absolute path with its links followed; absent where there are no files. */
  realPath?(path: string): string;
  /** One exchange, no redirect followed: the caller checks each hop. */
  http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** One program from start to end, with everything it starts. Never rejects. */
  run(request: ProcessRequest, signal: AbortSignal | null): Promise<ProcessResult>;
  /** Adds to a file below a folder, never outside it. Rejects with the reason. */
  appendFile(request: AppendRequest): Promise<void>;
  /**
   * What a built-in guard learns of the machine by itself, as data. A host that records keeps what was found, one that
   * replays answers from that; any other host has none of this, and the guard just looks. `concerned` is whether there is
   * anything to look at, which `read` asks too: without it nothing that was found counts, and where nothing can be, nobody asks.
   */
  look?(kind: string, read: () => Json | undefined, concerned: () => boolean): Json | undefined;
  /**
   * A text too long for a record, such as a table from elsewhere: a host that records keeps its digest, and the text once
   * beside the record; one that replays answers from that. `read` is given the host behind it. Any other has none of this.
   */
  content?(key: Json, read: (host: Host) => Promise<Content>): Promise<Content>;
}

export interface Content {
  readonly text: string;
  /** SHA-256 of it. */
  readonly digest: string;
  /** What is to be said of it. */
  readonly note?: string;
}

// As exact as `performance.now`, which has a whole module loaded before it first answers.
const { hrtime } = process;

/** Milliseconds since the machine was started, those it slept included: a clock that nobody can set. */
export function uptimeMs(): number {
  return process.getBuiltinModule('node:os').uptime() * 1000;
}

/** The user this process runs as, by the system's own word and not by a variable; null if it has no name. */
export function systemUser(): string | null {
  // Asked once in a process; what another one put into a heap is not this one's.
  if (asked?.pid !== process.pid) asked = { pid: process.pid, name: askForUser() };
  return asked.name;
}

let asked: { readonly pid: number; readonly name: string | null } | null = null;

function askForUser(): string | null {
  try {
    return process.getBuiltinModule('node:os').userInfo().username || null;
  } catch {
    // An id without an entry, as in many containers.
    const id = process.getuid?.();
    return id === undefined ? null : `uid:${id}`;
  }
}

/** The real machine. What reaches out of the process is loaded on first use: it costs more to load than all else here. */
export const machineHost: Host = {
  now: () => Date.now(),
  elapsed: () => {
    const time = hrtime();
    return time[0] * 1e3 + time[1] / 1e6;
  },
  uuid: () => lateCrypto().randomUUID(),
  env: (name) => process.env[name],
  variables: () => process.env,
  machine: () => ({
    platform: process.platform === 'win32' ? 'windows' : process.platform,
    hostname: process.getBuiltinModule('node:os').hostname(),
  }),
  realPath,
  http: async (request, signal) => (await import('./http.ts')).exchange(request, signal),
  run: async (request, signal) => (await import('./process.ts')).runProcess(request, signal),
  appendFile: async (request) => (await import('./append-file.ts')).appendBelow(request),
};
