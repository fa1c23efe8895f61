import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPolicy } from '../policy/index.ts';
import { GovernedSession } from '../session/index.ts';
import type { Message } from './message.ts';
import type { Outgoing } from './message-route.ts';
import { McpProxy } from './proxy.ts';

it('a list that the server does not answer in time leaves no request of the proxy open, on either side', async () => {
  const policy = await openPolicy(mkdtempSync(join(tmpdir(), 'harness-proxy-')), { allowEmpty: true });
  const session = new GovernedSession({ policy, openTape: null, approvals: null, approvalMs: 0 });
  const [asked, notes]: [Outgoing[], string[]] = [[], []];
  let answered: (message: Message) => void = () => {};
  const refusal = new Promise<Message>((resolve) => {
    answered = resolve;
  });
  const proxy = new McpProxy({
    name: 'x',
    session,
    pins: () => ({ echo: { digest: 'x', description: '' } }),
    onPinned: (_kind, pins) => pins,
    askToAccept: async () => null,
    onAccepted: () => {},
    onChange: 'hide',
    listMs: 20,
    note: (text) => notes.push(text),
    toServer: (_line, message) => asked.push(message),
    toClient: (_line, message) => answered(message),
  });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } };
  proxy.fromClient(Buffer.from(JSON.stringify(call)));
  expect(JSON.stringify(await refusal)).toContain('the server does not say what it offers');
  const [own] = asked;
  expect(asked.map(({ method }) => method)).toEqual(['tools/list']);
  expect([proxy.has(own!.id!), own!.own!.aborted]).toEqual([false, true]);
  await proxy.fromServer(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: own!.id, result: { tools: [] } })));
  expect(notes).toEqual([expect.stringContaining('for which no request waits')]);
});
