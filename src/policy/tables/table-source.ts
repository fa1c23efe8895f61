/**
 * Where tables from elsewhere come from: fetched when one is asked for and the last answer is older than its `ttl`, kept in
 * memory and, for the next process, in the user's folder of what Harness keeps. Bounded in time and size; whatever is not the
 * table (an error, a page, a value that does not fit its schema) is no answer, and the reason is said.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap, type Json, sha256Hex } from '../../base/index.ts';
import { frozenCopy } from '../../engine/index.ts';
import {
  addressFor,
  faultIn,
  type RemoteTable,
  readTableText,
  type TableForm,
} from '../../frontends/index.ts';
import {
  type Content,
  followHttp,
  type Host,
  type HttpResponse,
  judgeSecureUrl,
  judgeUrl,
  replaceFile,
} from '../../machine/index.ts';
import { folderProblem, openFolder, stateFolder } from '../state-folder.ts';

const LIMITS = {
  bytes: 1024 * 1024,
  /** For all hops together; a hook with less time waits half of its own. */
  ms: 2000,
  redirects: 5,
  /** After a failure it is not tried again for so long: a call that follows is not held up as well. */
  pauseMs: 1000,
  /** Answers in memory: a table by key has one for each. */
  cached: 1000,
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

interface Asking extends TableRequest {
  readonly url: string;
  readonly token: string | null;
}

interface Answer extends Content {
  /** When it was given: milliseconds since the epoch. */
  readonly at: number;
}

export class TableSource {
  private readonly answers = new BoundedMap<string, Answer>(LIMITS.cached);
  private readonly asking = new Map<string, Promise<Answer>>();
  private readonly failed = new BoundedMap<string, { readonly until: number; readonly why: string }>(
    LIMITS.cached,
  );

  /** Rejects with the reason if there is none. */
  async read(request: TableRequest, host: Host): Promise<Content> {
    const url = addressFor(request.table.url, request.key ?? '');
    const { ttlMs } = request.table;
    // What somebody else was given is for those who may ask for it themselves.
    const judged = judgeUrl(url, request.domains);
    if (!judged.ok) throw new Error(judged.message);
    const asked = { ...request, url, token: tokenFor(request.table, host) };
    const place = placeOf(asked);
    const known = this.answers.get(place) ?? this.fromFile(place, asked, host);
    if (known !== null && isWithin(known, ttlMs, host.now())) return known;
    try {
      return await this.ask(place, asked, host);
    } catch (thrown) {
      const why = (thrown as Error).message;
      if (known === null || !isWithin(known, ttlMs + request.staleMs, host.now())) throw thrown;
      const { text, digest } = known;
      return { text, digest, note: `the table ${request.table.name} is an older one: ${why}` };
    }
  }

  /** Calls that want the same at once wait for one answer. */
  private ask(place: string, request: Asking, host: Host): Promise<Answer> {
    const paused = this.failed.get(place);
    if (paused !== undefined && paused.until > host.elapsed()) return Promise.reject(new Error(paused.why));
    let asking = this.asking.get(place);
    if (asking === undefined) {
      asking = this.renew(place, request, host).finally(() => this.asking.delete(place));
      this.asking.set(place, asking);
    }
    return asking;
  }

  private async renew(place: string, request: Asking, host: Host): Promise<Answer> {
    try {
      const text = await fetchText(request, host);
      const wrong = faultOf(text, request);
      if (wrong !== null) throw new Error(wrong);
      const answer = { text, digest: sha256Hex(text), at: host.now() };
      this.failed.delete(place);
      this.answers.set(place, answer);
      this.toFile(place, request.url, answer, host);
      return answer;
    } catch (thrown) {
      const why = (thrown as Error).message;
      this.failed.set(place, { until: host.elapsed() + LIMITS.pauseMs, why });
      throw thrown;
    }
  }

  /** What another process was given, if it is whole and still fits. */
  private fromFile(place: string, request: Asking, host: Host): Answer | null {
    const folder = folderFor(host);
    if (folder === null || folderProblem(folder) !== null) return null;
    try {
      const content = readFileSync(fileFor(folder, place), 'utf8');
      const end = content.indexOf('\n');
      const head = JSON.parse(content.slice(0, end)) as Partial<Answer> & { url?: string };
      const text = content.slice(end + 1);
      if (head.url !== request.url || typeof head.at !== 'number' || head.digest !== sha256Hex(text))
        return null;
      if (faultOf(text, request) !== null) return null;
      const answer = { text, digest: head.digest, at: head.at };
      this.answers.set(place, answer);
      return answer;
    } catch {
      return null;
    }
  }

  /** Without it the next process asks again: nothing is lost but time. */
  private toFile(place: string, url: string, { at, digest, text }: Answer, host: Host): void {
    const folder = folderFor(host);
    if (folder === null || openFolder(folder) !== null) return;
    try {
      replaceFile(fileFor(folder, place), `${JSON.stringify({ url, at, digest })}\n${text}`, {
        flush: false,
      });
    } catch {
      // As above.
    }
  }
}

/** A clock that was set back makes no answer younger: one from the future is none. */
function isWithin({ at }: Answer, ms: number, now: number): boolean {
  return now >= at && now - at < ms;
}

/** The token is read each time: one that was changed is another one's word. */
function tokenFor({ tokenEnv }: RemoteTable, host: Host): string | null {
  if (tokenEnv === null) return null;
  const token = host.env(tokenEnv)?.trim();
  if (!token) throw new Error(`the variable ${tokenEnv}, which holds its token, is not set`);
  return token;
}

/** Where an answer is kept: what one token was given is not for another. */
function placeOf({ url, token }: Asking): string {
  return token === null ? url : `${url}\n${sha256Hex(token)}`;
}

const ACCEPT: Readonly<Record<TableForm, string>> = {
  json: 'application/json',
  yaml: 'application/yaml, text/yaml, text/plain',
  csv: 'text/csv, text/plain',
};

async function fetchText({ url, token, table, domains, timeoutMs }: Asking, host: Host): Promise<string> {
  const end = host.elapsed() + Math.min(LIMITS.ms, timeoutMs / 2);
  const { redirects, bytes: maxBytes } = LIMITS;
  const { signal } = new AbortController();
  const headers = { accept: ACCEPT[table.form], ...(token !== null && { authorization: `Bearer ${token}` }) };
  const first = { method: 'GET', url, headers, body: null } as const;
  const answer = await followHttp(first, { domains, redirects }, (asked) => {
    const judged = judgeSecureUrl(asked.url, 'https://directory.example.com');
    if (!judged.ok) throw new Error(judged.message);
    return host.http({ ...asked, maxBytes, timeoutMs: Math.max(1, Math.ceil(end - host.elapsed())) }, signal);
  });
  if ('refused' in answer) throw new Error(answer.refused);
  if (answer.status !== 200) throw new Error(`the answer has status ${answer.status}`);
  if (isPage(answer)) throw new Error('the answer is a page');
  return answer.body;
}

/** Any line is a CSV of one column: the page of a login or of an error would be an empty table. */
function isPage({ headers, body }: HttpResponse): boolean {
  return /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*</.test(body);
}

function faultOf(text: string, { table, schema }: TableRequest): string | null {
  const read = readTableText(table.form, text, 'the answer', schema);
  if (!read.ok) return read.problem.message;
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
const MOST_VALUES = 16;
const values = new BoundedMap<string, Json>(MOST_VALUES);

/** The table as scripts see it. Throws for a text that is none. */
export function tableValue(
  { text, digest }: Content,
  { table: { form }, schema }: Pick<TableRequest, 'table' | 'schema'>,
): Json {
  // Only of a CSV the schema says what its values are.
  const key = `${form} ${digest}${form === 'csv' ? JSON.stringify(schema) : ''}`;
  const known = values.get(key);
  if (known !== undefined) return known;
  const read = readTableText(form, text, 'the table', schema);
  if (!read.ok) throw new Error(read.problem.message);
  const value = frozenCopy(read.value);
  values.set(key, value);
  return value;
}
