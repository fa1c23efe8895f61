/**
 * Scenes that make the real interfaces fire every event of the catalog. Each takes hooks, plays the same story every time,
 * and says what fired, and in `facts` what anybody could tell from outside.
 */

import { HarnessError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Hook } from '../../src/engine/hook.ts';
import type { RunState } from '../../src/engine/run-state.ts';
import {
  createPersona,
  runDaemon,
  runPipeline,
  Session,
  type SessionEvent,
  type SessionOptions,
  scriptedProvider,
  type Worker,
  Workers,
} from '../../src/exports/agent.ts';
import { call, echo, type Fired, firedIn, type Played, play, tool, toolMessages } from '../support/agent.ts';
import { engineOf } from '../support/plain-hook.ts';

export interface Scene {
  readonly fired: readonly Fired[];
  readonly facts: JsonObject;
  readonly run: RunState;
}

export type Scenario = (hooks: readonly Hook[]) => Promise<Scene>;

const spent = (input_tokens: number, output_tokens: number) => ({ usage: { input_tokens, output_tokens } });

function sceneOf(played: Played, more: JsonObject = {}): Scene {
  const { result, provider, fired, session } = played;
  const facts = {
    reason: result.reason,
    message: result.message,
    text: result.text,
    history: result.messages.map(({ role, content }) => `${role}: ${content}`),
    told: toolMessages(played).map(({ content, is_error }) => `${is_error ? 'error: ' : ''}${content}`),
    requests: provider.requests.map(({ model, system, messages, tools }) => ({
      model,
      system,
      messages: messages.map(({ role, content }) => `${role}: ${content}`),
      tools: tools.map(({ name }) => name),
    })),
    ...more,
  };
  return { fired, facts, run: session.runState };
}

/** A prompt, one tool call that a person approves, and an answer. */
const conversation: Scenario = async (hooks) => {
  const ran: JsonObject[] = [];
  const asked: JsonObject[] = [];
  const write = tool(
    'write',
    async (args, { emit, fileEdited }) => {
      ran.push(args);
      const { path } = (await emit('custom.wrote', { path: String(args.path) })) as JsonObject;
      fileEdited(String(args.path));
      return { wrote: path ?? null };
    },
    { parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  );
  const played = await play({
    hooks,
    tools: [write],
    config: { model: 'm-1', limits: { maxTokens: 100 } },
    permissions: { decide: () => ({ decision: 'ask', reason: 'it writes' }) },
    approvals: {
      request: async ({ toolName, toolInput }) => {
        asked.push({ toolName, toolInput });
        return { approved: true };
      },
    },
    completions: [
      { text: 'Writing.', tool_calls: [call('write', { path: 'a.md' }, 'c1')], ...spent(30, 30) },
      { text: 'Done.', ...spent(5, 5) },
      { text: 'Done at last.', ...spent(1, 1) },
    ],
  });
  return sceneOf(played, { ran, asked });
};

const failure: Scenario = async (hooks) =>
  sceneOf(await play({ hooks, completions: [{ error: { status: 400, message: 'no such model' } }] }));

const delegation: Scenario = async (hooks) =>
  sceneOf(
    await play({
      hooks,
      agents: [
        { name: 'helper', description: 'Helps.', system: 'You help.' },
        { name: 'helper-other', description: 'Helps too.', system: 'You help too.' },
      ],
      tools: [echo],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { tool_calls: [call('echo', { text: 'x' })] },
        { text: 'found it', ...spent(3, 1) },
        { text: 'found nothing else' },
        { text: 'over' },
      ],
    }),
  );

const register = tool('register', async ({ kind, spec }, { agent }) => {
  await agent!.register(kind as 'tool', spec as JsonObject);
  return 'registered';
});
const registers = (kind: string, spec: JsonObject) => ({ tool_calls: [call('register', { kind, spec })] });

/** An agent that adds a tool, a hook on that tool and a sub-agent to itself, and uses each. */
const meta: Scenario = async (hooks) =>
  sceneOf(
    await play({
      hooks,
      meta: {},
      tools: [register, echo, tool('outer', (_args, { agent }) => agent!.callTool('echo', { text: 'hi' }))],
      completions: [
        registers('tool', {
          name: 'shout',
          description: 'Says it louder.',
          parameters: { text: { type: 'string', required: true } },
          script: 'def run(args):\n    return args["text"].upper()\n',
        }),
        registers('hook', {
          name: 'quiet',
          event: 'tool.pre',
          priority: 60,
          when: 'payload["name"] == "shout"',
          script: 'def handle(event, payload):\n    return block("too loud")\n',
        }),
        registers('agent', {
          name: 'scout',
          description: 'Looks.',
          system_prompt: 'You look.',
          tools: ['echo'],
        }),
        { tool_calls: [call('shout', { text: 'ho' })] },
        { tool_calls: [call('outer')] },
        { tool_calls: [call('delegate', { agent: 'scout', prompt: 'look' })] },
        { text: 'seen' },
        { text: 'Done.' },
      ],
    }),
  );

/** A session that is a conversation, and everything on its stream. */
function talking(hooks: readonly Hook[], more: Partial<SessionOptions> = {}) {
  const events: SessionEvent[] = [];
  const session = new Session({
    provider: scriptedProvider({ completions: [{ text: 'one' }] }),
    hooks,
    onEvent: (event) => events.push(event),
    workspace: '/workspace',
    ...more,
    config: { oneShot: false, sessionId: 's1', ...more.config },
  });
  const scene = (facts: JsonObject): Scene => ({ fired: firedIn(events), facts, run: session.runState });
  return { session, scene };
}

const compaction: Scenario = async (hooks) => {
  const said = (at: number) => [
    { role: 'user' as const, content: `prompt ${at}` },
    { role: 'assistant' as const, content: `answer ${at}`, tool_calls: [] },
  ];
  const { session, scene } = talking(hooks, {
    messages: [1, 2, 3, 4].flatMap(said),
    config: { compaction: { keepTurns: 1, summarise: async () => 'four prompts' } },
  });
  const { compacted, reason } = await session.compact();
  const history = session.messages.map(({ content }) => content);
  await session.close();
  return scene({ compacted, reason, history });
};

const daemon: Scenario = async (hooks) => {
  const { session, scene } = talking(hooks);
  const prompts = ['hello', null];
  const result = await runDaemon(session, { wakeIntervalMs: 1, next: () => prompts.shift() });
  return scene({ ...result });
};

const pipeline: Scenario = async (hooks) => {
  const { session, scene } = talking(hooks);
  let finished = 0;
  const value = await errorOr(
    runPipeline(
      ({ onFinish, unsettled }) => {
        unsettled.note('queued_triggers', { id: 't1' });
        onFinish((given) => {
          finished++;
          return { was: given };
        });
        return 'first';
      },
      { hooks: session },
    ),
  );
  return scene({ value, finished });
};

const persona: Scenario = async (hooks) => {
  const events: SessionEvent[] = [];
  const engine = engineOf(hooks);
  const captain = createPersona('captain', {
    hooks: engine,
    approvals: { request: async () => ({ approved: true }) },
    budget: { limit: 10, thresholds: [50] },
    onEvent: (event) => events.push(event),
  });
  const ran: string[] = [];
  const audit = captain.step('audit', function check(branch: string) {
    ran.push(branch);
    return `${branch} is fine`;
  });
  const output = await errorOr(audit('main'));
  const { approved } = await captain.approve({ what: 'merge', details: { branch: 'main' }, reason: 'ready' });
  await captain.handoff({ to: 'deputy', artifact: { branch: 'main' }, reason: 'tired' });
  await captain.pause('lunch');
  const paused = captain.paused;
  await captain.resume('back');
  await captain.spend(6);
  const facts = { output, ran, approved, paused, resumed: !captain.paused, spent: captain.spent };
  return { fired: firedIn(events), facts, run: engine.run };
};

/** One worker does its work after a break, one is drained, one fails. */
const workers: Scenario = async (hooks) => {
  const { session, scene } = talking(hooks);
  const all = new Workers({ hooks: session });
  const index = await all.spawn('index', 's1');
  await index.progress({ done: 1 });
  await index.waitForInput('which?');
  const suspended = await index.suspend('later');
  const resumed = index.state === 'suspended' ? await index.resume('now') : null;
  if (index.state !== 'suspended') await index.complete('indexed');
  const fetching = await all.spawn('fetch');
  await fetching.suspend();
  const drained = await all.drain(() => 'cancel');
  const lint = await all.spawn('lint');
  await lint.fail('broken');
  await session.close();
  const states = [index, fetching, lint].map(({ state }: Worker) => state);
  return scene({
    suspended: { ...suspended },
    resumed: resumed && { ...resumed },
    drained: { ...drained },
    states,
  });
};

async function errorOr<T>(work: Promise<T>): Promise<T | { readonly error: string; readonly why: string }> {
  return work.catch((thrown: unknown) => {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { error: thrown.code, why: thrown.message };
  });
}

const trip = (...inside: readonly string[]) => [
  'completion.pre',
  'completion.post',
  'tool.pre',
  ...inside,
  'tool.post',
  'turn.step',
];
const LAST = ['completion.pre', 'completion.post', 'turn.step', 'agent.stop', 'turn.end', 'session.end'];
const DELEGATION = ['delegation.pre', 'delegation.post_verify', 'delegation.post'];

/** Every scene with the events it fires where no hook has a say, in order. Events inside sub-agents are theirs. */
export const SCENES = {
  conversation: {
    play: conversation,
    order: [
      'session.start',
      'turn.start',
      'completion.pre',
      'completion.post',
      'budget.threshold',
      'tool.pre',
      'permission.asked',
      'approval.requested',
      'permission.replied',
      'custom.wrote',
      'tool.post',
      'turn.step',
      'file.edited',
      ...LAST,
    ],
  },
  failure: {
    play: failure,
    order: ['session.start', 'turn.start', 'completion.pre', 'error', 'session.end'],
  },
  delegation: { play: delegation, order: ['session.start', 'turn.start', ...trip(...DELEGATION), ...LAST] },
  meta: {
    play: meta,
    order: [
      'session.start',
      'turn.start',
      ...trip('meta.register_tool'),
      ...trip('meta.register_hook'),
      ...trip('meta.register_agent'),
      // The call of `shout`, which the new hook blocks.
      ...trip().filter((event) => event !== 'tool.post'),
      ...trip('meta.call_tool', 'tool.pre', 'tool.post'),
      ...trip(...DELEGATION),
      ...LAST,
    ],
  },
  compaction: { play: compaction, order: ['session.start', 'compact.pre', 'compact.post', 'session.end'] },
  daemon: {
    play: daemon,
    order: ['session.start', 'turn.start', ...LAST.slice(0, -1), 'session.idle', 'session.end'],
  },
  pipeline: {
    play: pipeline,
    order: ['session.start', 'finish.pre', 'finish.unsettled', 'finish.post', 'session.end'],
  },
  persona: {
    play: persona,
    order: [
      'step.pre',
      'step.post',
      'approval.requested',
      'handoff.emitted',
      'persona.paused',
      'persona.resumed',
      'budget.threshold',
    ],
  },
  workers: {
    play: workers,
    order: [
      'session.start',
      'worker.spawned',
      'worker.progressed',
      'worker.waiting_for_input',
      'suspend.pre',
      'worker.suspended',
      'suspend.post',
      'resume.pre',
      'worker.resumed',
      'resume.post',
      'worker.completed',
      'worker.spawned',
      'suspend.pre',
      'worker.suspended',
      'suspend.post',
      'drain.pre',
      'drain.decision',
      'worker.cancelled',
      'drain.post',
      'worker.spawned',
      'worker.failed',
      'session.end',
    ],
  },
} as const satisfies Readonly<Record<string, { readonly play: Scenario; readonly order: readonly string[] }>>;

export type SceneName = keyof typeof SCENES;
