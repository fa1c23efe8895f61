/**
 * What an SDK threw, as a failure of the loop's own: one table of what services call their errors, one of what is not worth
 * trying again. No message holds the key, whatever the service repeats.
 */
import { clip, isJsonObject, type JsonObject } from '../../base/index.ts';
import type { ProviderFailure } from '../provider.ts';
import { failureOf, failureOfStatus } from './failure.ts';
import type { Service } from './sdk.ts';

type ErrorClass = abstract new (...given: never[]) => Error;

/** The classes an SDK throws; both name them alike. */
export interface SdkErrors {
  readonly APIError: ErrorClass;
  readonly APIConnectionError: ErrorClass;
  readonly APIConnectionTimeoutError: ErrorClass;
  readonly APIUserAbortError: ErrorClass;
}

/** The service said something that is no answer. */
export class Malformed extends Error {}

/** The answer ended before it was whole. */
export class Truncated extends Error {}

/** What an error is called in the middle of a stream, where there is no status any more. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Money that is used up does not come back by waiting, although the status is that of a rate limit. */
const HOPELESS: ReadonlySet<unknown> = new Set(['insufficient_quota', 'enforced_spend_limit_reached']);

const MESSAGE_CHARS = 500;

export function failureFrom(thrown: unknown, service: Service, errors: SdkErrors): ProviderFailure {
  const failure = unguarded(thrown, service, errors);
  const { key } = service;
  const message = key === null ? failure.message : failure.message.replaceAll(key, '[key]');
  return { ...failure, message: clip(message, MESSAGE_CHARS) };
}

function unguarded(thrown: unknown, service: Service, errors: SdkErrors): ProviderFailure {
  const { name, url } = service;
  if (thrown instanceof errors.APIUserAbortError) return failureOf('aborted', 'the request was aborted');
  if (thrown instanceof errors.APIConnectionTimeoutError) return failureOf('timeout', `${name} timed out`);
  if (thrown instanceof errors.APIConnectionError)
    return failureOf('network', `cannot reach ${name} at ${url}: ${rootOf(thrown).message}`);
  if (thrown instanceof errors.APIError) return failureFromService(thrown as ServiceError, service);
  if (thrown instanceof Truncated) return failureOf('network', `${name} ${thrown.message}`);
  if (thrown instanceof Malformed) return failureOf('malformed', `${name} ${thrown.message}`);
  if (thrown instanceof SyntaxError)
    return failureOf('malformed', `${name} sent what is no JSON: ${thrown.message}`);
  const root = thrown instanceof Error ? rootOf(thrown) : null;
  if (root !== null && isOfNetwork(thrown as Error, root))
    return failureOf('network', `the connection to ${name} broke off: ${root.message}`);
  return failureOf('unknown', `${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
}

/** An error that the service itself put into words. */
interface ServiceError extends Error {
  readonly status?: number;
  readonly headers?: Headers;
  readonly requestID?: string | null;
  /** One SDK gives the whole body, the other the error in it. */
  readonly error?: unknown;
}

function failureFromService(thrown: ServiceError, { name, now }: Service): ProviderFailure {
  const { headers, requestID } = thrown;
  const body =
    isJsonObject(thrown.error) && isJsonObject(thrown.error.error) ? thrown.error.error : thrown.error;
  const error: JsonObject = isJsonObject(body) ? body : {};
  const details = isJsonObject(error.details) ? error.details : {};
  const status = thrown.status ?? statusOf(error);
  const said = typeof error.message === 'string' && error.message !== '' ? error.message : thrown.message;
  const request = requestID ? ` (request ${requestID})` : '';
  const failure =
    thrown.status === undefined
      ? `${name} broke off: ${said}${request}`
      : `${name} answered ${thrown.status}: ${withoutStatus(said, thrown.status)}${request}`;
  const plain =
    status === null
      ? failureOf('unknown', failure)
      : failureOfStatus(status, failure, headers && retryAfter(headers, now));
  if (HOPELESS.has(error.code) || HOPELESS.has(error.type) || HOPELESS.has(details.error_code))
    return { ...plain, retryable: false };
  const advice = headers?.get('x-should-retry');
  return advice === 'true' || advice === 'false' ? { ...plain, retryable: advice === 'true' } : plain;
}

function statusOf({ type, code }: JsonObject): number | null {
  for (const said of [code, type]) {
    if (typeof said === 'number' && said >= 400) return said;
    if (typeof said === 'string' && Object.hasOwn(STATUSES, said)) return STATUSES[said]!;
  }
  return null;
}

/** The SDKs put it in front of a message that they made themselves. */
function withoutStatus(said: string, status: number): string {
  return said.startsWith(`${status} `) ? said.slice(`${status} `.length) : said;
}

/** Seconds, or a date; some services give milliseconds beside it. */
function retryAfter(headers: Headers, now: () => number): number | undefined {
  const exact = amount(headers.get('retry-after-ms'));
  if (exact !== undefined) return exact;
  const text = headers.get('retry-after');
  const seconds = amount(text);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const wait = text === null ? Number.NaN : Date.parse(text) - now();
  return wait > 0 ? wait : undefined;
}

function amount(text: string | null): number | undefined {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined;
}

/** The platform wraps what really happened once or twice. */
function rootOf(thrown: Error): Error {
  let root = thrown;
  for (let depth = 0; depth < 5 && root.cause instanceof Error; depth++) root = root.cause;
  return root;
}

function isOfNetwork(thrown: Error, root: Error): boolean {
  if (thrown instanceof TypeError && /^(terminated|fetch failed)$/.test(thrown.message)) return true;
  return 'code' in root && /^(E[A-Z]+|UND_ERR_\w+)$/.test(String(root.code));
}
