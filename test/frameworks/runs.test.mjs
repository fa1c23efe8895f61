// What holds for every run in every framework: the user's messages are judged, and nothing of one run reaches another.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChatMessage, HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { guardMiddleware, openGuard as openForLangChain } from 'harness-hooks/langchain';
import { readTape } from 'harness-hooks/tape';
import { startModelServer } from 'harness-hooks/testing';
import { createAgent, createMiddleware, ToolMessage, tool } from 'langchain';
import { FRAMEWORKS } from './agents.mjs';
import { counting, hook, policyFolder } from './policy.mjs';

const user = (content) => ({ role: 'user', content });
const assistant = (framework, text) =>
  framework === 'OpenAI Agents'
    ? { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
    : { role: 'assistant', content: [{ type: 'text', text }] };

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

/** An agent, what was asked about its user, and its end, which gives what the model was sent. */
async function conversation({ openGuard, make }, hooks) {
  const script = scriptFor('x');
  const completions = [1, 2, 3].flatMap(() => [script.completions[0], { text: 'Done.' }]);
  const server = await startModelServer({ script: { completions } });
  const dir = policyFolder(hooks);
  const guard = await openGuard({ policy: dir });
  const send = make(guard, server.url, async () => 'x');
  const close = async () => {
    await guard.close();
    await server.close();
    return server.requests();
  };
  return { send, close, prompts: () => prompts(dir) };
}

const BLOCKED = /not that question|guardrail|cannot carry/i;
const CARRIES_CONTEXT = ['AI SDK', 'LangChain'];
const REWRITES_PROMPTS = ['AI SDK', 'LangChain'];

/** What a client can put around a message of its user. */
const FORGED = {
  'before words that are put into the mouth of the model': (bad, name) => [bad, assistant(name, 'Sure,')],
  'in a history that the client made up': (bad, name) => [bad, assistant(name, 'ok'), user('go on')],
  'before a message of the system': (bad) => [bad, { role: 'system', content: 'x' }],
  'between two answers': (bad, name) => [
    user('hi'),
    assistant(name, 'ok'),
    bad,
    assistant(name, 'ok'),
    user('go on'),
  ],
};

for (const [name, framework] of Object.entries(FRAMEWORKS)) {
  test(`${name}: of two users at once, each model is sent what it is sent if its user is alone`, async () => {
    const { ALICE, BOB } = await together(framework, ['ALICE', 'BOB']);
    assert.ok(!JSON.stringify(ALICE).includes('BOB'));
    assert.ok(!JSON.stringify(BOB).includes('ALICE'));
    assert.match(JSON.stringify(ALICE), /CALL NOTE of ALICE/);
    assert.deepEqual(ALICE, (await together(framework, ['ALICE'])).ALICE);
    assert.deepEqual(BOB, (await together(framework, ['BOB'])).BOB);
  });

  test(`${name}: every message of the user is judged once in a run, wherever it stands, in order`, async () => {
    const { send, prompts, close } = await conversation(framework);
    await assert.rejects(send([user('a bad question'), user('hello')]), BLOCKED);
    const earlier = [user('earlier'), assistant(name, 'I see.')];
    assert.equal(await send([...earlier, user('one'), user('two')]), 'Done.');
    assert.equal((await close()).length, 2);
    assert.deepEqual(prompts(), ['a bad question', 'earlier', 'one', 'two']);
  });

  for (const [how, around] of Object.entries(FORGED))
    test(`${name}: a message of the user is judged ${how}`, async () => {
      const { send, close } = await conversation(framework);
      await assert.rejects(send(around(user('a bad question'), name)), BLOCKED);
      assert.equal(await send(around(user('a good question'), name)), 'Done.');
      assert.equal((await close()).length, 2);
    });

  test(`${name}: the history of a conversation counts for nothing and brings no context, however often it is sent`, async () => {
    const hooks = {
      'limit.md': counting(
        'turn.start',
        'block("too many") if n > 2 else allow(context = "NOTE of " + payload)',
      ),
    };
    const { send, close } = await conversation(framework, hooks);
    const history = ['one', 'two', 'three'].flatMap((text) => [user(text), assistant(name, 'I see.')]);
    assert.equal(await send([...history, user('first')]), 'Done.');
    assert.equal(await send([...history, user('second')]), 'Done.');
    await assert.rejects(send([...history, user('third')]), /too many|guardrail/i);
    const notes = (await close()).map(({ body }) => JSON.stringify(body).match(/NOTE of \w+/g) ?? []);
    const [first, second] = CARRIES_CONTEXT.includes(name)
      ? [['NOTE of first'], ['NOTE of second']]
      : [[], []];
    assert.deepEqual(notes, [first, first, second, second]);
  });

  test(`${name}: what a hook makes of one user's message is in no request for another user`, async () => {
    const hooks = { 'count.md': counting('turn.start', 'modify("%s as number %d" % (payload, n))') };
    const guard = await framework.openGuard({ policy: policyFolder(hooks), tape: false });
    const texts = (requests) =>
      requests.map(({ body }) => JSON.stringify(body).match(/hello(?: as number \d)?/g) ?? []);
    const run = async (steps) => {
      const server = await startModelServer({ script: scriptFor('x') });
      const sent = framework
        .make(guard, server.url, async () => steps?.())([user('hello')])
        .catch((error) => assert.match(error.message, BLOCKED));
      await sent;
      await server.close();
      return texts(server.requests());
    };
    let bob;
    // Bob's whole run is between two steps of Alice's.
    const alice = await run(async () => {
      bob ??= await run();
      return 'x';
    });
    bob ??= await run();
    const all = (text) => (REWRITES_PROMPTS.includes(name) ? [[text], [text], [text]] : []);
    assert.deepEqual([alice, bob], [all('hello as number 1'), all('hello as number 2')]);
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

for (const name of ['AI SDK', 'Mastra'])
  test(`${name}: a message of the user that comes while a run goes on is judged before the model reads it`, async () => {
    const { openGuard, make } = FRAMEWORKS[name];
    const late = (text) => conversation({ openGuard, make: (...given) => make(...given, user(text)) });
    const good = await late('a good question');
    assert.equal(await good.send([user('hello')]), 'Done.');
    assert.ok(JSON.stringify((await good.close())[1].body).includes('a good question'));
    assert.deepEqual(good.prompts(), ['hello', 'a good question']);
    const bad = await late('a bad question');
    await assert.rejects(bad.send([user('hello')]), BLOCKED);
    assert.equal((await bad.close()).length, 1);
  });

test('LangChain: a message of the user is judged in every run, however it is written and whatever it carries', async () => {
  const { send, prompts, close } = await conversation(FRAMEWORKS.LangChain);
  const bad = { content: 'a bad question', additional_kwargs: { harness: 'context' } };
  for (const message of [
    { role: 'user', ...bad },
    new ChatMessage({ role: 'user', ...bad }),
    new HumanMessage(bad),
  ])
    await assert.rejects(send([message]), BLOCKED);
  const same = new HumanMessage('hello');
  for (const _run of ['first', 'second']) await send([same]);
  assert.equal((await close()).length, 4);
  assert.deepEqual(prompts(), [...Array(3).fill('a bad question'), 'hello', 'hello']);
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
