/**
 * What the daemon answers over HTTP: decisions and health of a folder's policy, events of an outside agent in its own words, and
 * signed answers to questions. There is no launcher behind a URL: what the daemon leaves to it is handed to it from here, and if
 * that gives no answer either, it is a deny in the agent's dialect.
 */
import { isUtf8 } from 'node:buffer';
import { isAbsolute } from 'node:path';
import { type Answer, denyAnswer, loadAdapter } from '../../agents/index.ts';
import { problem } from '../../frameworks/index.ts';
import { type Host, machineHost, within } from '../../machine/index.ts';
import { openQueue, takeSigned } from '../../policy/index.ts';
import { DEADLINE_MS } from '../hook-options.ts';
import { mountSpace } from './entry-identity.ts';
import { type HttpAnswer, type HttpReply, MOST_BODY_BYTES } from './http-server.ts';
import type { Request as DaemonRequest } from './protocol.ts';
import { TapedHandlers } from './taped-handlers.ts';
import type { WarmDecider } from './warm-decider.ts';
import { moduleProblem, WarmPolicies } from './warm-policies.ts';

export interface RouteOptions {
  readonly decider: Pick<WarmDecider, 'answer'>;
  readonly entry: string;
  readonly identity: string;
  readonly host?: Host;
}

/** Of the deadline, for the daemon itself. */
const SHARE = 0.4;

export function httpRoutes({ decider, entry, identity, host = machineHost }: RouteOptions): HttpAnswer {
  const policies = new WarmPolicies();
  const handlers = new TapedHandlers();
  return async ({ method, url, body }) => {
    const [, version, route, ...rest] = url.pathname.split('/');
    const dir = url.searchParams.get('dir');
    if (body === null && route !== 'hook') return problem(413, TOO_LARGE);
    if (version === 'v1' && route === 'approvals' && method === 'POST')
      return signed(String(body), policies, host);
    if (dir === null || !isAbsolute(dir))
      return problem(400, 'want ?dir= with the absolute path of a project');
    if (version === 'v1' && route === 'hook') {
      if (method !== 'POST') return problem(405, `${method} is not for ${url.pathname}`);
      const [agent = '', event = ''] = rest;
      return hook(agent, event, dir, body);
    }
    const policy = await policies.open({ dir, user: null }, dir, host);
    if ('problem' in policy) return problem(503, policy.problem);
    const objection = moduleProblem(policy);
    if (objection !== null) return problem(503, objection.problem);
    const text = async () => body?.toString('utf8') ?? null;
    return handlers.answer(policy, dir, host, (answers) => answers(method, url.pathname, text));
  };

  /** As the agent reads it from a hook: its body is what the launcher prints. */
  async function hook(agent: string, event: string, dir: string, payload: Buffer | null): Promise<HttpReply> {
    const adapter = await loadAdapter(agent);
    const row = adapter?.events.find(({ native }) => native === event);
    if (adapter === null || row === undefined) return problem(404, `there is no event ${event} of ${agent}`);
    if (payload === null) {
      return printed(denyAnswer(adapter, row, `Blocked: the policy could not decide: ${TOO_LARGE}`));
    }
    const words = [agent, event, '--dir', dir];
    const asked: DaemonRequest = {
      operation: 'hook',
      entry: identity,
      words: [dir, mountSpace(), ...words],
      environment: Object.entries(host.variables()).map(([name, value]) => `${name}=${value ?? ''}`),
      payload,
    };
    const blocked = 'Blocked: the policy could not decide: no answer';
    // What it throws is the launcher's to say.
    const warm = await within(DEADLINE_MS * SHARE, decider.answer(asked)).catch(() => null);
    // What is no text would reach the launcher as another one than the agent has.
    const cold = async () => (isUtf8(payload) ? launched(words, dir, payload) : null);
    const answer = warm === null || 'refused' in warm ? await cold() : warm;
    return printed(answer ?? denyAnswer(adapter, row, blocked));
  }

  async function launched(words: readonly string[], dir: string, payload: Buffer): Promise<Answer | null> {
    const deadline = DEADLINE_MS * (1 - SHARE);
    const argv = [
      process.execPath,
      entry,
      ...words,
      '--cold',
      '--deadline',
      String(Math.round(deadline * 0.8)),
    ];
    // All of it, as the policy was opened here: lists and switches of the operator are part of what decides.
    const env = Object.fromEntries(
      Object.entries(host.variables()).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const ended = await host.run(
      { program: { argv }, cwd: dir, env, stdin: payload.toString('utf8'), timeoutMs: deadline },
      null,
    );
    if (ended.exitCode === null || ended.startError !== null || ended.truncated.length > 0) return null;
    return { stdout: ended.stdout, stderr: ended.stderr, exitCode: ended.exitCode };
  }
}

const TOO_LARGE = `the payload is larger than ${MOST_BODY_BYTES} bytes`;

function printed({ stdout, stderr, exitCode }: Answer): HttpReply {
  const type = stdout.trimStart().startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8';
  const headers = {
    'content-type': type,
    'cache-control': 'no-store',
    'x-harness-exit-code': String(exitCode),
  };
  return { status: 200, headers, body: stdout === '' && exitCode !== 0 ? stderr : stdout };
}

/** A bridge on this machine brings what somebody far away has signed. */
async function signed(text: string, policies: WarmPolicies, host: Host): Promise<HttpReply> {
  const queue = openQueue(host);
  const policy = await policies.open({ dir: null, user: null }, '/', host);
  if (queue === null || 'problem' in policy) return problem(503, 'there is no queue here');
  const { receipt } = takeSigned(text, policy.settings.asking.key, queue, host);
  const headers = { 'content-type': 'application/json' };
  return { status: receipt === 'taken' ? 200 : 409, headers, body: JSON.stringify({ receipt }) };
}
