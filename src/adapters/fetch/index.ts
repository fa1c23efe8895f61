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
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { readJson } from '../../base/json-text.ts';
import { sha256Hex } from '../../base/sha256.ts';
import type { Outcome } from '../../events/decision.ts';
import { checkPayload, requireEvent } from '../../events/describe.ts';
import { resolveEvent } from '../../events/resolve.ts';
import type { Recorder } from '../../hooks/recorder.ts';
import type { Actor } from '../../hooks/who.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import type { Policy, PolicyDecideOptions } from '../../policy/policy.ts';
import { SessionEngines } from '../../policy/session-engines.ts';
import { type OpenApi, openApi } from './open-api.ts';

export interface HandlerOptions {
  /** An open policy, or the folder to look for one in and upwards from. */
  readonly policy: Policy | string;
  /** What callers have to send as a bearer. Without it everybody who reaches the handler is answered. */
  readonly token?: string;
  /** Where it is mounted; default: at the root. */
  readonly basePath?: string;
  /** Told of every decision; one that it cannot take is none. Without it nothing is recorded. */
  readonly recorder?: Recorder;
  /** Of everything that is decided here and names no other. */
  readonly session?: string;
}

export type Handler = (request: Request) => Promise<Response>;

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_SESSION = 200;

export async function createHandler(options: HandlerOptions): Promise<Handler> {
  const policy = typeof options.policy === 'string' ? await openPolicy(options.policy) : options.policy;
  const base = (options.basePath ?? '').replace(/\/$/, '');
  const wanted = options.token === undefined ? null : sha256Hex(`Bearer ${options.token}`);
  const engines = new SessionEngines(policy, options.recorder);
  const routes: Readonly<Record<string, (request: Request) => Promise<Response> | Response>> = {
    'POST /v1/decide': (request) => decide(policy, engines, options.session ?? '', request),
    'GET /v1/health': () => health(policy),
    'GET /openapi.json': () => answer(200, openApi(base) satisfies OpenApi as unknown as Json),
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
    const route = routes[`${request.method} ${path}`];
    // Digests of equal length: how long a comparison takes tells nothing.
    if (wanted !== null && sha256Hex(request.headers.get('authorization') ?? '') !== wanted)
      return problem(401, 'want a bearer token');
    if (route !== undefined) return route(request);
    const known = Object.keys(routes).some((each) => each.endsWith(` ${path}`));
    return problem(known ? 405 : 404, known ? `${request.method} is not for ${path}` : `there is no ${path}`);
  };
}

async function decide(
  policy: Policy,
  engines: SessionEngines,
  session: string,
  request: Request,
): Promise<Response> {
  const text = await bodyOf(request);
  if (text === null) return problem(413, `a body may have ${MAX_BODY_BYTES} bytes`);
  const reading = readJson(text);
  if (!reading.ok) return problem(400, `the body is not usable JSON: ${reading.message}`);
  const { value } = reading;
  if (!isJsonObject(value) || typeof value.event !== 'string')
    return problem(400, 'want {"event": …, "payload": …}');
  const resolved = resolveEvent(value.event);
  if (!resolved.ok) return problem(400, resolved.message + resolved.hint);
  const { event } = resolved;
  const payload = value.payload ?? null;
  const behind = behindOf(policy, value);
  if (typeof behind === 'string') return problem(400, behind);
  const engine = engines.of(behind.session ?? session);
  const fire = async (name: string, asked: Json): Promise<Outcome> =>
    policy.decideOver(engine, name, asked, behind);
  const outcome = await policy.settled(await fire(event, payload), undefined, fire);
  const { action, reason, hook, effects, trace } = outcome;
  return answer(200, {
    event,
    action,
    reason,
    hook,
    payload: outcome.payload as Json,
    effects: effects as unknown as Json,
    trace: trace as unknown as Json,
    policy: policy.digest.digest,
    /** The caller must not go on. */
    stop: mustStop(event, action, outcome.failure !== undefined),
    warnings: [...checkPayload(event, payload)],
  });
}

/** Who is behind the question and which session it is of, or what is wrong with that. */
function behindOf(policy: Policy, { actor, claim, session }: JsonObject): PolicyDecideOptions | string {
  if (
    session !== undefined &&
    (typeof session !== 'string' || session === '' || session.length > MAX_SESSION)
  )
    return `session: want a text of 1 to ${MAX_SESSION} characters`;
  if (claim !== undefined && !policy.identifies) return 'claim: the policy has no identify to understand it';
  if (actor !== undefined && policy.identifies)
    return 'actor: who it is is told from a claim here, and from nothing else';
  return {
    ...(session !== undefined && { session }),
    ...(claim !== undefined && { claim }),
    // Half of an actor is none, and the gate says so.
    ...(actor !== undefined && { actor: actor as unknown as Actor }),
  };
}

function mustStop(event: string, action: string, failed: boolean): boolean {
  return failed || action === 'block' || (action === 'ask' && requireEvent(event).honours.block === true);
}

function health(policy: Policy): Response {
  const errors = policy.problems.filter(({ severity }) => severity === 'error');
  const ok = !policy.empty && errors.length === 0;
  return answer(ok ? 200 : 503, {
    ok,
    policy: policy.digest.digest,
    hooks: policy.authored,
    problems: errors.map(({ code, message }) => ({ code, message })),
  });
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

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

function answer(status: number, body: Json | JsonObject): Response {
  return new Response(JSON.stringify(body), { status, headers: HEADERS });
}

/** On a gate a caller that gets no decision has no permission: every problem says so. */
function problem(status: number, message: string): Response {
  return answer(status, { error: message, stop: true });
}
