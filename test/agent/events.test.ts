/**
 * The events of a session: when each fires, what it carries, and what becomes of its veto and its rewrite.
 */
import { describe, expect, it } from 'vitest';
import { checkPayload } from '../../src/engine/describe.ts';
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

const { block, modify } = decisions;
const DONE = [{ text: 'Done.', usage: { input_tokens: 7, output_tokens: 3 } }];
const ONE_CALL = [
  {
    text: 'Looking.',
    tool_calls: [call('echo', { text: 'hi' })],
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  ...DONE,
];

describe('the order of a session', () => {
  it('[C069] [C071] [C073] [C074] fires each event at its point of a session', async () => {
    const played = await play({ completions: ONE_CALL, tools: [echo] });
    expect(names(played)).toEqual([
      'session.start',
      'turn.start',
      'completion.pre',
      'completion.post',
      'tool.pre',
      'tool.post',
      'turn.step',
      'completion.pre',
      'completion.post',
      'turn.step',
      'agent.stop',
      'turn.end',
      'session.end',
    ]);
    expect(played.result).toMatchObject({
      reason: 'end_turn',
      message: null,
      text: 'Done.',
      usage: { input_tokens: 12, output_tokens: 5 },
      turns: 2,
    });
    expect(played.events.at(-1)).toMatchObject({ type: 'end', reason: 'end_turn', turns: 2 });
  });

  it('every payload has the shape the catalog promises', async () => {
    const writing = tool('write', (_args, context) => {
      context.fileEdited('notes.md');
      throw new Error('disk full');
    });
    const played = await play({
      completions: [
        { error: { status: 429, message: 'slow down' } },
        { tool_calls: [call('write'), call('echo')] },
        { error: { status: 400, message: 'no' } },
      ],
      tools: [echo, writing],
      permissions: {
        decide: () => ({ decision: 'ask', reason: 'sure?' }),
      },
      approvals: { request: async () => ({ approved: true }) },
    });
    const problems = played.fired.flatMap(({ event, payload }) => checkPayload(event, payload));
    expect(problems).toEqual([]);
    expect(new Set(names(played))).toEqual(
      new Set([
        'session.start',
        'turn.start',
        'completion.pre',
        'completion.post',
        'tool.pre',
        'permission.asked',
        'approval.requested',
        'permission.replied',
        'tool.post',
        'turn.step',
        'file.edited',
        'error',
        'session.end',
      ]),
    );
  });
});

describe('session.start and session.end', () => {
  it('[C069] carry the session, its model and how it ended', async () => {
    const played = await play({ completions: DONE, config: { model: 'm-1' } });
    expect(payloadsOf(played, 'session.start')).toEqual([
      { session_id: 's1', turn: 0, model: 'm-1', source: 'startup' },
    ]);
    expect(payloadsOf(played, 'session.end')).toEqual([{ session_id: 's1', reason: 'end_turn', turn: 0 }]);
  });

  it.each(['session.start', 'session.end'])(
    'a veto of %s is ignored, and the trace says so',
    async (event) => {
      const played = await play({ completions: DONE, hooks: [on(event, () => block('no'))] });
      expect(played.result.reason).toBe('end_turn');
      expect(outcomeOf(played, event)).toMatchObject({
        action: 'allow',
        trace: [{ decision: 'block', vetoIgnored: `nothing can block ${event}` }],
      });
    },
  );

  it('a rewrite of session.start is ignored, and the trace says so', async () => {
    const played = await play({
      completions: DONE,
      hooks: [on('session.start', () => modify({ model: 'x' }))],
    });
    expect(outcomeOf(played, 'session.start').trace[0]?.vetoIgnored).toContain('cannot be rewritten');
    expect(played.provider.requests[0]?.model).toBe('scripted');
  });

  it('context of session.start is on the first request, and not in the history', async () => {
    const hooks = [
      on('session.start', (_seen, at) => at.effect({ kind: 'context', hook: 'h', text: 'branch: main' })),
    ];
    const played = await play({ completions: ONE_CALL, tools: [echo], hooks });
    const told = played.provider.requests.map(({ messages }) =>
      JSON.stringify(messages).includes('branch: main'),
    );
    expect(told).toEqual([true, false]);
    expect(JSON.stringify(played.result.messages)).not.toContain('branch: main');
    expect(played.events).toContainEqual({
      type: 'reminder',
      text: expect.stringContaining('branch: main'),
    });
  });
});

describe('turn.start', () => {
  it('[C070] carries the prompt as a text; a block ends the turn, the model is never called, nothing is kept', async () => {
    const played = await play({
      completions: DONE,
      prompt: 'tell me the secret',
      hooks: [on('turn.start', () => block('secret in prompt'), { name: 'no secrets' })],
    });
    expect(payloadsOf(played, 'turn.start')).toEqual(['tell me the secret']);
    expect(played.result).toMatchObject({
      reason: 'user_prompt_submit_blocked',
      message: 'turn blocked by hook "no secrets": secret in prompt',
      text: '',
      messages: [],
      turns: 0,
    });
    expect(played.provider.requests).toEqual([]);
    expect(names(played)).toEqual(['session.start', 'turn.start', 'session.end']);
    expect(payloadsOf(played, 'session.end')[0]?.reason).toBe('user_prompt_submit_blocked');
  });

  it('[C071] a rewrite is what the model and the history get', async () => {
    const played = await play({
      completions: DONE,
      hooks: [on('turn.start', (seen) => modify(`${seen} [id 7]`))],
    });
    expect(played.provider.requests[0]?.messages).toEqual([{ role: 'user', content: 'go [id 7]' }]);
    expect(played.result.messages[0]).toEqual({ role: 'user', content: 'go [id 7]' });
  });

  it('a rewrite that is no text is refused under the policy of the hook', async () => {
    const played = await play({ completions: DONE, hooks: [on('turn.start', () => modify({ a: 1 }))] });
    expect(played.result.reason).toBe('user_prompt_submit_blocked');
  });
});

describe('turn.end', () => {
  it('[C061] [C072] carries text, calls, usage and what hooks and tools logged', async () => {
    const noisy = tool('echo', (_args, { log }) => {
      log('info', 'from the tool');
      return 'x';
    });
    const played = await play({
      completions: ONE_CALL,
      tools: [noisy],
      hooks: [on('tool.pre', (_seen, at) => at.log('warn', 'from the hook'))],
    });
    expect(payloadsOf(played, 'turn.end')).toEqual([
      {
        text: 'Done.',
        tool_calls: [{ name: 'echo', args: { text: 'hi' } }],
        usage: { input_tokens: 12, output_tokens: 5 },
        logs: [
          { hook: 'on tool.pre', event: 'tool.pre', level: 'warn', message: 'from the hook' },
          { hook: 'echo', event: 'tool', level: 'info', message: 'from the tool' },
        ],
        session_id: 's1',
        turn: 1,
      },
    ]);
    expect(played.session.runState.logs).toEqual([]);
  });

  it('a rewrite of the text is what the caller and the history get', async () => {
    const played = await play({
      completions: [{ text: 'the key is k-123' }],
      hooks: [on('turn.end', () => modify({ text: 'the key is [gone]' }))],
    });
    expect(played.result.text).toBe('the key is [gone]');
    expect(JSON.stringify(played.result.messages)).not.toContain('k-123');
  });

  it('a rewrite of what stays as it is, is reported as ignored', async () => {
    const played = await play({
      completions: DONE,
      config: { oneShot: false },
      hooks: [on('turn.end', () => modify({ usage: { input_tokens: 0, output_tokens: 0 } }))],
    });
    expect(played.result.usage.input_tokens).toBe(7);
    expect(played.session.runState.health.get('hook.veto_ignored')).toBe(1);
    expect(played.session.runState.logs).toContainEqual(
      expect.objectContaining({ event: 'turn.end', message: expect.stringContaining('usage') }),
    );
  });

  it('a veto is ignored, and the trace says so', async () => {
    const played = await play({ completions: DONE, hooks: [on('turn.end', () => block('no'))] });
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(outcomeOf(played, 'turn.end').trace[0]?.vetoIgnored).toBe('nothing can block turn.end');
  });
});

describe('completion.pre', () => {
  it('[C074] carries the request; a block fails the turn and nothing is sent', async () => {
    const played = await play({
      completions: DONE,
      tools: [echo],
      config: { system: 'Be brief.' },
      hooks: [on('completion.pre', () => block('window is full'))],
    });
    expect(payloadsOf(played, 'completion.pre')).toEqual([
      {
        model: 'scripted',
        provider: 'scripted',
        system: 'Be brief.',
        messages: [{ role: 'user', content: 'go' }],
        tools: [{ name: 'echo', description: 'the tool echo', parameters: echo.parameters }],
        attempt: 1,
        session_id: 's1',
        turn: 0,
      },
    ]);
    expect(played.result).toMatchObject({
      reason: 'completion_blocked',
      message: 'completion blocked by hook "on completion.pre": window is full',
    });
    expect(played.provider.requests).toEqual([]);
    expect(names(played)).not.toContain('error');
    expect(names(played).at(-1)).toBe('session.end');
  });

  it('can strip tools, and what it stripped cannot be called', async () => {
    let ran = 0;
    const exec = tool('exec', () => ran++);
    const played = await play({
      completions: [{ tool_calls: [call('exec')] }, ...DONE],
      tools: [echo, exec],
      hooks: [
        on('completion.pre', (seen) =>
          modify({
            tools: (seen.tools as unknown as { name: string }[]).filter(
              ({ name }) => name !== 'exec',
            ) as never,
          }),
        ),
      ],
    });
    expect(played.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo']);
    expect(ran).toBe(0);
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('unknown tool "exec"'),
    });
  });

  it('can change model, system prompt and messages of this request, and of no other', async () => {
    const played = await play({
      completions: DONE,
      hooks: [
        on('completion.pre', () =>
          modify({ model: 'small', system: 'Short.', messages: [{ role: 'user', content: 'instead' }] }),
        ),
      ],
    });
    expect(played.provider.requests[0]).toMatchObject({
      model: 'small',
      system: 'Short.',
      messages: [{ role: 'user', content: 'instead' }],
    });
    expect(played.result.messages[0]).toEqual({ role: 'user', content: 'go' });
  });

  it.each([
    [{ messages: [{ role: 'bot', content: 'x' }] }, 'messages[0].role is "bot"'],
    [{ messages: [{ role: 'assistant', content: 7 }] }, 'messages[0].content is number (want string)'],
    [{ messages: 'all' }, 'messages is string'],
    [{ tools: [{ name: 'x' }] }, 'tools[0].parameters is missing (want object)'],
  ])('a rewrite to %j fails the turn and says where', async (payload, message) => {
    const played = await play({
      completions: DONE,
      hooks: [on('completion.pre', () => modify(payload as never))],
    });
    expect(played.result).toMatchObject({ reason: 'error', message: expect.stringContaining(message) });
    expect(played.provider.requests).toEqual([]);
  });

  it('[C075] fires again for each attempt, and its context lands on this very request', async () => {
    const played = await play({
      completions: [
        { error: { status: 429, message: 'slow down', retry_after_ms: 2 } },
        { error: { status: 529, message: 'overloaded' } },
        ...DONE,
      ],
      hooks: [
        on('completion.pre', (seen, at) =>
          at.effect({ kind: 'context', hook: 'h', text: `attempt ${seen.attempt}` }),
        ),
      ],
    });
    expect(payloadsOf(played, 'completion.pre').map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    const asked = played.provider.requests.map(({ messages }) => messages[0]?.content ?? '');
    expect(asked.map((content) => content.match(/attempt \d/g))).toEqual([
      ['attempt 1'],
      // What a failed attempt carried was not seen, so it goes with the next.
      ['attempt 1', 'attempt 2'],
      ['attempt 1', 'attempt 2', 'attempt 3'],
    ]);
    expect(played.events.filter(({ type }) => type === 'retry')).toEqual([
      { type: 'retry', attempt: 1, failure: expect.objectContaining({ code: 'rate_limited' }), waitMs: 2 },
      { type: 'retry', attempt: 2, failure: expect.objectContaining({ code: 'overloaded' }), waitMs: 2 },
    ]);
    expect(played.result).toMatchObject({ reason: 'end_turn', turns: 1 });
  });
});

describe('completion.post', () => {
  it('[C076] carries choices, usage, finish reason and cost', async () => {
    const played = await play({
      completions: [{ ...ONE_CALL[0]!, cost_usd: 0.25 }, ...DONE],
      tools: [echo],
      config: { model: 'm-1' },
    });
    expect(payloadsOf(played, 'completion.post')[0]).toEqual({
      model: 'm-1',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Looking.',
            tool_calls: [{ id: 'call_1', name: 'echo', args: { text: 'hi' } }],
          },
          finish_reason: 'tool_use',
        },
      ],
      usage: { input_tokens: 5, output_tokens: 2 },
      finish_reason: 'tool_use',
      cost_usd: 0.25,
      attempt: 1,
      session_id: 's1',
      turn: 0,
    });
    expect(played.result.costUsd).toBe(0.25);
  });

  it('a block throws the answer away, but what was spent stays spent', async () => {
    const played = await play({ completions: DONE, hooks: [on('completion.post', () => block('too long'))] });
    expect(played.result).toMatchObject({
      reason: 'completion_blocked',
      message: 'completion blocked by hook "on completion.post": too long',
      usage: { input_tokens: 7, output_tokens: 3 },
      messages: [{ role: 'user', content: 'go' }],
    });
    expect(played.events.filter(({ type }) => type === 'text')).toEqual([]);
  });

  it('can rewrite text and tool calls before anybody sees or runs them', async () => {
    const ran: unknown[] = [];
    const played = await play({
      completions: ONE_CALL,
      tools: [tool('echo', (args) => ran.push(args))],
      hooks: [
        on(
          'completion.post',
          () =>
            modify({
              choices: [
                {
                  message: {
                    role: 'assistant',
                    content: 'Safe.',
                    tool_calls: [{ id: 'call_1', name: 'echo', args: { text: 'safe' } }],
                  },
                },
              ],
            }),
          { when: (seen) => seen.finish_reason === 'tool_use' },
        ),
      ],
    });
    expect(ran).toEqual([{ text: 'safe' }]);
    expect(played.events.find(({ type }) => type === 'text')).toEqual({ type: 'text', text: 'Safe.' });
    expect(JSON.stringify(played.result.messages)).not.toContain('Looking.');
  });

  it('taking all tool calls away ends the turn', async () => {
    const played = await play({
      completions: ONE_CALL,
      tools: [echo],
      hooks: [
        on('completion.post', () =>
          modify({ choices: [{ message: { role: 'assistant', content: 'Fine.', tool_calls: [] } }] }),
        ),
      ],
    });
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'Fine.', turns: 1 });
  });

  it('a rewrite that is no answer fails the turn; one of the usage is reported as ignored', async () => {
    const broken = await play({
      completions: DONE,
      hooks: [on('completion.post', () => modify({ choices: [] }))],
    });
    expect(broken.result).toMatchObject({
      reason: 'error',
      message: expect.stringContaining('choices[0] is undefined (want object)'),
    });
    const cheap = await play({
      completions: DONE,
      hooks: [on('completion.post', () => modify({ usage: { input_tokens: 0, output_tokens: 0 } }))],
    });
    expect(cheap.result.usage.input_tokens).toBe(7);
    expect(payloadsOf(cheap, 'turn.end')[0]?.logs).toEqual([
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('usage') }),
    ]);
  });

  it('does not fire for an attempt that failed', async () => {
    const played = await play({ completions: [{ error: { status: 401, message: 'who?' } }] });
    expect(names(played)).not.toContain('completion.post');
  });

  it('text is shown as it comes only where no hook of completion.post could still take it back', async () => {
    const order = async (hooks: ReturnType<typeof on>[]) => {
      const { events } = await play({ completions: DONE, hooks });
      const text = events.findIndex(({ type }) => type === 'text');
      return text < events.findIndex((event) => event.type === 'hook' && event.event === 'completion.post');
    };
    expect(await order([])).toBe(true);
    expect(await order([on('completion.post', null)])).toBe(false);
  });
});

describe('agent.stop', () => {
  it('[C079] carries how the agent would stop; a block is the next user message', async () => {
    const played = await play({
      completions: [...ONE_CALL, { text: 'Tests pass.' }],
      tools: [echo],
      hooks: [on('agent.stop', () => block('run the tests first'), { when: (seen) => seen.iteration === 2 })],
    });
    expect(payloadsOf(played, 'agent.stop')).toMatchObject([
      {
        id: 's1',
        parent_id: null,
        finish_reason: 'end_turn',
        iteration: 2,
        response: 'Done.',
        tool_calls: [{ name: 'echo', args: { text: 'hi' } }],
        tool_results: [{ call_id: 'call_1', name: 'echo', content: '{"said":"hi"}', is_error: false }],
        usage: { input_tokens: 12, output_tokens: 5 },
      },
      { iteration: 3, response: 'Tests pass.' },
    ]);
    expect(played.provider.requests[2]?.messages.at(-1)).toEqual({
      role: 'user',
      content: 'run the tests first',
    });
    expect(played.result).toMatchObject({ reason: 'end_turn', text: 'Tests pass.', turns: 3 });
    expect(names(played).filter((name) => name === 'turn.end')).toHaveLength(1);
  });

  it('sends the model back a bounded number of times, and then says that the stop stood', async () => {
    const played = await play({
      completions: Array.from({ length: 9 }, () => ({ text: 'Done?' })),
      config: { stop: { maxContinuations: 2 } },
      hooks: [on('agent.stop', () => block('not yet'))],
    });
    expect(played.provider.requests).toHaveLength(3);
    expect(played.result).toMatchObject({
      reason: 'end_turn',
      message: 'the stop stands although a hook objected once more: not yet',
    });
    expect(JSON.stringify(payloadsOf(played, 'turn.end')[0]?.logs)).toContain('not yet');
  });

  it('a rewrite is ignored, and the trace says so', async () => {
    const played = await play({
      completions: DONE,
      hooks: [on('agent.stop', () => modify({ response: 'x' }))],
    });
    expect(played.result.text).toBe('Done.');
    expect(outcomeOf(played, 'agent.stop').trace[0]?.vetoIgnored).toContain('cannot be rewritten');
  });

  it.each(['max_tokens', 'refusal', 'pause_turn', 'stop_sequence'] as const)(
    'the run ends with the reason of the model: %s',
    async (stop_reason) => {
      const played = await play({ completions: [{ text: 'cut', stop_reason }] });
      expect(played.result.reason).toBe(stop_reason);
      expect(payloadsOf(played, 'agent.stop')[0]?.finish_reason).toBe(stop_reason);
      expect(payloadsOf(played, 'session.end')[0]?.reason).toBe(stop_reason);
    },
  );
});

describe('error', () => {
  it('[C085] fires before session.end with the code of the provider; its veto is ignored and recorded', async () => {
    const played = await play({
      completions: [{ error: { status: 401, message: 'bad key' } }],
      hooks: [on('error', () => block('no'))],
    });
    expect(names(played).slice(-2)).toEqual(['error', 'session.end']);
    expect(payloadsOf(played, 'error')).toEqual([
      { code: 'auth', message: 'bad key', session_id: 's1', turn: 0 },
    ]);
    expect(outcomeOf(played, 'error').trace[0]?.vetoIgnored).toBe('nothing can block error');
    expect(played.result).toMatchObject({ reason: 'error', message: 'bad key' });
  });

  it('does not fire for an end that is no error', async () => {
    for (const completions of [DONE, [{ text: '', stop_reason: 'refusal' as const }]]) {
      expect(names(await play({ completions }))).not.toContain('error');
    }
  });
});

describe('file.edited', () => {
  it('fires at the boundary after the tools, once a file, in order', async () => {
    const write = tool('write', ({ path }, { fileEdited }) => fileEdited(String(path)));
    const played = await play({
      completions: [{ tool_calls: [call('write', { path: 'a' }), call('write', { path: 'b' })] }, ...DONE],
      tools: [write],
    });
    expect(payloadsOf(played, 'file.edited').map(({ path }) => path)).toEqual(['a', 'b']);
    const order = names(played);
    expect(order.lastIndexOf('tool.post')).toBeLessThan(order.indexOf('file.edited'));
    expect(order.lastIndexOf('file.edited')).toBeLessThan(order.lastIndexOf('completion.pre'));
  });
});
