import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { toolContext } from '../../../test/support/tool-context.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { RunState } from '../../engine/run-state.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import { scriptedProvider } from '../providers/scripted.ts';
import { Session } from '../session.ts';
import type { SessionEvent } from '../session-event.ts';
import { loadAgent, loadAgentProject, offeredTools } from './load-agent.ts';

const HOOK =
  '---\nevent: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n';

const tool = (expression = '1') =>
  `---\nscript: |\n  def run(args):\n      return ${expression}\n---\nA tool.\n`;

async function load(harness: string, files: Record<string, string> = {}) {
  const dir = tempProject({ 'harness.md': harness, '.harness/hooks/h.md': HOOK, ...files });
  const agent = await loadAgentProject(dir);
  const messages = agent.problems.map(({ severity, message }) => `${severity}: ${message}`);
  return { ...agent, dir, messages };
}

const frontmatter = (yaml: string, body = '') => `---\n${yaml}\n---\n${body}`;

describe('harness.md', () => {
  it('is read once: an agent has the settings of the file its hooks were read from', async () => {
    const before =
      'model: anthropic/before\ntools: [{name: one, description: x, script: "def run(args):\\n  return 1"}]';
    const dir = tempProject({ 'harness.md': frontmatter(before), '.harness/hooks/h.md': HOOK });
    const policy = await openPolicy(dir);
    writeFileSync(join(dir, 'harness.md'), frontmatter('model: anthropic/after'));
    const { config, tools } = await loadAgent(policy);
    expect(config.model).toEqual({ model: 'anthropic/before' });
    expect(tools.map(({ name }) => name)).toEqual(['one']);
  });

  it('gives a session its model, its prompt and its limits', async () => {
    const yaml = `model: anthropic/claude-x
limits: {max_turns: 9, max_tokens: 1000, max_cost_usd: 0.5, max_time_ms: 60000, completion_timeout_ms: 5000, max_attempts: 2, tool_timeout_ms: 700, tool_result_chars: 400, parallel_tools: 2}
exit_policy: {mode: natural, max_continuations: 0}
context: [Be brief., {file: notes/style.md}]`;
    const { config, problems } = await load(frontmatter(yaml, '\nYou tidy up.\n'), {
      'notes/style.md': 'Two spaces.\n',
    });
    expect(problems).toEqual([]);
    expect(config.model).toEqual({ model: 'anthropic/claude-x' });
    expect(config.session).toEqual({
      model: 'claude-x',
      system: 'You tidy up.\n\nBe brief.\n\nContent of notes/style.md:\n\nTwo spaces.',
      limits: {
        maxTurns: 9,
        maxTokens: 1000,
        maxCostUsd: 0.5,
        maxMs: 60000,
        completionMs: 5000,
        toolMs: 700,
        toolResultChars: 400,
        parallelTools: 2,
      },
      retry: { maxAttempts: 2 },
      stop: { maxContinuations: 0 },
    });
  });

  it('says when and how the conversation is shortened', async () => {
    const plain = await load(frontmatter('compaction: {max_tokens: 9000, keep_turns: 2}'));
    expect(plain.problems).toEqual([]);
    expect(plain.config.session.compaction).toEqual({ maxTokens: 9000, keepTurns: 2 });
    const asked = await load(frontmatter('compaction: {max_tokens: 9000, summary: model}'));
    expect(asked.config.session.compaction?.summarise).toBeTypeOf('function');
    const wrong = await load(frontmatter('compaction: {keep_turns: 2, summary: poem}'));
    expect(wrong.messages.join()).toMatch(/compaction.max_tokens is required/);
    expect(wrong.messages.join()).toMatch(/compaction.summary must be one of digest, model/);
  });

  it('may be absent, empty or plain text', async () => {
    const bare = await loadAgentProject(tempProject({ '.harness/hooks/h.md': HOOK }));
    expect(bare.config).toMatchObject({ session: {}, model: null, mcpServers: [] });
    const text = await load('You are kind.\n');
    expect(text.config.session.system).toBe('You are kind.');
  });

  it('names models, by settings or by a name of their own', async () => {
    const yaml = `model: fast
models:
  fast: {name: openai/small, base_url: "http://localhost:1/v1", api_key_env: GROQ_API_KEY, max_tokens: 50, stream: false}
  big: anthropic/large`;
    const { config, problems } = await load(frontmatter(yaml));
    expect(problems).toEqual([]);
    const fast = {
      model: 'openai/small',
      baseUrl: 'http://localhost:1/v1',
      apiKeyEnv: 'GROQ_API_KEY',
      maxTokens: 50,
      stream: false,
    };
    expect(config.model).toEqual(fast);
    expect(config.models).toEqual({ fast, big: { model: 'anthropic/large' } });
    expect(config.session).toMatchObject({ model: 'small', maxOutputTokens: 50 });
  });

  it.each([
    [
      'model: claude-x',
      'model: "claude-x" names no provider: want anthropic/NAME, openai/NAME or scripted:FILE',
    ],
    ['model: fats\nmodels: {fast: openai/x}', '(did you mean fast?)'],
    ['model: {name: openai/x, base_url: "ftp://x"}', 'base_url "ftp://x" is no http or https address'],
    ['models: {a: nowhere}', 'models.a: "nowhere" names no provider'],
    ['model: [a]', 'model must be a string or a map; got a list'],
    ['model: {nam: openai/x}', 'model.name is required'],
    ['limits: {max_turns: 0}', 'limits.max_turns must be from 1 to'],
    ['limits: {max_turns: many}', 'limits.max_turns must be an integer'],
    ['limits: {max_cost_usd: free}', 'limits.max_cost_usd must be a number'],
    ['exit_policy: {mode: never}', 'must be one of natural, done_tool, hook, hybrid'],
    ['context: {file: x}', 'there is no context.file'],
    ['context: [{file: none.md}]', 'context: the file "none.md" does not exist'],
    ['context: [{file: ../x}]', 'context: the file "../x" is outside the workspace'],
    ['mcp_servers: {a: {args: [x]}}', 'mcp_servers.a must have either a command or a url'],
    ['mcp_servers: {a: {command: x, url: "http://x"}}', 'mcp_servers.a must have either a command or a url'],
    ['mcp_servers: {a: {url: nowhere}}', 'mcp_servers.a.url "nowhere" is no http or https address'],
    ['mcp_servers: {a: {command: x, env: {A: 1}}}', 'mcp_servers.a.env.A must be a string; got the number 1'],
    ['delegation: {max_depth: deep}', 'delegation.max_depth must be an integer'],
  ])('with %s has an error', async (yaml, message) => {
    const { messages } = await load(frontmatter(yaml));
    expect(messages.filter((each) => each.startsWith('error'))).toEqual([expect.stringContaining(message)]);
  });

  it('warns about keys it does not know, at any depth, once', async () => {
    const { messages } = await load(frontmatter('modle: x\ncompaction: {max_tokens: 9, keep_turn: 3}'));
    expect(messages).toEqual([
      'warning: unknown field modle is ignored (did you mean model?)',
      'warning: unknown field compaction.keep_turn is ignored (did you mean keep_turns?)',
    ]);
  });

  it('takes a limit that is misspelt for a mistake: nobody would be limited', async () => {
    const { messages } = await load(frontmatter('limits: {max_turn: 3}'));
    expect(messages).toEqual([
      expect.stringContaining('there is no limits.max_turn (did you mean max_turns?)'),
    ]);
  });

  it('reports a mistake in an inline tool once, at its place', async () => {
    const yaml =
      'tools:\n  - name: one\n    description: x\n    script: |\n      def run(args):\n          return nope';
    const { problems, tools } = await load(frontmatter(yaml));
    expect(problems).toMatchObject([
      { code: 'SCRIPT_INVALID', position: { file: 'harness.md', line: 7, col: 18 } },
    ]);
    expect(tools).toEqual([]);
    const nameless = await load(frontmatter('tools:\n  - description: x\n    script: ""'));
    expect(nameless.messages.filter((each) => each.startsWith('error'))).toEqual([
      expect.stringContaining('tools[0].name is required'),
      expect.stringContaining('tools[0].script is required'),
    ]);
  });

  it('describes MCP servers', async () => {
    const yaml = `mcp_servers:
  git: {command: npx, args: [-y, git-mcp], env: {A: b}, cwd: sub}
  web: {url: "https://example.com/mcp", headers: {Authorization: x}}`;
    const { config, problems } = await load(frontmatter(yaml));
    expect(problems).toEqual([]);
    expect(config.mcpServers).toEqual([
      { name: 'git', command: 'npx', args: ['-y', 'git-mcp'], env: { A: 'b' }, cwd: 'sub' },
      { name: 'web', url: 'https://example.com/mcp', headers: { Authorization: 'x' } },
    ]);
  });
});

describe('what an agent is offered', () => {
  const files = { '.harness/tools/read.md': tool(), '.harness/tools/write.md': tool() };
  const names = async (yaml: string) => {
    const agent = await load(frontmatter(yaml), files);
    return { names: offeredTools(agent).offered.map((each) => each.name), messages: agent.messages };
  };

  it('follows tools_policy [C142]', async () => {
    expect(await names('tools_policy: {deny: [write]}')).toEqual({ names: ['read'], messages: [] });
    expect(await names('tools_policy: {allow: [w*]}')).toEqual({ names: ['write'], messages: [] });
  });

  it('is nothing where the policy cannot be read', async () => {
    expect((await names('tools_policy: {deny: write}')).names).toEqual([]);
    expect((await names('tools_policy: [write]')).names).toEqual([]);
    expect(await names('tools_policy: {denny: [write]}')).toEqual({
      names: [],
      messages: [expect.stringContaining('there is no tools_policy.denny (did you mean deny?)')],
    });
    const broken = await load('---\ntools_policy: {deny: [write\n---\n', files);
    expect(offeredTools(broken).offered).toEqual([]);
  });

  it('comes with a warning where a pattern names nothing or has no effect', async () => {
    expect((await names('tools_policy: {deny: [wrte]}')).messages).toEqual([
      'warning: tools_policy.deny: "wrte" names no tool of this project (did you mean write?)',
    ]);
    expect((await names('tools_policy: {mode: denylist, allow: [read]}')).messages).toEqual([
      expect.stringContaining('tools_policy.allow has no effect'),
    ]);
    expect(
      (await names('tools_policy: {deny: [git__*]}\nmcp_servers: {git: {command: x}}')).messages,
    ).toEqual([]);
  });
});

describe('the network of a tool', () => {
  const reach = async (yaml: string) => {
    const agent = await load(frontmatter(yaml), {
      '.harness/tools/get.md': tool('http.get("http://127.0.0.1:9/")'),
    });
    return (agent.tools[0]!.run({}, toolContext(agent.dir).context) as Promise<Json>).catch(String);
  };

  it('is open until a domain is listed, and closed where the list cannot be read', async () => {
    expect(await reach('model: openai/x')).toContain('ECONNREFUSED');
    expect(await reach('network: {allowed_domains: [example.com]}')).toContain('is an IP address');
    const closed = 'network.allowed_domains lists no domain';
    expect(await reach('network: {allowed_domains: []}')).toContain(closed);
    expect(await reach('network: {allowed_domains: ["http://x"]}')).toContain(closed);
    expect(await reach('network: everywhere')).toContain(closed);
  });
});

async function play(dir: string, completions: Parameters<typeof scriptedProvider>[0]['completions']) {
  const agent = await loadAgentProject(dir);
  const session = new Session({
    config: agent.config.session,
    provider: scriptedProvider({ completions }),
    tools: offeredTools(agent).offered,
    policy: agent.policy,
    workspace: dir,
  });
  const events: SessionEvent[] = [];
  const run = session.run('go');
  for await (const event of run) events.push(event);
  return { events, result: await run.result };
}

describe('exit_policy: done_tool', () => {
  const DONE = { tool_calls: [{ name: 'done', args: { summary: 'all of it' } }] };

  it('sends an agent back until it has called done', async () => {
    const dir = tempProject({ 'harness.md': frontmatter('exit_policy: {mode: done_tool}') });
    const { result, events } = await play(dir, [{ text: 'Finished?' }, DONE, { text: 'Yes.' }]);
    expect(result).toMatchObject({ reason: 'end_turn', text: 'Yes.' });
    const stops = events.flatMap((event) =>
      event.type === 'hook' && event.event === 'agent.stop' ? [event.outcome] : [],
    );
    expect(stops.map(({ action, hook }) => [action, hook])).toEqual([
      ['block', 'exit_policy'],
      ['allow', null],
    ]);
    expect(result.messages.some((message) => message.content.includes('call the done tool'))).toBe(true);
  });

  it('gives up after max_continuations', async () => {
    const dir = tempProject({
      'harness.md': frontmatter('exit_policy: {mode: hybrid, max_continuations: 1}'),
    });
    const { result } = await play(dir, [{ text: 'One.' }, { text: 'Two.' }]);
    expect(result).toMatchObject({ reason: 'end_turn', text: 'Two.' });
  });

  it('offers done whatever the policy says, and takes its name', async () => {
    const agent = await load(frontmatter('exit_policy: {mode: done_tool}\ntools_policy: {mode: allowlist}'), {
      '.harness/tools/done.md': tool(),
    });
    expect(offeredTools(agent).offered.map((each) => each.source)).toEqual(['<exit_policy>']);
    expect(agent.messages).toEqual([expect.stringContaining('error: exit_policy brings a tool named done')]);
  });

  it('forgets with the turn', async () => {
    const run = new RunState();
    const agent = await load(frontmatter('exit_policy: {mode: done_tool}'));
    const { context } = toolContext(agent.dir);
    await agent.tools[0]!.run({}, { ...context, run });
    expect([...run.turn.keys()]).toEqual(['exit_policy.done']);
    expect(run.cache.size).toBe(0);
  });
});

describe('the tools harness init writes', () => {
  const templates = join(dirname(fileURLToPath(import.meta.url)), '../../cli/init/templates');

  const scaffold = () => {
    const dir = tempProject();
    mkdirSync(join(dir, '.harness'));
    cpSync(templates, join(dir, '.harness'), { recursive: true });
    return dir;
  };

  it('load without a problem', async () => {
    const { problems, tools } = await loadAgentProject(scaffold());
    expect(problems).toEqual([]);
    expect(tools.map((each) => each.name)).toEqual(['read_file', 'run_command', 'write_file']);
  });

  it('run under the governed stack, each to its end', async () => {
    const dir = scaffold();
    symlinkSync('/etc', join(dir, 'etc'));
    const call = (name: string, args: JsonObject) => ({ name, args });
    const { result } = await play(dir, [
      { tool_calls: [call('write_file', { path: 'notes/a.txt', content: 'hello' })] },
      {
        tool_calls: [
          call('read_file', { path: 'notes/a.txt' }),
          call('run_command', { command: 'cat notes/a.txt; exit 4' }),
        ],
      },
      { tool_calls: [call('read_file', { path: 'etc/passwd' }), call('read_file', {})] },
      { text: 'Done.' },
    ]);
    expect(result.reason).toBe('end_turn');
    expect(readFileSync(join(dir, 'notes/a.txt'), 'utf8')).toBe('hello');
    const answers = result.messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
    expect(answers.map(({ is_error }) => is_error)).toEqual([false, false, false, true, true]);
    expect(JSON.parse(answers[0]!.content)).toEqual({ path: 'notes/a.txt', characters: 5 });
    expect(JSON.parse(answers[1]!.content)).toEqual({ path: 'notes/a.txt', content: 'hello' });
    expect(JSON.parse(answers[2]!.content)).toMatchObject({ exit_code: 4, stdout: 'hello' });
    expect(answers[3]!.content).toContain('is outside the workspace');
    expect(answers[4]!.content).toContain('args.path is missing');
  });
});
