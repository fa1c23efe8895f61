/** An error as both APIs of OpenAI word it. */
import type { JsonObject } from '../../base/index.ts';
import { type Failure, wordForStatus } from './dialect.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  503: 'service_unavailable',
};

export function openAiFailure({ status, message }: Failure): JsonObject {
  const type = wordForStatus(ERROR_TYPES, status, ['invalid_request_error', 'server_error']);
  return { error: { message, type, param: null, code: null } };
}
