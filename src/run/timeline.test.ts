import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../agent/session-event.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { check } from '../base/shape/check.ts';
import type { Outcome, TraceEntry } from '../engine/decision.ts';
import { JsonLines } from './json-lines.ts';
import { RUN_LINE } from './run-line.ts';
import { Tally } from './tally.ts';
import { Timeline } from './timeline.ts';

function entry(hook: string, more: Partial<TraceEntry> = {}): TraceEntry {
  return {
    hook,
    source: `.harness/hooks/${hook}.md`,
    frontEnd: 'markdown',
    layer: 'project',
    priority: 10,
    mode: 'enforce',
    state: 'ran',
    matched: true,
    decision: 'allow',
    reason: null,
    failure: null,
    warnings: [],
    ms: 1,
    steps: 1,
    ...more,
  };
}

type Said = Partial<Omit<Outcome, 'event' | 'payload'>> & { payload?: Json };

function fired(event: string, payload: Json, said: Said = {}, callId?: string): SessionEvent {
  const outcome: Outcome = {
    event,
    action: 'allow',
    mayRun: true,
    reason: null,
    hook: null,
    payload,
    effects: [],
    trace: [],
    ...said,
  };
  return { type: 'hook', event, payload, outcome, ...(callId !== undefined && { callId }) };
}

const text = (piece: string): SessionEvent => ({ type: 'text', text: piece });
const assistant = (
  content: string,
  ...calls: { id: string; name: string; args: JsonObject }[]
): SessionEvent => ({
  type: 'message',
  message: { role: 'assistant', content, tool_calls: calls },
});
const ended = (callId: string, name: string, content: string, isError = false): SessionEvent => ({
  type: 'tool.end',
  callId,
  name,
  content,
  isError,
  ms: 2,
  verdict: isError ? 'failed' : 'ran',
  by: null,
  digest: '',
});
const over = (
  reason: 'end_turn' | 'completion_blocked' | 'error',
  message: string | null = null,
): SessionEvent => ({
  type: 'end',
  reason,
  message,
  usage: { input_tokens: 1200, output_tokens: 34 },
  costUsd: 0,
  turns: 2,
});

/** What a terminal of this width would show. */
function shown(events: readonly SessionEvent[], { width = 80, echo = true } = {}): string {
  const timeline = new Timeline({ width, echo, paint: (_style, words) => words });
  return events.flatMap((event) => timeline.lines(event)).join('\n');
}

describe('the timeline', () => {
  it('shows who said what, what each hook said about a call, and the result the model reads', () => {
    const call = { id: 'c1', name: 'read_file', args: { path: 'a.env' } };
    expect(
      shown([
        fired('turn.start', 'Look at a.env.'),
        fired('completion.pre', {}),
        text('I will '),
        text('look.'),
        assistant('I will look.', call),
        fired('tool.pre', call, { trace: [entry('audit'), entry('other', { state: 'unmatched' })] }, 'c1'),
        fired(
          'tool.post',
          { call_id: 'c1', name: 'read_file', content: 'KEY=secret', result: 'KEY=secret' },
          {
            action: 'modify',
            hook: 'redact',
            payload: {
              call_id: 'c1',
              name: 'read_file',
              content: 'KEY=[redacted]',
              result: 'KEY=[redacted]',
            },
            trace: [entry('audit'), entry('redact', { decision: 'modify' })],
          },
          'c1',
        ),
        ended('c1', 'read_file', 'KEY=[redacted]'),
        over('end_turn'),
      ]),
    ).toMatchInlineSnapshot(`
      "
      you    Look at a.env.

      model  I will look.
      tool   read_file(path="a.env")
             ✓ tool.pre  allowed; ran audit
             ~ tool.post rewritten by redact: content
                         also ran: audit
             = KEY=[redacted]"
    `);
  });

  it('says why a call was blocked and which hooks were skipped, and does not repeat it as a result', () => {
    const call = { id: 'c1', name: 'run', args: { command: 'rm -rf /' } };
    expect(
      shown([
        assistant('', call),
        fired(
          'tool.pre',
          call,
          {
            action: 'block',
            hook: 'guard',
            reason: 'no',
            trace: [
              entry('audit'),
              entry('guard', { decision: 'block', reason: 'no' }),
              entry('late', { state: 'unreached' }),
            ],
          },
          'c1',
        ),
        ended('c1', 'run', 'tool blocked: blocked by hook "guard": no', true),
      ]),
    ).toMatchInlineSnapshot(`
      "tool   run(command="rm -rf /")
             ✗ tool.pre  blocked by guard: no
                         also ran: audit; skipped: late"
    `);
  });

  it('shows the arguments a call runs with after a rewrite', () => {
    const call = { id: 'c1', name: 'refund', args: { amount: 5 } };
    const after = { ...call, args: { amount: 5, currency: 'EUR' }, arguments: '{}' };
    expect(
      shown([
        assistant('', call),
        fired('tool.pre', call, { action: 'modify', hook: 'fill', payload: after }, 'c1'),
      ]),
    ).toContain('~ tool.pre  rewritten by fill: args.currency is now "EUR"');
  });

  it('tells calls that run at the same time one after the other, in their order', () => {
    const [one, two] = [
      { id: 'c1', name: 'one', args: {} },
      { id: 'c2', name: 'two', args: {} },
    ];
    expect(
      shown([
        assistant('', one, two),
        fired('tool.pre', two, { trace: [entry('audit')] }, 'c2'),
        fired('tool.pre', one, { trace: [entry('audit')] }, 'c1'),
        ended('c2', 'two', 'second'),
        ended('c1', 'one', 'first'),
      ]),
    ).toMatchInlineSnapshot(`
      "tool   one()
             ✓ tool.pre  allowed; ran audit
             = first
      tool   two()
             ✓ tool.pre  allowed; ran audit
             = second"
    `);
  });

  it('shows a call that no hook ever saw with the error the model reads', () => {
    const call = { id: 'c1', name: 'raed', args: {} };
    const error = 'unknown tool "raed" (did you mean read?)';
    expect(shown([assistant('', call), ended('c1', 'raed', error, true)])).toBe(
      `tool   raed()\n       ! ${error}`,
    );
  });

  it('shows a call that was held back, approved and run', () => {
    const call = { id: 'c1', name: 'write', args: {} };
    expect(
      shown([
        assistant('', call),
        fired('tool.pre', call, { action: 'ask', hook: 'careful', reason: 'is this meant?' }, 'c1'),
        fired('permission.replied', { ...call, decision: 'allow', reason: null }, {}, 'c1'),
        ended('c1', 'write', 'written'),
      ]),
    ).toMatchInlineSnapshot(`
      "tool   write()
             ? tool.pre  held back for approval by careful: is this meant?
             ✓ approved
             = written"
    `);
  });

  it('shows failures, vetoes that do not count and notes for the model, each with its hook', () => {
    expect(
      shown([
        fired('session.start', null, {
          trace: [
            entry('broken', {
              decision: null,
              failure: { kind: 'timeout', code: 'HOOK_TIMEOUT', message: 'took over 5000 ms' },
              onFailure: 'allowed',
            }),
            entry('late', {
              decision: 'block',
              reason: 'no',
              vetoIgnored: 'session.start cannot be blocked',
            }),
          ],
          effects: [{ kind: 'context', hook: 'branch', text: 'on main' }],
        }),
      ]),
    ).toMatchInlineSnapshot(`
      "event  session.start
             ! session.start broken failed (timeout), and the operation goes on: took
                             over 5000 ms
             ! session.start late said block (no), which does not count: session.start
                             cannot be blocked
             + branch adds for the model: on main"
    `);
  });

  it('shows a stop that was sent back, a retry, and why a session did not end well', () => {
    expect(
      shown([
        fired('agent.stop', {}, { action: 'block', hook: 'verify', reason: 'run the check' }),
        {
          type: 'retry',
          attempt: 1,
          failure: { code: 'rate_limited', message: 'busy', retryable: true },
          waitMs: 1500,
        },
        over('error', 'busy (after 4 attempts)'),
      ]),
    ).toMatchInlineSnapshot(`
      "stop   the model wants to stop here
             ✗ agent.stop sent back by verify: run the check
      retry  attempt 1 failed: busy; next in 1,500 ms

      end    error: busy (after 4 attempts)"
    `);
  });

  it('shows text as it arrives, line by line, and again only where hooks changed it', () => {
    const timeline = new Timeline({ width: 30, echo: true, paint: (_style, words) => words });
    expect(timeline.lines(text('These are words'))).toEqual([]);
    expect(timeline.lines(text(' that fill a line'))).toEqual(['', 'model  These are words that']);
    expect(timeline.lines(assistant('These are words that fill a line'))).toEqual(['       fill a line']);
    timeline.lines(text('secret'));
    expect(timeline.lines(assistant('nothing'))).toEqual([
      '',
      'model  secret',
      '',
      'model  (as it counts) nothing',
    ]);
  });

  it('cuts long results and leaves no control character of theirs', () => {
    const call = { id: 'c1', name: 'cat', args: {} };
    const out = shown([assistant('', call), ended('c1', 'cat', `\u001b[31mred\n${'line\n'.repeat(50)}`)]);
    expect(out).toContain('= \\u001b[31mred');
    expect(out).toContain('… (258 characters, 51 lines in all)');
    expect(out).not.toContain('\u001b');
  });

  it('fits the width of the terminal', () => {
    const words = 'word '.repeat(60);
    for (const width of [40, 80, 120]) {
      const lines = shown([fired('turn.start', words), text(words), assistant(words)], { width }).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    }
  });

  it('does not repeat a prompt that was typed into it', () => {
    expect(shown([fired('turn.start', 'hello')], { echo: false })).toBe('');
  });
});

describe('the counters at the end', () => {
  it('count decisions by hook, tools that ran, failed and did not run, tokens and retries', () => {
    const tally = new Tally();
    const block = {
      action: 'block',
      hook: 'guard',
      reason: 'no',
      trace: [entry('guard', { decision: 'block' })],
    } as const;
    const call = { id: 'c1', name: 'a', args: {} };
    for (const event of [
      assistant('', call, { ...call, id: 'c2' }, { ...call, id: 'c3' }),
      fired('tool.pre', call, block, 'c1'),
      ended('c1', 'a', 'blocked', true),
      { type: 'tool.start', callId: 'c2', name: 'a', args: {} },
      ended('c2', 'a', 'broken', true),
      { type: 'tool.start', callId: 'c3', name: 'a', args: {} },
      ended('c3', 'a', 'fine'),
      fired('tool.pre', call, block, 'c1'),
      fired('agent.stop', {}, { ...block, hook: 'verify' }),
      over('end_turn'),
    ] as const) {
      tally.add(event);
    }
    expect(Object.fromEntries(tally.summary())).toEqual({
      model: '2 answers; 1,200 tokens sent, 34 received',
      tools: '3 calls, 2 ran, 1 did not, 1 failed',
      events: '3 went through the hooks',
      blocked: '2: guard 2×',
      'sent back': '1: verify',
    });
  });
});

const jsonLines = (...events: SessionEvent[]) => {
  const stream = new JsonLines(() => 5000);
  return events.flatMap((event) => stream.of(event));
};

describe('the JSON stream', () => {
  it('numbers its lines, and each is as its schema says', () => {
    const blocked = fired('tool.pre', { name: 'a' }, { action: 'block', reason: 'no', hook: 'g' });
    const lines = jsonLines(blocked, fired('session.start', null)).map((line) => JSON.parse(line));
    expect(lines.map(({ type, seq }) => [type, seq])).toEqual([
      ['event', 1],
      ['outcome', 2],
      ['event', 3],
    ]);
    for (const line of lines) expect(check(RUN_LINE, line)).toEqual([]);
  });

  it('has every event, and the outcome behind it unless it is a plain allow', () => {
    const plain = fired('tool.pre', { name: 'a' }, { trace: [entry('audit')] }, 'c1');
    expect(jsonLines(plain)).toEqual([
      '{"type":"event","seq":1,"time":"1970-01-01T00:00:05.000Z","event":"tool.pre","payload":{"name":"a"},"call_id":"c1"}',
    ]);
    const blocked = fired('tool.pre', { name: 'a' }, { action: 'block', reason: 'no', hook: 'g' });
    expect(jsonLines(blocked).map((line) => Object.keys(JSON.parse(line)))).toEqual([
      ['type', 'seq', 'time', 'event', 'payload'],
      ['type', 'seq', 'time', 'outcome'],
    ]);
    expect(JSON.parse(jsonLines(blocked)[1]!)).toMatchObject({
      outcome: { action: 'block', reason: 'no', hook: 'g' },
    });
  });

  it.each([
    [
      'a hook that failed',
      { trace: [entry('h', { failure: { kind: 'error', code: 'HOOK_THREW', message: 'x' } })] },
    ],
    ['a veto that does not count', { trace: [entry('h', { decision: 'block', vetoIgnored: 'advisory' })] }],
    ['a note for the model', { effects: [{ kind: 'context', hook: 'h', text: 'x' }] }],
  ] as const)('%s is not a plain allow', (_title, said) => {
    expect(jsonLines(fired('session.start', null, said as Said))).toHaveLength(2);
  });

  it('has nothing but events and outcomes', () => {
    expect(jsonLines(text('a'), assistant('a'), over('end_turn'))).toEqual([]);
  });
});
