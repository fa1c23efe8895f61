/**
 * A question that waits for a person, and the answer to it, as they lie in the queue: plain data, read back with distrust. An
 * answer names the digest of the call it is about; one that names another is none.
 */
import { digestOf, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { Ask } from '../../engine/index.ts';
import { callDigest } from './desk.ts';

/** What a host asks. */
export interface Asking {
  /** Who asks: `claude-code`, `harness run`, `harness mcp NAME`. */
  readonly host: string;
  readonly session: string;
  /** The folder whose policy asks, absolute. */
  readonly folder: string;
  /** The real path of the folder the call would run in; absent: the host has not said. */
  readonly cwd?: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly asks: readonly Ask[];
  /** In the words of the hooks. */
  readonly reason: string;
  /** The agent asks its own user as well: a yes from elsewhere is for the next try. */
  readonly elsewhere?: boolean;
  /** Tells one attempt from another, also if two processes hear of it. Not kept. */
  readonly call?: string;
}

export interface Question extends Omit<Asking, 'call'> {
  readonly id: string;
  /** Of the call: the tool, its arguments and the folder it would run in. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly asked: number;
  /** What an answer from far away has to name: it is for this question and no other. */
  readonly nonce: string;
  /** After that nobody can answer it. */
  readonly deadline: number;
}

/** For which calls a yes holds: this one, this one in this session, this one in this folder until a date. */
export type Scope = 'once' | 'session' | 'folder';

export interface Answer {
  readonly id: string;
  readonly digest: string;
  readonly approved: boolean;
  /** Who or what answered: `terminal`, `page`, `webhook`, `keyboard`, `agent`. */
  readonly by: string;
  readonly at: number;
  readonly scope: Scope;
  /** For `folder`. */
  readonly until: number | null;
  readonly reason: string | null;
}

/** The rank of the layer in which a person's word is kept: theirs. */
const USER_RANK = 2;

/** Whether a remembered yes counts: never for the built-in layer, and only for what its own or a lower layer asks. */
export function countsFor(asks: readonly Ask[]): boolean {
  return asks.every(({ rank }) => rank >= USER_RANK);
}

/** Two questions with one key are the same: the same call, in the same folder, asked about by the same hooks of the same policy. */
export function keyOf({
  folder,
  cwd,
  tool,
  args,
  asks,
}: Pick<Asking, 'folder' | 'cwd' | 'tool' | 'args' | 'asks'>): string {
  const hooks = asks.map(({ layer, hook, source }) => [layer, hook, source].join('\n')).sort();
  return digestOf([folder, callDigest(tool, args, cwd), hooks]).slice(0, 16);
}

/** As `harness hooks` names it. */
export function ruleName({ layer, hook }: Ask): string {
  return `${layer}/${hook}`;
}

export function askPlace({ source, line }: Ask): string {
  return line === undefined ? source : `${source}:${line}`;
}

export function questionText(question: Question): string {
  return `${JSON.stringify({ version: 1, ...question })}\n`;
}

export function answerText(answer: Answer): string {
  return `${JSON.stringify({ version: 1, ...answer })}\n`;
}

/** Null for what is none, or one whose digest is not that of its call. */
export function readQuestion(text: string): Question | null {
  const value = objectIn(text);
  if (value === null) return null;
  const { id, digest, nonce, host, session, folder, tool, args, asks, reason, asked, deadline, elsewhere } =
    value;
  const cwd = typeof value.cwd === 'string' ? value.cwd : undefined;
  const texts = [id, digest, nonce, host, session, folder, tool, reason];
  if (!texts.every((each) => typeof each === 'string') || !isJsonObject(args)) return null;
  if (typeof asked !== 'number' || typeof deadline !== 'number' || !isAsks(asks)) return null;
  if (callDigest(tool as string, args, cwd) !== digest) return null;
  return {
    ...{ id, digest, nonce, host, session, folder, tool, args, asks, reason, asked, deadline },
    ...(cwd !== undefined && { cwd }),
    ...(elsewhere === true && { elsewhere }),
  } as unknown as Question;
}

export function readAnswer(text: string): Answer | null {
  const value = objectIn(text);
  if (value === null) return null;
  const { id, digest, approved, by, at, scope, until, reason } = value;
  if (![id, digest, by].every((each) => typeof each === 'string') || typeof approved !== 'boolean')
    return null;
  if (typeof at !== 'number' || !isScope(scope)) return null;
  if (scope === 'folder' && typeof until !== 'number') return null;
  const said = typeof reason === 'string' ? reason : null;
  return { id, digest, approved, by, at, scope, until: until ?? null, reason: said } as unknown as Answer;
}

export function isScope(value: unknown): value is Scope {
  return value === 'once' || value === 'session' || value === 'folder';
}

function isAsks(value: Json | undefined): boolean {
  if (!Array.isArray(value)) return false;
  return value.every(
    (ask) =>
      isJsonObject(ask) &&
      [ask.hook, ask.layer, ask.reason, ask.source].every((each) => typeof each === 'string') &&
      typeof ask.rank === 'number',
  );
}

function objectIn(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) && value.version === 1 ? value : null;
  } catch {
    return null;
  }
}
