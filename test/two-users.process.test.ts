/** Two users at once under one policy, in every host that serves several: each gets what they get alone. */
import { describe, expect, it } from 'vitest';
import { defineTool, Session, scriptedProvider } from '../src/exports/agent.ts';
import { createHandler } from '../src/frameworks/fetch/index.ts';
import { openPolicy } from '../src/index.ts';
import { hookFile, project } from './cli/harness.ts';
import { connect, front, httpServer, STDIO } from './cli/mcp-http.ts';
import { user as machineUser } from './daemon/daemon.ts';

/** Each call is told whose it is and the how many-th of its session. */
const NOTES = {
  '.harness/hooks/note.md': hookFile(`event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      metrics.incr("calls")
      return allow(context = "NOTE of %s, call %d" % (payload["args"]["text"], metrics.get("calls")))`),
};
const CALLS = 3;
const [ALICE, BOB] = ['ALICE', 'BOB'];

/** What a user is told in a row of calls, by way of a host that may serve another meanwhile. */
type Host = () => Promise<(user: string) => Promise<unknown>>;

const overMcp =
  (mode: 'legacy' | 'auto', behind: () => Promise<string[]>): Host =>
  async () => {
    const { url } = await front(project(NOTES), ...(await behind()));
    return async (user) => {
      // In the era without sessions a token is all that tells users apart.
      const client = await connect(mode, { url, headers: { authorization: `Bearer ${user}` } });
      const answers: unknown[] = [];
      for (let call = 0; call < CALLS; call++)
        answers.push((await client.callTool({ name: 'echo', arguments: { text: user } })).content);
      return answers;
    };
  };
const program = async () => ['--', ...STDIO];

const HOSTS: Record<string, Host> = {
  'the MCP proxy over HTTP, era with a handshake': overMcp('legacy', program),
  'the MCP proxy over HTTP in front of HTTP with sessions': overMcp('legacy', async () => [
    '--http',
    (await httpServer('sessions')).url,
  ]),
  'the MCP proxy over HTTP, era without sessions': overMcp('auto', program),
  'the MCP proxy over HTTP in front of HTTP without sessions': overMcp('auto', async () => [
    '--http',
    (await httpServer('stateless')).url,
  ]),
  'a session of the agent': async () => {
    const policy = await openPolicy(project(NOTES));
    return async (user) => {
      const calls = Array.from({ length: CALLS }, () => ({
        tool_calls: [{ name: 'echo', args: { text: user } }],
      }));
      const provider = scriptedProvider({ completions: [...calls, { text: 'Done.' }] });
      const echo = defineTool({
        name: 'echo',
        description: 'Says it back.',
        parameters: { text: { type: 'string' } },
        // The other user's turn comes in between.
        run: async ({ text }) => {
          await new Promise((resolve) => setImmediate(resolve));
          return `echo: ${text}`;
        },
      });
      const session = new Session({ provider, policy, tools: [echo], config: { sessionId: user } });
      await session.run(`I am ${user}`).result;
      return provider.requests.map(({ messages }) => messages);
    };
  },
  'the daemon, asked by the hooks of two coding agents': async () => {
    const machine = machineUser(NOTES);
    await machine.serve();
    return async (user) => {
      const asked = { session_id: user, tool_name: 'mcp__x__echo', tool_input: { text: user } };
      const answers: unknown[] = [];
      for (let call = 0; call < CALLS; call++)
        answers.push((await machine.fire('PreToolUse', { ...asked, tool_use_id: `${call}` })).stdout);
      return answers;
    };
  },
  'the handler over HTTP': async () => {
    const handler = await createHandler({ policy: project(NOTES) });
    return async (user) => {
      const answers: unknown[] = [];
      for (let call = 0; call < CALLS; call++) {
        const payload = { id: `${call}`, name: 'echo', args: { text: user } };
        const body = JSON.stringify({ event: 'tool.pre', payload, session: user });
        const answer = await handler(new Request('http://x/v1/decide', { method: 'POST', body }));
        answers.push(((await answer.json()) as { effects: unknown }).effects);
      }
      return answers;
    };
  },
};

describe.each(Object.keys(HOSTS))('%s', (name) => {
  it('gives each of two users at once what the user gets alone, and nothing of the other', async () => {
    const together = await HOSTS[name]!();
    const [alice, bob] = await Promise.all([together(ALICE!), together(BOB!)]);
    expect(JSON.stringify(alice)).toContain('NOTE of ALICE');
    expect(JSON.stringify(alice)).not.toContain('BOB');
    expect(JSON.stringify(bob)).not.toContain('ALICE');
    expect(alice).toEqual(await (await HOSTS[name]!())(ALICE!));
    expect(bob).toEqual(await (await HOSTS[name]!())(BOB!));
  });
});
