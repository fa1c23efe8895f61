/**
 * What a client and the daemon say to each other. A request is one line of lengths and three parts: words, environment,
 * payload. The daemon greets first, so that a client knows at once that somebody is there, then gives an answer or says why not.
 * Before it waits for a person or a program it says so, so that the client has more patience.
 * The native client speaks the same; see native/harness-hook.c.
 */
import type { Answer } from '../../agents/index.ts';

/** Spoken by both ends; others do not understand each other and part. */
export const PROTOCOL = 'harness-1';

export const LIMITS = {
  line: 400,
  words: 256 * 1024,
  environment: 2 * 1024 * 1024,
  /** A larger payload is the launcher's to judge. */
  payload: 16 * 1024 * 1024,
} as const;

const OPERATION_NAMES = ['hook', 'status', 'stop', 'page'] as const;
export type Operation = (typeof OPERATION_NAMES)[number];

const OPERATIONS: ReadonlySet<string> = new Set(OPERATION_NAMES);

export interface Request {
  readonly operation: Operation;
  /** Which launcher asks: device, number, size and time of its entry file. */
  readonly entry: string;
  /** Working folder, mount namespace, and the words of the launcher's command line. */
  readonly words: readonly string[];
  /** `NAME=value` each. */
  readonly environment: readonly string[];
  readonly payload: Uint8Array;
}

export function requestBytes({ operation, entry, words, environment, payload }: Request): Buffer {
  const [a, b] = [Buffer.from(words.join('\0')), Buffer.from(environment.join('\0'))];
  const line = `${PROTOCOL} ${operation} ${entry} ${a.length} ${b.length} ${payload.length}\n`;
  return Buffer.concat([Buffer.from(line), a, b, payload]);
}

export function helloLine(pid: number, version: string): string {
  return `${PROTOCOL} ${pid} ${version}\n`;
}

export function answerBytes({ exitCode, stdout, stderr }: Answer): Buffer {
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)];
  return Buffer.concat([Buffer.from(`answer ${exitCode} ${out.length} ${err.length}\n`), out, err]);
}

/** A person is asked or a program runs: the answer may take most of the client's time. */
export const WAIT_LINE = 'wait\n';

/** One line, whatever the reason holds. */
export function refusalBytes(reason: string): Buffer {
  return Buffer.from(`no ${reason.replace(/\s+/g, ' ').slice(0, LIMITS.line - 10)}\n`);
}

/** Bytes as they come, until what they are is known. */
export class Received {
  private readonly pieces: Buffer[] = [];
  private joined: Buffer = Buffer.alloc(0);
  size = 0;

  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.size += piece.length;
  }

  get bytes(): Buffer {
    if (this.pieces.length > 0) this.joined = Buffer.concat([this.joined, ...this.pieces.splice(0)]);
    return this.joined;
  }
}

interface Expected {
  readonly operation: Operation;
  readonly entry: string;
  readonly lengths: readonly [number, number, number];
  /** Where the parts begin. */
  readonly at: number;
  readonly total: number;
}

const HEAD = /^harness-1 ([a-z]+) ([0-9:]{1,120}|-) ([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9})$/;

/** What the first line says; null if it is not whole yet; a text if it is no request. */
export function requestHead(bytes: Buffer): Expected | null | string {
  const end = bytes.subarray(0, LIMITS.line).indexOf(10);
  if (end === -1) return bytes.length < LIMITS.line ? null : 'not understood';
  const found = HEAD.exec(bytes.toString('latin1', 0, end));
  if (found === null || !OPERATIONS.has(found[1]!)) return 'not understood';
  const lengths = [Number(found[3]), Number(found[4]), Number(found[5])] as const;
  const [words, environment, payload] = lengths;
  const fits = words <= LIMITS.words && environment <= LIMITS.environment && payload <= LIMITS.payload;
  if (!fits) return 'too large';
  const at = end + 1;
  return {
    operation: found[1] as Operation,
    entry: found[2]!,
    lengths,
    at,
    total: at + words + environment + payload,
  };
}

/** Once all of it is there. */
export function requestOf(bytes: Buffer, { operation, entry, lengths, at }: Expected): Request {
  const [a, b] = [at + lengths[0], at + lengths[0] + lengths[1]];
  const parts = (from: number, to: number) =>
    from === to ? [] : bytes.toString('utf8', from, to).split('\0');
  return {
    operation,
    entry,
    words: parts(at, a),
    environment: parts(a, b),
    payload: bytes.subarray(b, b + lengths[2]),
  };
}

/** What a client knows so far: nothing, that somebody is there, or what was said. */
export type ReplyState =
  | { readonly state: 'silent' | 'greeted' | 'waiting' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'answered'; readonly answer: Answer };

const HELLO = /^harness-1 [0-9]{1,10} \S{1,60}$/;
const ANSWER = /^answer ([0-9]{1,3}) ([0-9]{1,9}) ([0-9]{1,9})$/;

export function parseReply(bytes: Buffer): ReplyState {
  const first = bytes.indexOf(10);
  if (first === -1) return bytes.length < LIMITS.line ? { state: 'silent' } : garbled();
  if (!HELLO.test(bytes.toString('latin1', 0, first))) return garbled();
  const waits = bytes.toString('latin1', first + 1, first + 1 + WAIT_LINE.length) === WAIT_LINE;
  const so = { state: waits ? 'waiting' : 'greeted' } as const;
  const from = first + 1 + (waits ? WAIT_LINE.length : 0);
  const second = bytes.indexOf(10, from);
  if (second === -1) return bytes.length - from < LIMITS.line ? so : garbled();
  const line = bytes.toString('utf8', from, second);
  if (line.startsWith('no ')) return { state: 'refused', reason: line.slice(3) };
  const found = ANSWER.exec(line);
  if (found === null) return garbled();
  const [exitCode, out, err] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const at = second + 1;
  if (bytes.length < at + out + err) return so;
  const stdout = bytes.toString('utf8', at, at + out);
  return {
    state: 'answered',
    answer: { exitCode, stdout, stderr: bytes.toString('utf8', at + out, at + out + err) },
  };
}

function garbled(): ReplyState {
  return { state: 'refused', reason: 'it speaks another language' };
}
