/**
 * The policy over HTTP, for programs in other languages: a handler from `Request` to `Response` that any server of today can
 * mount. It decides, says whether it is well, and describes itself as OpenAPI. The caller that has the token is the host: it says who
 * is behind a question, unless the policy has an `identify` that tells it from a claim.
 *
 * ```ts
 * const handler = await createHandler({ policy: '.', token: process.env.HARNESS_TOKEN });
 * Bun.serve({ fetch: handler });
 * ```
 */
import { sameSecret } from '../../base/index.ts';
import { openPolicy, type Policy } from '../../policy/index.ts';
import { type AnswersOptions, MAX_BODY_BYTES, policyAnswers, problem } from './answers.ts';

export interface HandlerOptions extends AnswersOptions {
  /** An open policy, or the folder to look for one in and upwards from. */
  readonly policy: Policy | string;
  /** What callers have to send as a bearer. Without it everybody who reaches the handler is answered. */
  readonly token?: string;
}

export type Handler = (request: Request) => Promise<Response>;

export async function createHandler(options: HandlerOptions): Promise<Handler> {
  const policy = typeof options.policy === 'string' ? await openPolicy(options.policy) : options.policy;
  const wanted = options.token === undefined ? null : `Bearer ${options.token}`;
  const answers = policyAnswers(policy, options);
  return async (request) => {
    const known = wanted === null || sameSecret(request.headers.get('authorization') ?? '', wanted);
    const { status, headers, body } = known
      ? await answers(request.method, new URL(request.url).pathname, () => bodyOf(request))
      : problem(401, 'want a bearer token');
    return new Response(body, { status, headers });
  };
}

/** Null if it is too long; nothing beyond the limit is read. */
async function bodyOf(request: Request): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    size += value.length;
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel();
      return null;
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(whole);
}
