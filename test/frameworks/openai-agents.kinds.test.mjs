// Every kind of tool that the types of the OpenAI Agents SDK know, in one agent, under a policy that blocks every call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as sdk from '@openai/agents';
import { SandboxAgent, shell as shellCapability } from '@openai/agents/sandbox';
import { guardAgent, openGuard } from 'harness-hooks/openai-agents';
import { OPENAI_AGENT, OPENAI_TOOLS } from './kinds.mjs';
import { AT_PROVIDER, blockEverything, calls, hook, policyFolder } from './policy.mjs';

const { Agent, Runner, Usage } = sdk;
const makers = new Map(Object.entries(sdk));
sdk.setTracingDisabled(true);

const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };

/** A model that gives these answers, each a list of items, and then says that it is done. */
function scripted(answers) {
  const requests = [];
  const rest = [...answers];
  const done = [
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Done.' }],
    },
  ];
  return {
    requests,
    async getResponse(request) {
      requests.push(JSON.parse(JSON.stringify(request)));
      return { usage: new Usage(), output: rest.shift() ?? done };
    },
  };
}

const functionCall = (name, args = {}) => ({
  type: 'function_call',
  callId: `id_${name}`,
  name,
  status: 'completed',
  arguments: JSON.stringify(args),
});

/** Nothing of it may run. */
function computer(ran) {
  const act = (name) => async () => {
    ran.push(`computer ${name}`);
    return '';
  };
  const names = ['screenshot', 'click', 'doubleClick', 'scroll', 'type', 'wait', 'move', 'keypress', 'drag'];
  return {
    environment: 'browser',
    dimensions: [1, 1],
    ...Object.fromEntries(names.map((name) => [name, act(name)])),
  };
}

const run = (ran, name) => async () => {
  ran.push(name);
  return { output: [] };
};

/** For each kind: tools, the item with which a model calls one, and the name on the tape. */
const TOOLS = {
  function: (ran) => [
    {
      tool: sdk.tool({
        name: 'plain',
        description: '',
        strict: true,
        parameters,
        execute: run(ran, 'function'),
      }),
      item: functionCall('plain'),
      name: 'plain',
    },
  ],
  computer: (ran) =>
    [computer(ran), async () => computer(ran), { create: async () => computer(ran) }].map((each, at) => ({
      tool: sdk.computerTool({ name: `computer${at}`, computer: each }),
      item: {
        type: 'computer_call',
        callId: `id_computer${at}`,
        status: 'completed',
        action: { type: 'click', x: 1, y: 1, button: 'left' },
      },
      name: `computer${at}`,
    })),
  shell: (ran) => [
    {
      tool: sdk.shellTool({ shell: { run: run(ran, 'shell') } }),
      item: { type: 'shell_call', callId: 'id_shell', status: 'completed', action: { commands: ['true'] } },
      name: 'shell',
    },
  ],
  apply_patch: (ran) => [
    {
      tool: sdk.applyPatchTool({
        editor: {
          createFile: run(ran, 'create'),
          updateFile: run(ran, 'update'),
          deleteFile: run(ran, 'delete'),
        },
      }),
      item: {
        type: 'apply_patch_call',
        callId: 'id_patch',
        status: 'completed',
        operation: { type: 'delete_file', path: 'x' },
      },
      name: 'apply_patch',
    },
  ],
};

/** Hosted tools, by the functions of the SDK that make them. */
const HOSTED = {
  codeInterpreterTool: {},
  fileSearchTool: ['a store'],
  hostedMcpTool: { serverLabel: 'x', serverUrl: 'http://127.0.0.1:9/' },
  imageGenerationTool: {},
  programmaticToolCallingTool: {},
  toolSearchTool: {},
  webSearchTool: {},
};
const LOCAL = ['applyPatchTool', 'computerTool', 'shellTool', 'tool'];
const NOT_TOOLS = ['invokeFunctionTool', 'mcpToFunctionTool'];

test('OpenAI Agents: every function of the SDK that makes a tool is known here', () => {
  const named = Object.keys(sdk).filter((name) => /(^t|T)ool$/.test(name));
  assert.deepEqual(named.sort(), [...Object.keys(HOSTED), ...LOCAL, ...NOT_TOOLS].sort());
});

async function guardedRun(agent, model, dir, options) {
  const guard = await openGuard({ policy: dir });
  const own = guardAgent(guard, agent, options);
  own.model = model;
  const result = await new Runner({ tracingDisabled: true }).run(own, 'go').then(
    ({ finalOutput }) => finalOutput,
    ({ message }) => `threw: ${message}`,
  );
  await guard.close();
  return result;
}

for (const kind of Object.keys(OPENAI_TOOLS).filter((name) => name !== 'hosted_tool'))
  test(`OpenAI Agents: a tool of the kind ${kind} does not run under a policy that blocks every call, and is on the tape`, async () => {
    for (const at of TOOLS[kind]([]).keys()) {
      const ran = [];
      const { tool, item, name } = TOOLS[kind](ran)[at];
      const dir = blockEverything();
      await guardedRun(new Agent({ name: 'a', tools: [tool] }), scripted([[item]]), dir);
      assert.deepEqual(ran, []);
      assert.ok(calls(dir).every(({ verdict }) => verdict === 'blocked'));
      assert.ok(
        calls(dir).some(({ tool: on }) => on === name),
        `${name} is on the tape`,
      );
    }
  });

test('OpenAI Agents: hosted tools are on the tape of a run as not judged', async () => {
  const tools = Object.entries(HOSTED).map(([make, options]) => makers.get(make)(options));
  const hostedShell = sdk.shellTool({ environment: { type: 'container_auto' } });
  const dir = blockEverything();
  await guardedRun(new Agent({ name: 'a', tools: [...tools, hostedShell] }), scripted([]), dir);
  const expected = [...tools, hostedShell].map(({ name }) => [name, 'allowed', AT_PROVIDER]);
  assert.deepEqual(
    calls(dir).map(({ tool, verdict, reason }) => [tool, verdict, reason]),
    expected,
  );
});

/** An MCP server inside the program. */
const mcpServer = (ran) => ({
  name: 'local',
  cacheToolsList: false,
  connect: async () => {},
  close: async () => {},
  invalidateToolsCache: async () => {},
  listTools: async () => [{ name: 'from_mcp', description: '', inputSchema: { ...parameters } }],
  callTool: async () => {
    ran.push('mcp');
    return [{ type: 'text', text: 'x' }];
  },
});

const onlyTool = (ran) =>
  sdk.tool({ name: 'inner_tool', description: '', strict: true, parameters, execute: run(ran, 'inner') });

const PARTS = {
  tools: (ran) => ({
    settings: { tools: [onlyTool(ran)] },
    item: functionCall('inner_tool'),
    name: 'inner_tool',
  }),
  mcpServers: (ran) => ({
    settings: { mcpServers: [mcpServer(ran)] },
    item: functionCall('from_mcp'),
    name: 'from_mcp',
  }),
  handoffs: (ran) => ({
    settings: {
      handoffs: [sdk.handoff(new Agent({ name: 'other' }), { onHandoff: () => ran.push('handoff') })],
    },
    item: functionCall('transfer_to_other'),
    name: 'transfer_to_other',
  }),
};

for (const part of Object.keys(OPENAI_AGENT).filter((name) => OPENAI_AGENT[name]))
  test(`OpenAI Agents: what ${part} of an agent brings does not run under a policy that blocks every call, and is on the tape`, async () => {
    const ran = [];
    const { settings, item, name } = PARTS[part](ran);
    const dir = blockEverything();
    await guardedRun(new Agent({ name: 'a', ...settings }), scripted([[item]]), dir);
    assert.deepEqual(ran, []);
    assert.deepEqual(
      calls(dir).map(({ tool, verdict }) => [tool, verdict]),
      [[name, 'blocked']],
    );
  });

const blocksInner = () =>
  policyFolder({
    'inner.md': hook('tool.pre', 'block("not inside") if payload["name"] == "inner_tool" else allow()'),
  });

test('OpenAI Agents: the tools of an agent behind a handoff are judged', async () => {
  const ran = [];
  const dir = blocksInner();
  const model = scripted([[functionCall('transfer_to_other')], [functionCall('inner_tool')]]);
  const other = new Agent({ name: 'other', tools: [onlyTool(ran)], model });
  assert.equal(await guardedRun(new Agent({ name: 'a', handoffs: [other] }), model, dir), 'Done.');
  assert.deepEqual(ran, []);
  assert.deepEqual(
    calls(dir).map(({ tool, verdict }) => [tool, verdict]),
    [
      ['transfer_to_other', 'ran'],
      ['inner_tool', 'blocked'],
    ],
  );
});

test('OpenAI Agents: an agent as a tool is refused by its name unless it is guarded, and then its tools are judged', async () => {
  const ran = [];
  const dir = blocksInner();
  const guard = await openGuard({ policy: dir });
  const inner = new Agent({
    name: 'inner',
    tools: [onlyTool(ran)],
    model: scripted([[functionCall('inner_tool')]]),
  });
  const asked = { toolName: 'ask_inner', toolDescription: '' };
  const outer = (tool) =>
    new Agent({
      name: 'outer',
      tools: [tool],
      model: scripted([[functionCall('ask_inner', { input: 'go' })]]),
    });
  assert.throws(() => guardAgent(guard, outer(inner.asTool(asked))), /ask_inner: an agent as a tool/);
  const own = guardAgent(guard, outer(guardAgent(guard, inner).asTool(asked)));
  await new Runner({ tracingDisabled: true }).run(own, 'go');
  await guard.close();
  assert.deepEqual(ran, []);
  assert.deepEqual(
    calls(dir).map(({ tool, verdict }) => [tool, verdict]),
    [
      ['inner_tool', 'blocked'],
      ['ask_inner', 'ran'],
    ],
  );
});

test('OpenAI Agents: a tool of a kind that nobody knows is refused by its name, and is on the tape if the program accepts it', async () => {
  const dir = blockEverything();
  const guard = await openGuard({ policy: dir });
  const agent = new Agent({ name: 'a', tools: [{ type: 'telepathy', name: 'mind' }] });
  assert.throws(() => guardAgent(guard, agent), /mind: a tool of the unknown kind "telepathy"/);
  assert.throws(() => guardAgent(guard, agent), /mind/, 'also the second time');
  guardAgent(guard, agent, { accept: ['mind'] });
  await guard.close();
  assert.deepEqual(
    calls(dir).map(({ tool, reason }) => [tool, reason]),
    [['mind', 'not judged: the program lists this tool under `accept`']],
  );
});

test('OpenAI Agents: a search of tools that the program answers is judged, and so are the tools it finds', async () => {
  const ran = [];
  const found = onlyTool(ran);
  const search = sdk.toolSearchTool({ execution: 'client', execute: async () => [found] });
  const guard = await openGuard({ policy: blockEverything(), tape: false });
  const own = guardAgent(guard, new Agent({ name: 'a', tools: [search] }));
  const [judged] = await own.getAllTools(new sdk.RunContext());
  const executor = sdk.getClientToolSearchExecutor(judged);
  assert.equal(await executor({ toolCall: { arguments: {} } }), null);
});

test('OpenAI Agents: the tools of a sandbox are judged', async () => {
  const guard = await openGuard({ policy: blockEverything(), tape: false });
  const own = guardAgent(guard, new SandboxAgent({ name: 'a', capabilities: [shellCapability()] }));
  const session = {
    state: {},
    exec: async () => assert.fail('it ran'),
    execCommand: async () => assert.fail('it ran'),
  };
  const tools = own.capabilities.flatMap((each) => each.clone().bind(session).tools());
  assert.ok(tools.length > 0);
  for (const tool of tools)
    assert.match(String(await tool.invoke(new sdk.RunContext(), '{"cmd":"true"}')), /no tool runs here/);
});
