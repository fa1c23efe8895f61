/**
 * Where tables from elsewhere come from: fetched when one is asked for and the last answer is older than its `ttl`, kept in
 * memory and, for the next process, in the user's folder of what Harness keeps. Bounded in time and size; whatever is not the
 * table (an error, a page, a value that does not fit its schema) is no answer, and the reason is said.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeSecureUrl } from '../../base/addresses.ts';
import { followHttp } from '../../base/follow-http.ts';
import type { Content, Host } from '../../base/host.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { readJson } from '../../base/json-text.ts';
import { replaceFile } from '../../base/own-file.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { faultIn } from '../../frontends/data/read-data.ts';
import { addressFor, type RemoteTable } from '../../frontends/data/remote-table.ts';
import { frozenCopy } from '../../hooks/frozen-copy.ts';
import { folderProblem, openFolder, stateFolder } from '../state-folder.ts';

const LIMITS = {
  bytes: 1024 * 1024,
  /** For all hops together; a hook with less time waits half of its own. */
  ms: 2000,
  redirects: 5,
  /** After a failure it is not tried again for so long: a call that follows is not held up as well. */
  pauseMs: 1000,
  /** Answers in memory: a table by key has one for each. */
  kept: 1000,
} as const;

/** What a table is fetched by. */
export interface TableRequest {
  readonly table: RemoteTable;
  readonly schema: Json | undefined;
  /** Hosts that may be reached. */
  readonly domains: readonly string[];
  /** The value of its key; null for a table without one. */
  readonly key: string | null;
  /** How much longer than `ttl` the last answer counts. */
  readonly staleMs: number;
  /** Of the hook that waits. */
  readonly timeoutMs: number;
}

interface Answer extends Content {
  /** When it was given: milliseconds since the epoch. */
  readonly at: number;
}

export class TableSource {
  private readonly answers = new Map<string, Answer>();
  private readonly asking = new Map<string, Promise<Answer>>();
  private readonly failed = new Map<string, { readonly until: number; readonly why: string }>();

  /** Rejects with the reason if there is none. */
  async read(request: TableRequest, host: Host): Promise<Content> {
    const url = addressFor(request.table.url, request.key ?? '');
    const { ttlMs } = request.table;
    const known = this.answers.get(url) ?? this.fromFile(url, request, host);
    if (known !== null && isWithin(known, ttlMs, host.now())) return known;
    try {
      return await this.ask(url, request, host);
    } catch (thrown) {
      const why = (thrown as Error).message;
      if (known === null || !isWithin(known, ttlMs + request.staleMs, host.now())) throw thrown;
      const { text, digest } = known;
      return { text, digest, note: `the table ${request.table.name} is an older one: ${why}` };
    }
  }

  /** Calls that want the same at once wait for one answer. */
  private ask(url: string, request: TableRequest, host: Host): Promise<Answer> {
    const paused = this.failed.get(url);
    if (paused !== undefined && paused.until > host.elapsed()) return Promise.reject(new Error(paused.why));
    let asking = this.asking.get(url);
    if (asking === undefined) {
      asking = this.renew(url, request, host).finally(() => this.asking.delete(url));
      this.asking.set(url, asking);
    }
    return asking;
  }

  private async renew(url: string, request: TableRequest, host: Host): Promise<Answer> {
    try {
      const text = await fetchText(url, request, host);
      const wrong = faultOf(text, request);
      if (wrong !== null) throw new Error(wrong);
      const answer = { text, digest: sha256Hex(text), at: host.now() };
      this.failed.delete(url);
      this.keep(url, answer);
      this.toFile(url, answer, host);
      return answer;
    } catch (thrown) {
      const why = (thrown as Error).message;
      if (this.failed.size >= LIMITS.kept) this.failed.clear();
      this.failed.set(url, { until: host.elapsed() + LIMITS.pauseMs, why });
      throw thrown;
    }
  }

  private keep(url: string, answer: Answer): void {
    this.answers.delete(url);
    this.answers.set(url, answer);
    if (this.answers.size > LIMITS.kept) this.answers.delete(this.answers.keys().next().value!);
  }

  /** What another process was given, if it is whole and still fits. */
  private fromFile(url: string, request: TableRequest, host: Host): Answer | null {
    const folder = folderFor(host);
    if (folder === null || folderProblem(folder) !== null) return null;
    try {
      const content = readFileSync(fileFor(folder, url), 'utf8');
      const end = content.indexOf('\n');
      const head = JSON.parse(content.slice(0, end)) as Partial<Answer> & { url?: string };
      const text = content.slice(end + 1);
      if (head.url !== url || typeof head.at !== 'number' || head.digest !== sha256Hex(text)) return null;
      if (faultOf(text, request) !== null) return null;
      const answer = { text, digest: head.digest, at: head.at };
      this.keep(url, answer);
      return answer;
    } catch {
      return null;
    }
  }

  /** Without it the next process asks again: nothing is lost but time. */
  private toFile(url: string, { at, digest, text }: Answer, host: Host): void {
    const folder = folderFor(host);
    if (folder === null || openFolder(folder) !== null) return;
    try {
      replaceFile(fileFor(folder, url), `${JSON.stringify({ url, at, digest })}\n${text}`);
    } catch {
      // As above.
    }
  }
}

/** A clock that was set back makes no answer younger: one from the future is none. */
function isWithin({ at }: Answer, ms: number, now: number): boolean {
  return now >= at && now - at < ms;
}

async function fetchText(url: string, { domains, timeoutMs }: TableRequest, host: Host): Promise<string> {
  const end = host.elapsed() + Math.min(LIMITS.ms, timeoutMs / 2);
  const { redirects, bytes: maxBytes } = LIMITS;
  const { signal } = new AbortController();
  const first = { method: 'GET', url, headers: { accept: 'application/json' }, body: null } as const;
  const answer = await followHttp(first, { domains, redirects }, (asked) => {
    const judged = judgeSecureUrl(asked.url, 'https://directory.example.com');
    if (!judged.ok) throw new Error(judged.message);
    return host.http({ ...asked, maxBytes, timeoutMs: Math.max(1, Math.ceil(end - host.elapsed())) }, signal);
  });
  if ('refused' in answer) throw new Error(answer.refused);
  if (answer.status !== 200) throw new Error(`the answer has status ${answer.status}`);
  return answer.body;
}

function faultOf(text: string, { table, schema }: TableRequest): string | null {
  const read = readJson(text);
  if (!read.ok) return `the answer is not usable JSON: ${read.message}`;
  return schema === undefined ? null : faultIn(table.name, schema, read.value);
}

function folderFor(host: Host): string | null {
  const state = stateFolder(host);
  return state === null ? null : join(state, 'tables');
}

function fileFor(folder: string, url: string): string {
  return join(folder, `${sha256Hex(url)}.table`);
}

/** The last few, so that a table is not read anew for each call. */
const values = new Map<string, Json>();
const MOST_VALUES = 16;

/** The table as scripts see it. Throws for a text that is none. */
export function tableValue({ text, digest }: Content): Json {
  const known = values.get(digest);
  if (known !== undefined) return known;
  const read = readJson(text);
  if (!read.ok) throw new Error(`is not usable JSON: ${read.message}`);
  const value = isJsonObject(read.value) || Array.isArray(read.value) ? frozenCopy(read.value) : read.value;
  values.set(digest, value);
  if (values.size > MOST_VALUES) values.delete(values.keys().next().value!);
  return value;
}
