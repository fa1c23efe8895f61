/**
 * Everything the server was sent, in memory and, if wanted, as lines of JSON in a file. Keys of services are taken out
 * before anything is kept. A line is on file before its request is answered.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { basename, dirname, resolve } from 'node:path';
import type { Json } from '../../base/index.ts';
import type { Host } from '../../machine/index.ts';
import type { ModelRequest } from './model-request.ts';
import type { Delivery } from './send.ts';

/** What answered a request. */
export type AnsweredBy =
  /** `completions[place]` of the script. */
  | { readonly kind: 'item'; readonly place: number }
  /** A rule for side requests, by its name. */
  | { readonly kind: 'side'; readonly rule: string }
  /** The script had no item for it, and it got the text that ends a turn. */
  | { readonly kind: 'no-item' }
  /** A list of models, a count of tokens, a check that the server is there. */
  | { readonly kind: 'service' }
  /** No such path, or a body that cannot be read. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface RecordedRequest {
  /** From 1, in the order in which they were answered. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent: decoded, or the text if it is no JSON; null if there was none or it was too large. */
  readonly body: Json;
  /** The same in one form for all dialects; null if it does not ask a model. */
  readonly request: ModelRequest | null;
  readonly answeredBy: AnsweredBy;
  readonly status: number;
  /** Null while the answer is under way. */
  readonly delivery: Delivery | null;
}

const KEY_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
]);
const KEY_PARAMETERS: readonly string[] = ['key', 'api_key', 'access_token'];
const REMOVED = 'removed';

export function withoutKeys(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
      return [name, KEY_HEADERS.has(name) ? REMOVED : text];
    }),
  );
}

export function pathWithoutKeys(url: URL): string {
  const { searchParams } = url;
  if (!KEY_PARAMETERS.some((name) => searchParams.has(name))) return url.pathname + url.search;
  const clean = new URLSearchParams(searchParams);
  for (const name of KEY_PARAMETERS) if (clean.has(name)) clean.set(name, REMOVED);
  return `${url.pathname}?${clean}`;
}

/** The oldest requests are let go when all together are larger than this. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

type MutableRecord = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };

export class RequestRecord {
  private readonly kept: { readonly entry: MutableRecord; readonly characters: number }[] = [];
  private characters = 0;
  private readonly file: string | null;
  private readonly host: Host;
  /** Lines are appended one after the other. */
  private appended: Promise<void> = Promise.resolve();

  private readonly mostCharacters: number;

  constructor(file: string | undefined, host: Host, mostCharacters = MOST_CHARACTERS) {
    this.mostCharacters = mostCharacters;
    this.file = file === undefined ? null : resolve(file);
    this.host = host;
  }

  requests(): readonly RecordedRequest[] {
    return this.kept.map(({ entry }) => entry);
  }

  /** Rejects if the file cannot be written; the request is then still in memory. */
  async add(entry: MutableRecord, characters: number): Promise<void> {
    this.kept.push({ entry, characters });
    this.characters += characters;
    while (this.characters > this.mostCharacters && this.kept.length > 1) {
      this.characters -= this.kept.shift()!.characters;
    }
    await this.append(lineOf(entry));
  }

  /** Also makes the file, so that a place that cannot be written is found out at the start. */
  append(text: string): Promise<void> {
    const { file, host } = this;
    if (file === null) return Promise.resolve();
    const request = { root: dirname(file), path: basename(file), text };
    const next = this.appended.then(() => host.appendFile(request));
    this.appended = next.catch(() => {});
    return next;
  }
}

function lineOf({ request, delivery: _, ...entry }: MutableRecord): string {
  const model = request === null ? null : request.model;
  const dialect = request === null ? null : request.dialect;
  const { body, ...rest } = entry;
  try {
    return `${JSON.stringify({ ...rest, dialect, model, body })}\n`;
  } catch {
    // Nested too deep to be written; the rest still tells that it was there.
    return `${JSON.stringify({ ...rest, dialect, model, body: null })}\n`;
  }
}
