/** The handler for programs in other languages, asked over a real socket. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../../test/support/temp-project.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import { createHandler, type Handler } from './index.ts';

const GUARD = hookFile(
  'def handle(event, payload):\n    if payload["name"] == "delete":\n        return block("keep it")\n    if payload["name"] == "move":\n        return modify({"args": {"to": "here"}})\n    return ask("sure?") if payload["name"] == "ask" else allow()',
);

const servers: { close(): void }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A real server that mounts the handler as its users would. */
async function listen(handler: Handler): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = incoming.method === 'POST' ? { body: Buffer.concat(chunks) } : {};
    const headers = new Headers(Object.entries(incoming.headers) as [string, string][]);
    const response = await handler(
      new Request(`http://x${incoming.url}`, { method: incoming.method!, headers, ...body }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function served(options: { token?: string } = {}) {
  const dir = tempProject({ '.harness/hooks/guard.md': GUARD });
  const policy = await openPolicy(dir, { places: { managed: null, user: null } });
  return listen(await createHandler({ policy, ...options }));
}

const ask = async (url: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/v1/decide`, { method: 'POST', body, headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('the handler', () => {
  it('decides, and says whether the caller may go on', async () => {
    const url = await served();
    const about = (name: string) =>
      ask(url, JSON.stringify({ event: 'PreToolUse', payload: { name, args: {} } }));
    expect(await about('read')).toMatchObject({
      status: 200,
      body: { event: 'tool.pre', action: 'allow', stop: false },
    });
    expect(await about('delete')).toMatchObject({
      body: { action: 'block', reason: 'keep it', hook: 'guard', stop: true },
    });
    expect(await about('move')).toMatchObject({
      body: { action: 'modify', stop: false, payload: { args: { to: 'here' } } },
    });
    expect(await about('ask')).toMatchObject({ body: { action: 'ask', stop: true } });
  });

  it.each([
    ['no JSON', '{', 400],
    ['a key twice', '{"event":"tool.pre","event":"turn.end"}', 400],
    ['no event', '{}', 400],
    ['an unknown event', '{"event":"tool.per"}', 400],
    ['too much', `{"event":"turn.start","payload":"${'x'.repeat(17 * 1024 * 1024)}"}`, 413],
  ])('never lets a caller go on with %s', async (_title, body, status) => {
    expect(await ask(await served(), body)).toMatchObject({ status, body: { stop: true } });
  });

  it('wants its token', async () => {
    const url = await served({ token: 's3cret' });
    const body = JSON.stringify({ event: 'tool.pre', payload: { name: 'read' } });
    expect((await ask(url, body)).status).toBe(401);
    expect((await ask(url, body, { authorization: 'Bearer other' })).status).toBe(401);
    expect((await ask(url, body, { authorization: 'Bearer s3cret' })).status).toBe(200);
  });

  it('says how it is, and describes itself', async () => {
    const url = await served();
    const health = await fetch(`${url}/v1/health`);
    expect([health.status, await health.json()]).toMatchObject([200, { ok: true, hooks: 1 }]);
    const page = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string; paths: object };
    expect(page.openapi).toBe('3.1.0');
    expect(Object.keys(page.paths)).toEqual(['/v1/decide', '/v1/test', '/v1/health']);
    expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/v1/decide`)).status).toBe(405);
  });

  it('runs the tests of the policy, says which fail and where, and changes nothing that is decided', async () => {
    const counted =
      'def handle(event, payload):\n    return block("enough") if state.incr("n") > 1 else allow()';
    const tests =
      'tests:\n  - name: the first\n    payload: {name: x, args: {}}\n    expect: allow\n  - name: the wrong one\n    payload: {name: x, args: {}}\n    expect: {action: block, reason: enough}';
    const dir = tempProject({
      '.harness/hooks/count.md': hookFile(counted, `event: tool.pre\npriority: 10\n${tests}`),
    });
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const url = await listen(await createHandler({ policy }));
    const test = async () => (await fetch(`${url}/v1/test`, { method: 'POST' })).json();
    const [once, twice] = await Promise.all([test(), test()]);
    expect(once).toEqual(twice);
    expect(once).toMatchObject({
      ok: false,
      passed: 1,
      todo: 0,
      problems: [],
      failed: [
        {
          hook: 'count',
          name: 'the wrong one',
          place: expect.stringMatching(/count\.md:\d+$/),
          mismatches: [{ what: 'action', wanted: 'block', got: 'allow' }, { what: 'reason' }],
        },
      ],
    });
    const body = '{"event":"tool.pre","payload":{"name":"x","args":{}}}';
    expect(await ask(url, body)).toMatchObject({ body: { action: 'allow' } });
    expect(await ask(url, body)).toMatchObject({ body: { action: 'block' } });
  });

  it('a policy without tests is not one whose tests hold', async () => {
    const answer = await fetch(`${await served()}/v1/test`, { method: 'POST' });
    expect(await answer.json()).toMatchObject({
      ok: false,
      passed: 0,
      problems: [expect.stringContaining('no tests')],
    });
  });

  it('is not well without a policy, and blocks', async () => {
    const policy = await openPolicy(tempProject(), { places: { managed: null, user: null } });
    const url = await listen(await createHandler({ policy }));
    expect((await fetch(`${url}/v1/health`)).status).toBe(503);
    expect(await ask(url, '{"event":"tool.pre","payload":{"name":"x"}}')).toMatchObject({
      body: { action: 'block', stop: true },
    });
  });
});
