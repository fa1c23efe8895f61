import { describe, expect, it } from 'vitest';
import type { Condition } from './condition.ts';
import type { ModelRequest } from './model-request.ts';
import type { ServerCompletion, ServerScript } from './script.ts';
import { ScriptPlayer } from './script-player.ts';

const REQUEST: ModelRequest = {
  dialect: 'anthropic',
  model: 'claude-test',
  framing: 'json',
  system: 'You are an agent.',
  tools: [{ name: 'Bash' }],
  messages: [
    { role: 'user', text: 'the first prompt' },
    { role: 'assistant', text: 'an answer' },
    { role: 'call', id: '1', name: 'Bash', args: {} },
    { role: 'result', id: '1', text: 'a result' },
    { role: 'user', text: 'a reminder' },
  ],
  maxTokens: 100,
  schema: null,
  inputTokens: 1,
  wantsUsage: true,
};

const BARE: Partial<ModelRequest> = { tools: [] };

/** What answers each request: the place of an item, the name of a side rule, or null. */
function played(script: ServerScript, ...requests: Partial<ModelRequest>[]) {
  const player = new ScriptPlayer(script);
  return requests.map((more) => {
    const choice = player.choose({ ...REQUEST, ...more });
    if (choice.kind === 'item') return choice.place;
    return choice.kind === 'side' ? choice.rule.name : null;
  });
}

const items = (...completions: ServerCompletion[]): ServerScript => ({ completions });

describe('a script that is played', () => {
  it('uses each item once, in order', () => {
    expect(played(items({ text: 'a' }, { text: 'b' }), {}, {}, {})).toEqual([0, 1, null]);
  });

  it('passes over items whose conditions do not hold, and comes back to them', () => {
    const script = items({ match: 'later', text: 'a' }, { text: 'b' }, { text: 'c' });
    const later: Partial<ModelRequest> = { messages: [{ role: 'user', text: 'now or later' }] };
    expect(played(script, {}, later, later)).toEqual([1, 0, 2]);
  });

  it('names the items that answered nothing', () => {
    const player = new ScriptPlayer(items({ match: 'x' }, { text: 'b' }, { text: 'c' }));
    player.choose(REQUEST);
    expect(player.unused()).toEqual([0, 2]);
  });

  it.each<[Condition, boolean]>([
    [{}, true],
    [{ latest: 'a result' }, true],
    [{ latest: 'a reminder' }, true],
    [{ latest: 'the first prompt' }, false],
    [{ latest: 'an answer' }, false],
    [{ latest: 'RESULT' }, false],
    [{ latest: ['nothing', 'reminder'] }, true],
    [{ tool_result: 'result' }, true],
    [{ tool_result: 'reminder' }, false],
    [{ tool_result: '' }, true],
    [{ prompt: 'first' }, true],
    [{ prompt: 'answer' }, false],
    [{ system: 'an agent' }, true],
    [{ system: 'a title' }, false],
    [{ model: 'claude' }, true],
    [{ model: 'gpt' }, false],
    [{ tool: 'Bash' }, true],
    [{ tool: ['Ba', 'Read'] }, false],
    [{ tools: 'some' }, true],
    [{ tools: 'none' }, false],
    [{ max_tokens: 100 }, true],
    [{ max_tokens: 99 }, false],
    [{ system: 'an agent', model: 'gpt' }, false],
  ])('when %j: %s', (when, holds) => {
    expect(played(items({ when, text: 'a' }), {})).toEqual([holds ? 0 : null]);
  });

  it('match and when must both hold', () => {
    const script = items({ match: 'result', when: { model: 'gpt' }, text: 'a' });
    expect(played(script, {}, { model: 'gpt' })).toEqual([null, 0]);
  });

  it('a request without a limit is not within one', () => {
    expect(played(items({ when: { max_tokens: 5 }, text: 'a' }), { maxTokens: null })).toEqual([null]);
  });
});

describe('side requests', () => {
  const CALLING = items({ tool_calls: [{ name: 'Bash' }] }, { text: 'Done.' });

  it.each<[string, Partial<ModelRequest>]>([
    ['probe', { maxTokens: 1 }],
    ['title', { ...BARE, system: 'You are a title generator. You output ONLY a thread title.' }],
    ['summary', { ...BARE, system: 'Summarize what was done in this conversation.' }],
    ['routing', { ...BARE, system: 'You are a specialized Task Routing AI.' }],
    [
      'next-speaker',
      {
        ...BARE,
        messages: [
          {
            role: 'user',
            text: 'Analyze *only* the content and structure of your immediately preceding response',
          },
        ],
      },
    ],
  ])('%s takes no item, also in a script without tool calls', (name, request) => {
    expect(played(items({ text: 'Done.' }), request, {})).toEqual([name, 0]);
  });

  it('a request without tools is one beside a script that calls tools', () => {
    expect(played(CALLING, BARE, {}, BARE, {})).toEqual(['no-tools', 0, 'no-tools', 1]);
  });

  it('a request without tools is the conversation in a script that calls none', () => {
    expect(played(items({ text: 'Hello.' }), BARE)).toEqual([0]);
  });

  it('the words of a title are no side request where tools are offered', () => {
    expect(played(CALLING, { system: 'You are a title generator' })).toEqual([0]);
  });

  it('an empty list turns them off', () => {
    expect(played({ ...CALLING, side: [] }, { ...BARE, maxTokens: 1 })).toEqual([0]);
  });

  it('a list holds exactly the rules it names, built-in or not', () => {
    const side = ['probe', { name: 'mine', when: { system: 'an agent', model: 'small' } }];
    const script = { ...CALLING, side };
    expect(played(script, { maxTokens: 1 }, { model: 'small-1' }, BARE)).toEqual(['probe', 'mine', 0]);
  });
});
