/**
 * What a policy answers over HTTP, as data: a method, a path and a body become a status and JSON. Every server is a few lines
 * around it.
 */
import { BoundedMap, isJsonObject, type Json, type JsonObject, readJson } from '../../base/index.ts';
import { type Actor, checkPayload, type Outcome, type Recorder, resolveEvent } from '../../engine/index.ts';
import type { Policy, PolicyDecideOptions } from '../../policy/index.ts';
import { callReport, GovernedSession } from '../../session/index.ts';
import type { OpenTape } from '../../tape/index.ts';
import { type OpenApi, openApi } from './open-api.ts';

export interface AnswersOptions {
  /** Where it is mounted; default: at the root. */
  readonly basePath?: string;
  /** Told of every decision; one that it cannot take is none. Without it nothing is recorded. */
  readonly recorder?: Recorder;
  /** The same for decisions and calls; instead of a recorder. */
  readonly tape?: OpenTape;
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

/** As much as the launcher and the daemon take of a payload. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_SESSION = 200;

export function policyAnswers(policy: Policy, options: AnswersOptions = {}): PolicyAnswers {
  const base = (options.basePath ?? '').replace(/\/$/, '');
  const sessions = sessionsOver(policy, options);
  const routes: Readonly<Record<string, (body: () => Promise<string | null>) => Promise<PlainAnswer>>> = {
    'POST /v1/decide': async (body) => decide(policy, sessions, options.session ?? '', await body()),
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

/** A governed session for each id; those that were asked for last are remembered. */
type Sessions = (id: string) => GovernedSession;

const MOST_SESSIONS = 1000;

function sessionsOver(policy: Policy, { recorder, tape }: AnswersOptions): Sessions {
  const open = new BoundedMap<string, GovernedSession>(MOST_SESSIONS);
  const openTape = tape === undefined ? null : () => tape;
  const begin = (id: string) =>
    new GovernedSession({
      ...{ policy, openTape, approvals: null, approvalMs: 0 },
      run: policy.newRun({ id }),
      ...(recorder !== undefined && { recorder }),
    });
  return (id) => open.useOrMake(id, () => begin(id));
}

async function decide(
  policy: Policy,
  sessions: Sessions,
  ownSession: string,
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
  const behind = decideOptionsOf(policy, value);
  if (typeof behind === 'string') return problem(400, behind);
  const session = sessions(behind.session ?? ownSession);
  const fire = (name: string, asked: Json): Promise<Outcome> => session.decide(name, asked, behind);
  // A person is the caller's to ask: an ask that hooks leave open stops it.
  const outcome = await session.permit(await fire(event, payload), null, { fire });
  reportCall(session, event, payload, outcome);
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
    stop: !outcome.mayRun,
    warnings: [...checkPayload(event, payload)],
  });
}

function reportCall(session: GovernedSession, event: string, payload: Json, outcome: Outcome): void {
  if (event !== 'tool.pre' && event !== 'tool.post') return;
  const refusal = outcome.mayRun ? null : (outcome.reason ?? 'no reason given');
  const report = callReport(payload, outcome, event, refusal);
  if (report !== null) session.report(report);
}

/** Who is behind the question and which session it is of, or what is wrong with that. */
function decideOptionsOf(
  policy: Policy,
  { actor, claim, session }: JsonObject,
): PolicyDecideOptions | string {
  if (
    session !== undefined &&
    (typeof session !== 'string' || session === '' || session.length > MAX_SESSION)
  )
    return `session: want a text of 1 to ${MAX_SESSION} characters`;
  if (claim !== undefined && !policy.identifies) return 'claim: the policy has no identify to understand it';
  if (actor !== undefined && policy.identifies)
    return 'actor: this policy identifies callers by `claim` only';
  return {
    ...(session !== undefined && { session }),
    ...(claim !== undefined && { claim }),
    // Half of an actor is none, and the gate says so.
    ...(actor !== undefined && { actor: actor as unknown as Actor }),
  };
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
