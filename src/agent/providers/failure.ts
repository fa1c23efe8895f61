/**
 * What a status of a model service means to the loop: one table for all providers.
 */
import type { ProviderFailure } from '../provider.ts';

type Code = ProviderFailure['code'];

const CODES: Readonly<Record<number, Code>> = {
  400: 'bad_request',
  401: 'auth',
  403: 'auth',
  404: 'bad_request',
  408: 'timeout',
  413: 'too_long',
  422: 'bad_request',
  429: 'rate_limited',
};

/** How services say it, with the status of any other bad request. */
const TOO_LONG =
  /prompt is too long|context[_ ](?:length|window)|maximum context|(?:input|prompt|request) (?:is )?too (?:long|large)|too many (?:input )?tokens/i;

const RETRYABLE: ReadonlySet<Code> = new Set(['rate_limited', 'overloaded', 'timeout', 'network']);

export function failureOf(code: Code, message: string, more: Partial<ProviderFailure> = {}): ProviderFailure {
  return { code, message, retryable: RETRYABLE.has(code), ...more };
}

/** `retryAfterMs` where the service asked to wait. */
export function failureOfStatus(status: number, message: string, retryAfterMs?: number): ProviderFailure {
  const plain = CODES[status] ?? (status >= 500 ? 'overloaded' : 'unknown');
  const code = plain === 'bad_request' && TOO_LONG.test(message) ? 'too_long' : plain;
  return failureOf(code, message, { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
}
