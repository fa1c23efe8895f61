// What holds for every run in every framework: the user's messages are judged, and nothing of one run reaches another.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChatOpenAI } from '@langchain/openai';
import { guardMiddleware, openGuard as openForLangChain } from 'harness-hooks/langchain';
import { readTape } from 'harness-hooks/tape';
import { startModelServer } from 'harness-hooks/testing';
import { createAgent, createMiddleware, ToolMessage, tool } from 'langchain';
import { FRAMEWORKS } from './agents.mjs';
import { hook, policyFolder } from './policy.mjs';

const user = (content) => ({ role: 'user', content });

/** The texts that `turn.start` was asked about, in order. */
function prompts(dir) {
  const folder = join(dir, '.harness/runs');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => [...readTape(join(folder, name)).entries])
    .flatMap(({ record }) => (record.in?.event === 'turn.start' ? [record.in.payload] : []));
}

/** A guard that every user of a framework shares, and a hook that gives each of them something to read. */
const NOTES = {
  'prompt-note.md': hook('turn.start', 'allow(context = "PROMPT NOTE of " + payload)'),
  'call-note.md': hook('tool.pre', 'allow(context = "CALL NOTE of " + payload["args"]["text"])'),
  'none.md': hook('tool.pre', 'block("never this") if "never" in payload["args"]["text"] else allow()'),
};

const scriptFor = (name) => ({
  completions: [
    { tool_calls: [{ name: 'echo', args: { text: name } }] },
    { tool_calls: [{ name: 'echo', args: { text: `never ${name}` } }] },
    { text: 'Done.' },
  ],
});

/** What was sent, without the ids that every run makes anew. */
const plain = (requests) =>
  JSON.parse(
    JSON.stringify(requests.map(({ body }) => body))
      .replace(/\b(call|msg|fc|resp|toolu|aitxt|run)[-_][\w-]+/g, 'ID')
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'),
  );

/** Runs these users at once, under one guard: no tool gives its result before all of them have been called. */
async function together({ openGuard, make }, names) {
  const guard = await openGuard({ policy: policyFolder(NOTES), tape: false });
  let waiting = names.length;
  let open;
  const all = new Promise((resolve) => (open = resolve));
  const echo = async ({ text }) => {
    if (--waiting === 0) open();
    await all;
    return `echo: ${text}`;
  };
  const sent = await Promise.all(
    names.map(async (name) => {
      const server = await startModelServer({ script: scriptFor(name) });
      assert.equal(await make(guard, server.url, echo)([user(name)]), 'Done.');
      await server.close();
      return plain(server.requests());
    }),
  );
  return Object.fromEntries(names.map((name, at) => [name, sent[at]]));
}

for (const [name, framework] of Object.entries(FRAMEWORKS)) {
  test(`${name}: of two users at once, each model is sent what it is sent if its user is alone`, async () => {
    const { ALICE, BOB } = await together(framework, ['ALICE', 'BOB']);
    assert.ok(!JSON.stringify(ALICE).includes('BOB'));
    assert.ok(!JSON.stringify(BOB).includes('ALICE'));
    assert.match(JSON.stringify(ALICE), /CALL NOTE of ALICE/);
    assert.deepEqual(ALICE, (await together(framework, ['ALICE'])).ALICE);
    assert.deepEqual(BOB, (await together(framework, ['BOB'])).BOB);
  });

  test(`${name}: every message of the user that a request adds is judged, in order`, async () => {
    const server = await startModelServer({ script: { completions: [{ text: 'Done.' }] } });
    const dir = policyFolder();
    const guard = await framework.openGuard({ policy: dir });
    const send = framework.make(guard, server.url, async () => 'x');
    await assert.rejects(send([user('a bad question'), user('hello')]), /not that question|guardrail/i);
    assert.equal(server.requests().length, 0);
    const earlier = [
      user('earlier'),
      {
        role: 'assistant',
        content: [{ type: name === 'OpenAI Agents' ? 'output_text' : 'text', text: 'I see.' }],
        ...(name === 'OpenAI Agents' && { status: 'completed' }),
      },
    ];
    assert.equal(await send([...earlier, user('one'), user('two')]), 'Done.');
    await guard.close();
    await server.close();
    assert.deepEqual(prompts(dir), ['a bad question', 'one', 'two']);
  });
}

test('LangChain: nothing of a run stays in a middleware that two agents share', async () => {
  const guard = await openForLangChain({ policy: policyFolder(NOTES), tape: false });
  const shared = createMiddleware(guardMiddleware(guard, { ToolMessage }));
  const make = (_guard, url, execute) => {
    const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const model = new ChatOpenAI({
      model: 'fake-model',
      apiKey: 'dummy',
      configuration: { baseURL: `${url}/v1` },
    });
    const echo = tool(execute, { name: 'echo', description: 'x', schema });
    const agent = createAgent({ model, tools: [echo], middleware: [shared] });
    return async (messages) => (await agent.invoke({ messages })).messages.at(-1).content;
  };
  const { ALICE, BOB } = await together({ openGuard: async () => guard, make }, ['ALICE', 'BOB']);
  assert.ok(!JSON.stringify(ALICE).includes('BOB'));
  assert.ok(!JSON.stringify(BOB).includes('ALICE'));
  assert.match(JSON.stringify(BOB), /CALL NOTE of BOB/);
});

const REWRITES = { 'rewrite.md': hook('turn.start', 'modify(payload.replace("secret", "[removed]"))') };

for (const name of ['AI SDK', 'LangChain'])
  test(`${name}: a prompt that the policy rewrites is rewritten in every later request of the run`, async () => {
    const { openGuard, make } = FRAMEWORKS[name];
    const server = await startModelServer({ script: scriptFor('x') });
    const guard = await openGuard({ policy: policyFolder(REWRITES), tape: false });
    assert.equal(
      await make(guard, server.url, async () => 'x')([user('my secret'), user('a secret too')]),
      'Done.',
    );
    await server.close();
    for (const request of server.requests()) {
      assert.ok(!JSON.stringify(request).includes('secret'));
      assert.ok(
        JSON.stringify(request).includes('my [removed]') &&
          JSON.stringify(request).includes('a [removed] too'),
      );
    }
  });
