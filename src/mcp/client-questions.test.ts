import { describe, expect, it } from 'vitest';
import type { GovernedSession } from '../session/index.ts';
import { McpProxy } from './proxy.ts';

describe('a question to the person at a client', () => {
  it('has an id that nobody guesses, and only the proxy that asked waits for it', async () => {
    const asked: { id: string; method?: string }[] = [];
    const make = () =>
      new McpProxy({
        name: 'x',
        session: {} as GovernedSession,
        toClient: (line: unknown) => asked.push(JSON.parse(String(line)) as { id: string }),
        toServer: () => {},
        note: () => {},
        pins: () => null,
        onPinned: (_kind: object, pins: object) => pins,
        askToAccept: async () => null,
        onAccepted: () => {},
        onChange: 'hide',
      } as unknown as ConstructorParameters<typeof McpProxy>[0]);
    const [one, other] = [make(), make()];
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { capabilities: { elicitation: {} } },
    };
    for (const proxy of [one, other]) proxy.fromClient(Buffer.from(JSON.stringify(hello)));
    const over = new AbortController();
    const answer = one.askClient('call', 'May it?', over.signal);
    const { id } = asked.find(({ method }) => method === 'elicitation/create')!;
    expect(id).toMatch(/^harness-\d+-[0-9a-f-]{36}$/);
    expect([one.waitsFor(id), other.waitsFor(id), one.waitsFor('harness-1')]).toEqual([true, false, false]);
    over.abort();
    expect(await answer).not.toBe(true);
  });
});
