import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { Registry } from '../../src/engine/registry.ts';
import type { AgentProject, SessionOptions } from '../../src/exports/agent.ts';
import { loadAgentProject } from '../../src/exports/agent.ts';
import {
  call,
  decisions,
  echo,
  names,
  on,
  outcomeOf,
  payloadsOf,
  play,
  tool,
  toolMessages,
} from '../support/agent.ts';
import { tempProject } from '../support/temp-project.ts';

const { block } = decisions;

/** A tool that registers what it is told to. */
const register = tool('register', async ({ kind, spec }, { agent }) => {
  await agent!.register(kind as 'tool', spec as JsonObject);
  return 'registered';
});
const registers = (kind: string, spec: JsonObject) => ({ tool_calls: [call('register', { kind, spec })] });

const shout = {
  name: 'shout',
  description: 'Says it louder.',
  parameters: { text: { type: 'string', required: true } },
  script: 'def run(args):\n    return args["text"].upper()\n',
};
const noEcho = {
  name: 'no_echo',
  event: 'tool.pre',
  priority: 1,
  when: 'payload["name"] == "echo"',
  script: 'def handle(event, payload):\n    return block("quiet")\n',
};

const self = (more: Partial<SessionOptions> = {}) => ({ tools: [register, echo], meta: {}, ...more });

describe('[C003] an agent that changes itself', () => {
  it('adds a tool that is on the next request and goes through the chain like any other', async () => {
    const played = await play({
      ...self(),
      completions: [
        registers('tool', shout),
        { tool_calls: [call('shout', { text: 'ho' })] },
        { text: 'done' },
      ],
    });
    expect(payloadsOf(played, 'meta.register_tool')).toEqual([
      { name: 'shout', description: 'Says it louder.', replace: false },
    ]);
    expect(played.provider.requests.map(({ tools }) => tools.some(({ name }) => name === 'shout'))).toEqual([
      false,
      true,
      true,
    ]);
    expect(toolMessages(played).map(({ content }) => content)).toEqual(['registered', 'HO']);
    expect(payloadsOf(played, 'tool.pre').map(({ name }) => name)).toEqual(['register', 'shout']);
  });

  it('adds a hook that counts from then on', async () => {
    const played = await play({
      ...self(),
      completions: [registers('hook', noEcho), { tool_calls: [call('echo')] }, { text: 'done' }],
    });
    expect(payloadsOf(played, 'meta.register_hook')).toEqual([
      { name: 'no_echo', event: 'tool.pre', priority: 50 },
    ]);
    expect(toolMessages(played)[1]?.content).toBe('tool blocked: blocked by hook "no_echo": quiet');
  });

  it('adds a sub-agent, with no tools but its own', async () => {
    const spec = { name: 'scout', description: 'Looks.', system_prompt: 'You look.', tools: ['echo', 'rm'] };
    const played = await play({
      ...self(),
      completions: [
        registers('agent', spec),
        { tool_calls: [call('delegate', { agent: 'scout', prompt: 'look' })] },
        { text: 'seen' },
        { text: 'done' },
      ],
    });
    expect(payloadsOf(played, 'meta.register_agent')).toEqual([
      { name: 'scout', model: 'scripted', tool_count: 2 },
    ]);
    expect(played.provider.requests[2]).toMatchObject({ system: 'You look.', tools: [{ name: 'echo' }] });
    expect(toolMessages(played)[1]?.content).toBe('seen');
  });

  it.each([
    ['tool', shout],
    ['hook', noEcho],
    ['agent', { name: 'scout', system_prompt: 'You look.' }],
  ])('adds no %s that a hook blocks', async (kind, spec) => {
    const event = `meta.register_${kind}`;
    const played = await play({
      ...self({ hooks: [on(event, () => block('stay as you are'))] }),
      completions: [registers(kind, spec), { tool_calls: [call('echo')] }, { text: 'done' }],
    });
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: `tool failed: ${event} blocked by hook "on ${event}": stay as you are`,
    });
    expect(toolMessages(played)[1]?.is_error).toBe(false);
    expect(played.provider.requests[1]?.tools.map(({ name }) => name)).toEqual([
      'delegate',
      'register',
      'echo',
    ]);
  });

  it('adds nothing where its settings say nothing of it', async () => {
    const played = await play({
      tools: [register],
      completions: [registers('tool', shout), { text: 'done' }],
    });
    expect(toolMessages(played)[0]?.content).toContain('this agent may not change itself');
    expect(names(played)).not.toContain('meta.register_tool');
  });

  it.each([
    ['tool', { ...shout, name: 'Shout' }, 'name "Shout" is not allowed'],
    ['tool', { ...shout, name: 'echo' }, 'only those registered at run time can be replaced'],
    ['tool', { ...shout, script: 'def run(args):\n    return fs.read("x")\n' }, 'with meta.call_tool'],
    ['tool', { ...shout, script: 'def go():\n    pass\n' }, 'run(args)'],
    ['tool', { ...shout, parameters: { text: { type: 'text' } } }, 'parameters.text.type'],
    ['tool', { ...shout, parameters: ['text'] }, 'parameters must be a map of parameters'],
    ['tool', { ...shout, parameters: { type: 'object', required: ['txt'] } }, 'required names "txt"'],
    ['tool', { ...shout, parameters: { n: { type: 'integer', default: 'x' } } }, 'the default of n'],
    ['tool', { ...shout, name: 'banned' }, 'not that one'],
    ['hook', { ...noEcho, event: 'meta.register_hook' }, 'may not listen to meta.register_hook'],
    ['hook', { ...noEcho, event: 'tool.pr' }, 'tool.pr'],
    ['hook', { ...noEcho, name: 'policy' }, 'there is a hook of that name'],
    ['hook', { ...noEcho, when: 'log("x")' }, 'pure predicate'],
    ['hook', { ...noEcho, script: 'def handle(:' }, 'no_echo'],
    ['agent', { name: 'scout' }, 'needs system_prompt'],
  ])('is refused a %s such as %j', async (kind, spec, message) => {
    const played = await play({
      ...self({
        meta: { refusesTool: (name) => (name === 'banned' ? 'not that one' : null) },
        hooks: [on('tool.post', () => null, { name: 'policy' })],
      }),
      completions: [registers(kind, spec), { text: 'done' }],
    });
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining(message),
    });
    expect(names(played).filter((event) => event.startsWith('meta.'))).toEqual([]);
  });

  it('replaces only what it added, and only if it says so', async () => {
    const other = { ...shout, script: 'def run(args):\n    return "no"\n' };
    const played = await play({
      ...self(),
      completions: [
        registers('tool', shout),
        registers('tool', other),
        registers('tool', { ...other, replace: true }),
        { tool_calls: [call('shout', { text: 'ho' })] },
        { text: 'done' },
      ],
    });
    expect(toolMessages(played).map(({ content }) => content)).toEqual([
      'registered',
      expect.stringContaining('say replace'),
      'registered',
      'no',
    ]);
    expect(payloadsOf(played, 'meta.register_tool').map(({ replace }) => replace)).toEqual([false, true]);
  });

  it('stops at its count, however often it tries', async () => {
    const hook = (n: number) => ({ ...noEcho, name: `h${n}`, event: 'turn.end', when: '' });
    const played = await play({
      ...self(),
      config: { limits: { maxTurns: 60 } },
      completions: [...Array.from({ length: 32 }, (_, n) => registers('hook', hook(n))), { text: 'done' }],
    });
    const refused = toolMessages(played).filter(({ is_error }) => is_error);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.content).toContain('30 hooks have been registered, which is the limit');
  });

  it('leaves nothing behind in hooks it shares, nor after it is closed', async () => {
    const registry = new Registry([on('tool.post', () => null)]);
    const played = await play({
      ...self({ hooks: registry }),
      completions: [registers('hook', noEcho), { text: 'x' }],
    });
    expect(toolMessages(played)[0]?.content).toBe('registered');
    expect(registry.size).toBe(1);
    await played.session.close();
    const other = await play({
      tools: [echo],
      hooks: registry,
      completions: [{ tool_calls: [call('echo')] }, { text: 'x' }],
    });
    expect(toolMessages(other)[0]?.is_error).toBe(false);
  });
});

describe('[C009] a hook registered at run time', () => {
  it('never comes before the policy, whatever priority it asks for', async () => {
    const played = await play({
      ...self({ hooks: [on('tool.pre', () => null, { name: 'policy', priority: 49 })] }),
      completions: [
        registers('hook', { ...noEcho, priority: -5 }),
        { tool_calls: [call('echo')] },
        { text: 'x' },
      ],
    });
    const [, blocked] = played.fired.filter(({ event }) => event === 'tool.pre');
    expect(blocked?.outcome.trace.map(({ hook, priority }) => [hook, priority])).toEqual([
      ['policy', 49],
      ['no_echo', 50],
      ['floor', 0],
    ]);
  });

  it('cannot permit anything', async () => {
    const permitting = {
      name: 'yes',
      event: 'permission.asked',
      script: 'def handle(event, payload):\n    return permit("sure")\n',
    };
    const played = await play({
      ...self({
        permissions: {
          decide: ({ name }) =>
            name === 'echo' ? { decision: 'ask', reason: 'echoes are asked about' } : { decision: 'auto' },
        },
      }),
      completions: [registers('hook', permitting), { tool_calls: [call('echo')] }, { text: 'x' }],
    });
    expect(toolMessages(played)[0]?.content).toBe('registered');
    expect(toolMessages(played)[1]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('cannot permit permission.asked'),
    });
  });

  it('cannot rewrite what the policy has passed', async () => {
    const rewriting = {
      ...noEcho,
      script: 'def handle(event, payload):\n    return modify({"args": {"text": "rm"}})\n',
    };
    const played = await play({
      ...self(),
      completions: [
        registers('hook', rewriting),
        { tool_calls: [call('echo', { text: 'ls' })] },
        { text: 'x' },
      ],
    });
    expect(toolMessages(played)[1]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('a hook registered at run time cannot modify tool.pre'),
    });
  });
});

async function project(files: Record<string, string>): Promise<AgentProject> {
  const agent = await loadAgentProject(tempProject(files));
  expect(agent.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return agent;
}

const script = (name: string, body: string) => ({
  [`.harness/tools/${name}.md`]: `---\nscript: |\n  def run(args):\n${body}\n---\nA tool.\n`,
});

describe('[C068] meta.call_tool', () => {
  it('lets a tool call another through the whole chain', async () => {
    const { tools } = await project(
      script('ask_echo', '      return meta.call_tool("echo", {"text": "hi"})'),
    );
    const played = await play({
      tools: [...tools, echo],
      hooks: [
        on('tool.post', (seen) => (seen.name === 'echo' ? decisions.modify({ content: 'cut' }) : null)),
      ],
      completions: [{ tool_calls: [call('ask_echo')] }, { text: 'done' }],
    });
    expect(payloadsOf(played, 'meta.call_tool')).toEqual([{ name: 'echo', arguments: '{"text":"hi"}' }]);
    expect(payloadsOf(played, 'tool.pre').map(({ name }) => name)).toEqual(['ask_echo', 'echo']);
    expect(toolMessages(played)[0]?.content).toBe('cut');
  });

  it.each([
    ['meta.call_tool', 'error: blocked by hook "on meta.call_tool": no'],
    ['tool.pre', 'error: tool blocked: blocked by hook "on tool.pre": no'],
  ])('returns what %s has against it, and raises nothing', async (event, text) => {
    const { tools } = await project(script('ask_echo', '      return meta.call_tool("echo")'));
    const played = await play({
      tools: [...tools, echo],
      hooks: [on(event, (seen) => (seen.name === 'echo' ? block('no') : null))],
      completions: [{ tool_calls: [call('ask_echo')] }, { text: 'done' }],
    });
    expect(toolMessages(played)[0]).toMatchObject({ content: text, is_error: false });
  });

  it('lets a hook call a tool, within five calls inside one another', async () => {
    const { policy } = await project({
      '.harness/hooks/asks.md':
        '---\nevent: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n    text = meta.call_tool("echo", {"text": "hi"})\n    metrics.incr("asked")\n    return block(text) if text.startswith("error") else allow()\n---\nAsks first.\n',
    });
    const played = await play({
      tools: [echo],
      policy,
      completions: [{ tool_calls: [call('echo')] }, { text: 'done' }],
    });
    expect(toolMessages(played)[0]?.content).toContain('tools call each other more than 5 deep');
    expect(played.session.runState.metrics.get('asked')).toBe(6);
    const once = await project({
      '.harness/hooks/asks.md':
        '---\nevent: turn.start\npriority: 10\nscript: |\n  def handle(event, payload):\n    return modify(meta.call_tool("echo", {"text": payload}))\n---\nAsks first.\n',
    });
    const asked = await play({
      tools: [echo],
      policy: once.policy,
      prompt: 'hi',
      completions: [{ text: 'done' }],
    });
    expect(asked.provider.requests[0]?.messages[0]?.content).toBe('{"said":"hi"}');
    expect(names(asked)).toContain('meta.call_tool');
  });

  it('cannot be used to register anything', async () => {
    const played = await play({
      ...self({
        hooks: [
          on('turn.start', async (_, { run, depth, signal }) => {
            const said = await run.services.agent!.callTool(
              'register',
              { kind: 'hook', spec: noEcho },
              { depth, signal },
            );
            return decisions.modify(said);
          }),
        ],
      }),
      completions: [{ text: 'done' }],
    });
    expect(played.provider.requests[0]?.messages[0]?.content).toContain('from inside meta.call_tool');
  });

  it('is a script’s way to add a tool, as the whole policy sees it', async () => {
    const agent = await project({
      'harness.md': '---\nmeta: {max_tools: 1}\ntools_policy: {deny: ["exec*"]}\n---\nYou grow.\n',
      ...script(
        'grow',
        '      meta.register_tool(args["name"], "Adds.", "def run(args):\\n    return 2\\n")\n      return "ok"',
      ),
    });
    expect(agent.config.meta).toEqual({ tools: 1 });
    const { delegationOptions } = await import('../../src/exports/agent.ts');
    const grow = (name: string) => ({ tool_calls: [call('grow', { name })] });
    const played = await play({
      tools: agent.tools,
      ...delegationOptions(agent),
      completions: [
        grow('exec_all'),
        grow('two'),
        { tool_calls: [call('two')] },
        grow('three'),
        { text: 'done' },
      ],
    });
    expect(toolMessages(played).map(({ content }) => content)).toEqual([
      expect.stringContaining('tools_policy denies "exec*"'),
      'ok',
      '2',
      expect.stringContaining('1 tools have been registered'),
    ]);
  });
});

describe('[C004] emit from a tool', () => {
  it('is on the stream once, with what the hooks made of it, also below meta.call_tool', async () => {
    const emitting = tool('emitting', (_, { emit }) => emit('custom.ping', { n: 1 }));
    const outer = tool('outer', (_, { agent }) => agent!.callTool('emitting', {}));
    const played = await play({
      tools: [emitting, outer],
      hooks: [on('custom.ping', () => decisions.modify({ n: 2 }))],
      completions: [{ tool_calls: [call('outer')] }, { text: 'done' }],
    });
    expect(toolMessages(played)[0]?.content).toBe('{"n":2}');
    expect(names(played).filter((event) => event === 'custom.ping')).toHaveLength(1);
    expect(outcomeOf(played, 'custom.ping')).toMatchObject({ action: 'modify', payload: { n: 2 } });
  });

  it('ends where tools and hooks call each other in a circle', async () => {
    const emitting = tool('emitting', (_, { emit }) => emit('custom.ping', {}));
    const played = await play({
      tools: [emitting],
      hooks: [
        on('custom.ping', async (_, { run, depth, signal }) => {
          const said = await run.services.agent!.callTool('emitting', {}, { depth, signal });
          return decisions.modify({ said });
        }),
      ],
      completions: [{ tool_calls: [call('emitting')] }, { text: 'done' }],
    });
    expect(toolMessages(played)[0]?.content).toContain('more than 5 deep');
    expect(names(played).at(-1)).toBe('session.end');
  });
});
