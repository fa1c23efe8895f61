// Everything that the types of Mastra know as a source of tools, in one agent, under a policy that blocks every call.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { MastraBrowser } from '@mastra/core/browser';
import { MockMemory } from '@mastra/core/memory';
import { createSkill } from '@mastra/core/skills';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LocalFilesystem, LocalSandbox, Workspace } from '@mastra/core/workspace';
import { guardAgent, openGuard } from 'harness-hooks/mastra';
import { startModelServer } from 'harness-hooks/testing';
import { z } from 'zod';
import { MASTRA_AGENT, MASTRA_RUN } from './kinds.mjs';
import { AT_PROVIDER, blockEverything, calls, hook, policyFolder } from './policy.mjs';

/** Arguments that fit every tool here. */
const ARGS = {
  path: 'made.txt',
  content: 'x',
  command: 'touch ran.txt',
  prompt: 'go',
  inputData: {},
  name: 'review',
  memory: 'x',
};

const toolNamed = (id, ran) =>
  createTool({
    id,
    description: 'x',
    inputSchema: z.object({}).passthrough(),
    execute: async () => {
      ran.push(id);
      return 'x';
    },
  });

class TestBrowser extends MastraBrowser {
  id = 'browser';
  name = 'browser';
  provider = 'none';
  constructor(ran) {
    super({});
    this.ran = ran;
  }
  async doLaunch() {}
  async doClose() {}
  async getActivePage() {
    return null;
  }
  getBrowserStateForThread() {
    return null;
  }
  async ensureReady() {}
  getTools() {
    return { browse: toolNamed('browse', this.ran) };
  }
}

const modelAt = (server) =>
  createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' })('fake-model');

const agentNamed = (name, server, more = {}) =>
  new Agent({ id: name, name, description: name, instructions: 'x', model: modelAt(server), ...more });

/** For each part of an agent: what to give, and the name of a tool that comes of it. */
const PARTS = {
  tools: (ran) => [{ own: toolNamed('own', ran) }, 'own'],
  agents: (ran, server) => [
    { helper: agentNamed('helper', server, { tools: { inner: toolNamed('inner', ran) } }) },
    'agent-helper',
  ],
  workflows: (ran) => {
    const schema = z.object({});
    const step = createStep({
      id: 's',
      inputSchema: schema,
      outputSchema: schema,
      execute: async () => ran.push('workflow') && {},
    });
    return [
      { flow: createWorkflow({ id: 'flow', inputSchema: schema, outputSchema: schema }).then(step).commit() },
      'workflow-flow',
    ];
  },
  workspace: (_ran, _server, basePath) => [
    new Workspace({
      filesystem: new LocalFilesystem({ basePath }),
      sandbox: new LocalSandbox({ workingDirectory: basePath }),
    }),
    'mastra_workspace_write_file',
  ],
  skills: () => [[createSkill({ name: 'review', description: 'x', instructions: 'y' })], 'skill'],
  browser: (ran) => [new TestBrowser(ran), 'browse'],
  memory: () => [new MockMemory({ enableWorkingMemory: true }), 'updateWorkingMemory'],
  inputProcessors: (ran) => [
    [
      {
        id: 'adds',
        processInputStep: async ({ tools }) => ({ tools: { ...tools, added: toolNamed('added', ran) } }),
      },
    ],
    'added',
  ],
  defaultOptions: (ran) => [{ toolsets: { set: { preset: toolNamed('preset', ran) } } }, 'preset'],
};

/** Options of a run. */
const RUN = {
  toolsets: (ran) => [{ set: { from_set: toolNamed('from_set', ran) } }, 'from_set'],
  prepareStep: (ran) => [
    ({ tools }) => ({ tools: { ...tools, prepared: toolNamed('prepared', ran) } }),
    'prepared',
  ],
  inputProcessors: PARTS.inputProcessors,
};

/** An agent under a policy, whose model calls each of these tools once. */
async function play({ names, settings, options = {}, dir, ran = [], accept }) {
  const base = mkdtempSync(join(tmpdir(), 'harness-workspace-'));
  const completions = [...names.map((name) => ({ tool_calls: [{ name, args: ARGS }] })), { text: 'Done.' }];
  const server = await startModelServer({ script: { completions } });
  const guard = await openGuard({ policy: dir });
  const made = settings(ran, server, base);
  const agent = guardAgent(guard, agentNamed('test', server, made), { accept });
  const result = await agent
    .generate('go', { maxSteps: names.length + 2, memory: { thread: 't', resource: 'r' }, ...options })
    .then(
      ({ text }) => text,
      ({ message }) => `threw: ${message}`,
    );
  await guard.close();
  await server.close();
  return { ran, result, files: readdirSync(base), requests: server.requests(), agent };
}

const pairs = (dir) => calls(dir).map(({ tool, verdict }) => [tool, verdict]);

for (const part of Object.keys(MASTRA_AGENT).filter((name) => name !== 'voice'))
  test(`Mastra: what ${part} of an agent brings does not run under a policy that blocks every call, and is on the tape`, async () => {
    const dir = blockEverything();
    const [, name] = PARTS[part]([], { url: 'http://127.0.0.1:9' }, tmpdir());
    // A browser wants a memory beside it.
    const settings = (ran, server, base) => ({
      memory: new MockMemory(),
      [part]: PARTS[part](ran, server, base)[0],
    });
    const { ran, files, requests, result } = await play({ names: [name], settings, dir });
    assert.deepEqual([ran, files, result], [[], [], 'Done.']);
    assert.deepEqual(pairs(dir), [[name, 'blocked']]);
    assert.match(JSON.stringify(requests), /no tool runs here/);
  });

for (const option of Object.keys(MASTRA_RUN).filter((name) => name !== 'clientTools'))
  test(`Mastra: what ${option} of a run brings does not run under a policy that blocks every call, and is on the tape`, async () => {
    const dir = blockEverything();
    const ran = [];
    const [value, name] = RUN[option](ran);
    const { result } = await play({
      names: [name],
      settings: () => ({}),
      options: { [option]: value },
      dir,
      ran,
    });
    assert.deepEqual([ran, result], [[], 'Done.']);
    assert.deepEqual(pairs(dir), [[name, 'blocked']]);
  });

test('Mastra: all that an agent offers at once is blocked, and is on the tape', async () => {
  const dir = blockEverything();
  const settings = (ran, server, base) =>
    Object.fromEntries(Object.keys(PARTS).map((part) => [part, PARTS[part](ran, server, base)[0]]));
  const server = { url: 'http://127.0.0.1:9' };
  const offered = await agentNamed('test', server, settings([], server, tmpdir())).getToolsForExecution({});
  const names = [...Object.keys(offered), 'added'];
  const { ran, files } = await play({ names, settings, dir });
  assert.deepEqual([ran, files], [[], []]);
  assert.deepEqual(
    pairs(dir),
    names.map((name) => [name, 'blocked']),
  );
});

test('Mastra: tools that an agent gives to another way to run it are judged', async () => {
  const ran = [];
  const guard = await openGuard({ policy: blockEverything(), tape: false });
  const agent = agentNamed('a', { url: 'http://127.0.0.1:9' }, { tools: { own: toolNamed('own', ran) } });
  const { own } = await guardAgent(guard, agent).getToolsForExecution({});
  await assert.rejects(own.execute({}, {}), /no tool runs here/);
  assert.deepEqual(ran, []);
});

test('Mastra: hooks and processors that a run gives do not take the place of the policy', async () => {
  const dir = blockEverything();
  const hooks = { beforeToolCall: () => undefined };
  const settings = (ran) => ({ tools: { own: toolNamed('own', ran) } });
  const { ran } = await play({ names: ['own'], settings, options: { hooks, inputProcessors: [] }, dir });
  assert.deepEqual(ran, []);
  assert.deepEqual(pairs(dir), [['own', 'blocked']]);
});

test('Mastra: the tools of another agent are judged inside it', async () => {
  const dir = policyFolder({
    'inner.md': hook('tool.pre', 'block("not inside") if payload["name"] == "inner" else allow()'),
  });
  const settings = (ran, server) => ({ agents: PARTS.agents(ran, server)[0] });
  const { ran } = await play({ names: ['agent-helper', 'inner'], settings, dir });
  assert.deepEqual(ran, []);
  assert.deepEqual(pairs(dir), [
    ['inner', 'blocked'],
    ['agent-helper', 'ran'],
  ]);
});

test('Mastra: a tool that the provider runs is on the tape as not judged', async () => {
  const dir = blockEverything();
  const search = {
    type: 'provider',
    id: 'openai.web_search',
    name: 'web_search',
    args: {},
    isProviderExecuted: true,
  };
  await play({ names: [], settings: () => ({ tools: { search } }), dir });
  assert.deepEqual(
    calls(dir).map(({ tool, verdict, reason }) => [tool, verdict, reason]),
    [['search', 'allowed', AT_PROVIDER]],
  );
});

test('Mastra: what cannot be judged is refused by its name unless the program accepts it', async () => {
  const server = { url: 'http://127.0.0.1:9' };
  const guard = await openGuard({ policy: blockEverything(), tape: false });
  const remote = {
    id: 'remote',
    name: 'remote',
    getDescription: () => 'x',
    generate: async () => ({}),
    stream: async () => ({}),
  };
  for (let times = 0; times < 2; times++)
    assert.throws(
      () => guardAgent(guard, agentNamed('a', server, { agents: { remote } })),
      /remote: an agent without convertTools/,
    );
  guardAgent(guard, agentNamed('a', server, { agents: { remote } }), { accept: ['remote'] });
  const voice = () => ({});
  assert.throws(
    () => guardAgent(guard, agentNamed('a', server, { voice })),
    /voice: a voice calls the tools/,
  );
  await assert.rejects(
    guardAgent(guard, agentNamed('a', server)).network('go'),
    /network: write generate or stream/,
  );
  const clientTools = { ask: { id: 'ask', description: 'x', inputSchema: z.object({}) } };
  const refused = await play({
    names: [],
    settings: () => ({}),
    options: { clientTools },
    dir: blockEverything(),
  });
  assert.match(refused.result, /ask: a tool without execute/);
  const dir = blockEverything();
  await play({ names: [], settings: () => ({}), options: { clientTools }, dir, accept: ['ask'] });
  assert.deepEqual(
    calls(dir).map(({ tool, reason }) => [tool, reason]),
    [['ask', 'not judged: the program lists this tool under `accept`']],
  );
});
