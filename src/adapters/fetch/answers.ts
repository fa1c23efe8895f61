/**
 * What a policy answers over HTTP, as data: a method, a path and a body become a status and JSON. Every server is a few lines
 * around it.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { readJson } from '../../base/json-text.ts';
import type { Outcome } from '../../events/decision.ts';
import { checkPayload, requireEvent } from '../../events/describe.ts';
import { resolveEvent } from '../../events/resolve.ts';
import type { Recorder } from '../../hooks/recorder.ts';
import type { Actor } from '../../hooks/who.ts';
import type { Policy, PolicyDecideOptions } from '../../policy/policy.ts';
import { SessionEngines } from '../../policy/session-engines.ts';
import { type OpenApi, openApi } from './open-api.ts';

export interface AnswersOptions {
  /** Where it is mounted; default: at the root. */
  readonly basePath?: string;
  /** Told of every decision; one that it cannot take is none. Without it nothing is recorded. */
  readonly recorder?: Recorder;
  /** Of everything that is decided here and names no other. */
  readonly session?: string;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `body` is asked for where one is read; null: it was too long. */
export type PolicyAnswers = (
  method: string,
  path: string,
  body: () => Promise<string | null>,
) => Promise<PlainAnswer>;

export const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_SESSION = 200;

export function policyAnswers(policy: Policy, options: AnswersOptions = {}): PolicyAnswers {
  const base = (options.basePath ?? '').replace(/\/$/, '');
  const engines = new SessionEngines(policy, options.recorder);
  const routes: Readonly<Record<string, (body: () => Promise<string | null>) => Promise<PlainAnswer>>> = {
    'POST /v1/decide': async (body) => decide(policy, engines, options.session ?? '', await body()),
    'POST /v1/test': async () => answer(200, await (await import('./tested.ts')).tested(policy)),
    'GET /v1/health': async () => health(policy),
    'GET /openapi.json': async () => answer(200, openApi(base) satisfies OpenApi as unknown as Json),
  };
  return async (method, pathname, body) => {
    const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
    const route = routes[`${method} ${path}`];
    if (route !== undefined) return route(body);
    const known = Object.keys(routes).some((each) => each.endsWith(` ${path}`));
    return problem(known ? 405 : 404, known ? `${method} is not for ${path}` : `there is no ${path}`);
  };
}

async function decide(
  policy: Policy,
  engines: SessionEngines,
  session: string,
  text: string | null,
): Promise<PlainAnswer> {
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

function health(policy: Policy): PlainAnswer {
  const errors = policy.problems.filter(({ severity }) => severity === 'error');
  const ok = !policy.empty && errors.length === 0;
  return answer(ok ? 200 : 503, {
    ok,
    policy: policy.digest.digest,
    hooks: policy.authored,
    problems: errors.map(({ code, message }) => ({ code, message })),
  });
}

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

function answer(status: number, body: Json | JsonObject): PlainAnswer {
  return { status, headers: HEADERS, body: JSON.stringify(body) };
}

/** On a gate a caller that gets no decision has no permission: every problem says so. */
export function problem(status: number, message: string): PlainAnswer {
  return answer(status, { error: message, stop: true });
}
