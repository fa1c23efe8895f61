// Every tool that the Claude Agent SDK says it has, under a policy that blocks every call.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { guardAgent, openGuard } from 'harness-hooks/claude-agent-sdk';
import { startModelServer } from 'harness-hooks/testing';
import { z } from 'zod';
import { OPTIONS_WITH_MODES } from './claude-modes.mjs';
import { CLAUDE_AGENT } from './kinds.mjs';
import { blockEverything, calls, hook, policyFolder } from './policy.mjs';

const LIMIT = { timeout: 110_000 };
const MCP = 'mcp__t__echo';

/** The SDK starts a program of its own: with a folder and a home of its own, a dummy key and the scripted model. */
async function run(guard, completions, { prompt = 'go', ...options } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'harness-claude-'));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }));
  const server = await startModelServer({ script: { completions } });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    ENABLE_TOOL_SEARCH: 'false',
  };
  const fixed = {
    cwd,
    env,
    maxTurns: 60,
    model: 'claude-fake',
    settingSources: [],
  };
  let offered = [];
  let said = '';
  try {
    for await (const message of query({ prompt, options: guardAgent(guard, { ...fixed, ...options }) })) {
      if (message.type === 'system' && message.subtype === 'init') offered = message.tools;
      if (message.type === 'result') said = message.result ?? message.subtype;
    }
  } finally {
    await server.close();
  }
  return { offered, said, cwd, requests: server.requests() };
}

const echoServer = (ran) =>
  createSdkMcpServer({
    name: 't',
    tools: [
      tool('echo', 'Says it back.', { text: z.string() }, async ({ text }) => {
        ran.push(text);
        return { content: [{ type: 'text', text: `echo: ${text}` }] };
      }),
    ],
  });

/** Arguments with which each tool may be called. */
const ARGS = {
  Task: { description: 'x', prompt: 'x', subagent_type: 'general-purpose' },
  AskUserQuestion: {
    questions: [
      {
        question: 'x?',
        header: 'x',
        multiSelect: false,
        options: ['a', 'b'].map((label) => ({ label, description: label })),
      },
    ],
  },
  Bash: { command: 'touch ran', description: 'x' },
  CronCreate: { cron: '0 0 1 1 *', prompt: 'x' },
  CronDelete: { id: 'x' },
  CronList: {},
  Edit: { file_path: 'made', old_string: '', new_string: 'x' },
  EnterPlanMode: {},
  EnterWorktree: { name: 'x' },
  ExitPlanMode: { plan: 'x' },
  ExitWorktree: { action: 'keep' },
  ListAgents: {},
  Monitor: { command: 'touch ran', description: 'x', timeout_ms: 1000, persistent: false },
  NotebookEdit: { notebook_path: '/tmp/none.ipynb', new_source: 'x', cell_type: 'code', edit_mode: 'insert' },
  Read: { file_path: '/etc/hostname' },
  ReportFindings: { findings: [] },
  ScheduleWakeup: { delaySeconds: 60, reason: 'x', prompt: 'x' },
  SendMessage: { to: 'x', message: 'x', summary: 'x' },
  Skill: { skill: 'dataviz' },
  TaskStop: { task_id: 'x' },
  WebFetch: { url: 'http://127.0.0.1:9/', prompt: 'x' },
  WebSearch: { query: 'xyz' },
  Workflow: { name: 'deep-research' },
  Write: { file_path: 'made', content: 'x' },
  [MCP]: { text: 'x' },
};

/** There is nothing that they could act on, so that the SDK turns the call down before anybody is asked. */
const IDLE = ['CronDelete', 'ExitPlanMode', 'ExitWorktree', 'NotebookEdit', 'TaskStop'];

/** The model calls it by another name than the list has. */
const CALLED = { Task: 'Agent' };

test(
  'Claude Agent SDK: no tool that it offers runs under a policy that blocks every call, and each is on the tape',
  LIMIT,
  async () => {
    const ran = [];
    const dir = blockEverything();
    const guard = await openGuard({ policy: dir });
    const names = Object.keys(ARGS);
    const completions = names.map((name) => ({
      tool_calls: [{ name: CALLED[name] ?? name, args: ARGS[name] }],
    }));
    const options = {
      mcpServers: { t: echoServer(ran) },
      allowedTools: names.map((name) => CALLED[name] ?? name),
    };
    const { offered, said, cwd, requests } = await run(guard, [...completions, { text: 'Done.' }], options);
    await guard.close();
    assert.deepEqual(offered.toSorted(), names.toSorted(), 'a tool that is not known here');
    const results = requests
      .at(-1)
      .body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map((result) => (JSON.stringify(result).includes('no tool runs here') ? 'blocked' : result.content));
    const judged = names.filter((_name, at) => results[at] === 'blocked');
    assert.deepEqual(
      judged,
      names.filter((name) => !IDLE.includes(name)),
      JSON.stringify(results),
    );
    assert.ok(results.every((result) => result === 'blocked' || result.startsWith('<tool_use_error>')));
    assert.deepEqual(
      calls(dir).map(({ verdict }) => verdict),
      judged.map(() => 'blocked'),
    );
    assert.deepEqual(
      [ran, existsSync(join(cwd, 'ran')), existsSync(join(cwd, 'made')), said],
      [[], false, false, 'Done.'],
    );
  },
);

/** A plugin with a skill and the server of a tool. */
function plugin() {
  const path = mkdtempSync(join(tmpdir(), 'harness-plugin-'));
  const put = (name, text) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  const server = {
    command: process.execPath,
    args: [join(import.meta.dirname, 'conformance-server.mjs'), 'stdio'],
  };
  put('.claude-plugin/plugin.json', JSON.stringify({ name: 'p', version: '1.0.0' }));
  put('.mcp.json', JSON.stringify({ mcpServers: { s: server } }));
  put('skills/hello/SKILL.md', '---\nname: hello\ndescription: Says hello.\n---\nSay hello.\n');
  return { type: 'local', path };
}

const delegate = {
  name: 'Agent',
  args: { description: 'x', prompt: 'x', subagent_type: 'helper', run_in_background: false },
};
const helper = { description: 'Helps.', prompt: 'Help.', tools: [MCP] };

/** For each part: the options, what the model calls, and what is on the tape of a policy that blocks every call but a delegation. */
const PARTS = {
  agents: (ran) => [
    { agents: { helper }, mcpServers: { t: echoServer(ran) } },
    [delegate, { name: MCP, args: { text: 'x' } }],
    [MCP],
  ],
  mcpServers: (ran) => [{ mcpServers: { t: echoServer(ran) } }, [{ name: MCP, args: { text: 'x' } }], [MCP]],
  plugins: () => [
    { plugins: [plugin()] },
    [{ name: 'mcp__plugin_p_s__test_simple_text', args: {} }],
    ['mcp__plugin_p_s__test_simple_text'],
  ],
  skills: () => [
    { plugins: [plugin()], skills: ['p:hello'] },
    [{ name: 'Skill', args: { skill: 'p:hello' } }],
    ['Skill'],
  ],
  tools: () => [
    { tools: ['Bash'] },
    [{ name: 'Bash', args: { command: 'touch ran', description: 'x' } }],
    ['run_command'],
  ],
};

test('Claude Agent SDK: every part of an agent that the types of the SDK know is looked at here', () => {
  const parts = [...Object.keys(PARTS), ...OPTIONS_WITH_MODES];
  assert.deepEqual(Object.keys(CLAUDE_AGENT).sort(), parts.sort());
});

for (const [part, make] of Object.entries(PARTS))
  test(
    `Claude Agent SDK: what ${part} of an agent brings does not run under a policy that blocks every call, and is on the tape`,
    LIMIT,
    async () => {
      const ran = [];
      const [options, called, names] = make(ran);
      const dir = policyFolder({
        'none.md': hook('tool.pre', 'allow() if payload["name"] == "Agent" else block("no tool runs here")'),
      });
      const guard = await openGuard({ policy: dir });
      const completions = [
        ...called.map((call) => ({ tool_calls: [call] })),
        { text: 'Done.' },
        { text: 'Done.' },
      ];
      const allowedTools = called.map(({ name }) => name);
      const { cwd } = await run(guard, completions, { ...options, allowedTools });
      await guard.close();
      assert.deepEqual([ran, existsSync(join(cwd, 'ran'))], [[], false]);
      const verdicts = calls(dir).map(({ tool, verdict }) => [tool, verdict]);
      assert.deepEqual(
        verdicts.filter(([, verdict]) => verdict === 'blocked').map(([tool]) => tool),
        names,
      );
    },
  );

const NOTES = {
  'prompt-note.md': hook('turn.start', 'allow(context = "PROMPT NOTE of " + payload)'),
  'call-note.md': hook('tool.post', 'allow(context = "CALL NOTE of " + payload["args"]["text"])'),
};

test(
  'Claude Agent SDK: of two users at once, each model is sent only what its own user said and was told',
  LIMIT,
  async () => {
    const guard = await openGuard({ policy: policyFolder(NOTES), tape: false });
    const [alice, bob] = await Promise.all(
      ['ALICE', 'BOB'].map(async (name) => {
        const completions = [{ tool_calls: [{ name: MCP, args: { text: name } }] }, { text: 'Done.' }];
        const options = { prompt: name, mcpServers: { t: echoServer([]) }, allowedTools: [MCP] };
        return JSON.stringify((await run(guard, completions, options)).requests.map(({ body }) => body));
      }),
    );
    assert.match(alice, /PROMPT NOTE of ALICE/);
    assert.match(alice, /CALL NOTE of ALICE/);
    assert.match(bob, /CALL NOTE of BOB/);
    assert.ok(!alice.includes('BOB') && !bob.includes('ALICE'));
  },
);

test('Claude Agent SDK: every message of the user that a request adds is judged', LIMIT, async () => {
  async function* two() {
    for (const content of ['a bad question', 'a fine one'])
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
  const guard = await openGuard({ policy: policyFolder(), tape: false });
  const { requests } = await run(guard, [{ text: 'Done.' }, { text: 'Done.' }], { prompt: two() });
  assert.ok(!JSON.stringify(requests.map(({ body }) => body)).includes('a bad question'));
});

test('Claude Agent SDK: how often one session was sent back does not count for another that has the same options', async () => {
  const policy = policyFolder({ 'stop.md': hook('agent.stop', 'block("go on")') });
  const options = guardAgent(await openGuard({ policy, tape: false }), {});
  const stop = (session_id) =>
    options.hooks.Stop[0].hooks[0]({
      session_id,
      hook_event_name: 'Stop',
      transcript_path: '/tmp/none',
      cwd: '/tmp',
      stop_hook_active: false,
      last_assistant_message: 'Done.',
    });
  const sentBack = async (session) => (await stop(session)).decision === 'block';
  for (let times = 0; times < 6; times++) assert.ok(await sentBack('a'));
  assert.ok(!(await sentBack('a')));
  assert.ok(await sentBack('b'));
});
