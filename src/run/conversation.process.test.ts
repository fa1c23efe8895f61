import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import type { ScriptedCompletion } from '../agent/providers/scripted.ts';
import { scriptedProvider } from '../agent/providers/scripted.ts';
import { Session } from '../agent/session.ts';
import type { SessionEvent } from '../agent/session-event.ts';
import { approveAtKeyboard } from '../terminal/approve-at-keyboard.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { converse } from './conversation.ts';
import { type Interrupts, watchInterrupts } from './interrupt.ts';

interface Table {
  readonly type: (text: string) => void;
  readonly events: SessionEvent[];
  readonly keyboard: Keyboard;
  readonly session: Session;
  readonly interrupts: Interrupts;
  readonly notes: string[];
  /** All that was written to the terminal. */
  readonly written: () => string;
}

const open: Interrupts[] = [];

const QUESTION = {
  hook: null,
  event: 'tool.pre',
  toolName: 'a',
  toolInput: {},
  windowMs: 1000,
  reason: 'why',
};

afterEach(() => {
  for (const interrupts of open.splice(0)) interrupts.release();
});

function table(completions: readonly ScriptedCompletion[], keys = false): Table {
  const input = new PassThrough();
  const output = new PassThrough();
  let written = '';
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString('utf8');
  });
  const keyboard = new Keyboard({ input, output, keys });
  const events: SessionEvent[] = [];
  const notes: string[] = [];
  const session = new Session({
    provider: scriptedProvider({ completions }),
    config: { oneShot: false },
    approvals: approveAtKeyboard(keyboard),
    onEvent: (event) => events.push(event),
  });
  const interrupts = watchInterrupts(() => notes.push('stopping'));
  open.push(interrupts);
  return {
    type: (text) => input.write(text),
    events,
    keyboard,
    session,
    interrupts,
    notes,
    written: () => written,
  };
}

function talkOf(session: Session, keyboard: Keyboard, interrupts: Interrupts): Promise<void> {
  const ask = (prompt: string, signal: AbortSignal) => session.run(prompt, { signal }).result;
  return converse({ ask, keyboard, interrupts, hear: (line) => (line === '/exit' ? 'over' : 'sent') });
}

const prompts = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'hook' && event.event === 'turn.start' ? [event.payload] : []));
const reasons = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'end' ? [event.reason] : []));

describe('a conversation', () => {
  it('sends each line as a prompt, skips empty ones, and ends with the input', async () => {
    const { type, events, keyboard, session, interrupts } = table([{ text: 'one' }, { text: 'two' }]);
    type('first\n\n   \nsecond\n');
    const talk = talkOf(session, keyboard, interrupts);
    type('/exit\n');
    await talk;
    expect(prompts(events)).toEqual(['first', 'second']);
    expect(session.messages).toHaveLength(4);
  });

  it('Ctrl-C stops the answer under way, and the conversation goes on', async () => {
    const { type, events, keyboard, session, interrupts, notes } = table(
      [{ text: 'never', delay_ms: 60_000 }, { text: 'fine' }],
      true,
    );
    const talk = talkOf(session, keyboard, interrupts);
    type('slow\r');
    await until(() => events.some((event) => event.type === 'hook' && event.event === 'completion.pre'));
    type('\u0003');
    await until(() => reasons(events).length === 1);
    type('quick\r');
    await until(() => reasons(events).length === 2);
    type('\u0004');
    await talk;
    expect(reasons(events)).toEqual(['aborted', 'end_turn']);
    expect(notes).toEqual(['stopping']);
  });

  it('Ctrl-C twice at the prompt ends it', async () => {
    const { type, keyboard, session, interrupts } = table([], true);
    const talk = talkOf(session, keyboard, interrupts);
    type('\u0003');
    type('\u0003');
    await talk;
    await session.close();
  });
});

describe('a question about a call', () => {
  it.each([
    ['y', true],
    ['Yes', true],
    ['', false],
    ['n', false],
  ])('answered with %j lets it run: %j', async (answer, approved) => {
    const { type, keyboard } = table([]);
    const asked = approveAtKeyboard(keyboard).request(QUESTION, new AbortController().signal);
    await shown();
    type(`${answer}\n`);
    expect((await asked).approved).toBe(approved);
  });

  it.each(['yesterday', 'j', 'ok', 'y y'])(
    'answered with %j, which is no answer, is asked again',
    async (word) => {
      const { type, keyboard } = table([]);
      const asked = approveAtKeyboard(keyboard).request(QUESTION, new AbortController().signal);
      await shown();
      type(`${word}\n`);
      await shown();
      type('y\n');
      expect((await asked).approved).toBe(true);
    },
  );

  it('takes no yes before all of the call was shown', async () => {
    const { type, keyboard, written } = table([]);
    const tail = 'touch tail';
    const toolInput = { command: `echo ${'x'.repeat(700)}${tail}${'x'.repeat(700)}` };
    const asked = approveAtKeyboard(keyboard).request(
      { ...QUESTION, toolInput },
      new AbortController().signal,
    );
    await shown();
    expect(written()).not.toContain(tail);
    for (const word of ['y', 'a', 't']) {
      type(`${word}\n`);
      await shown();
    }
    expect(written()).toContain('Not all of the call has been shown');
    type('s\n');
    await shown();
    expect(written()).toContain(tail);
    type('y\n');
    expect(await asked).toEqual({ approved: true });
  });

  it('shows nothing raw, and says what is hidden', async () => {
    const { type, keyboard, written } = table([]);
    const evil = '\u001b[2J\u202e\u200b\u{e0041}';
    const question = {
      ...QUESTION,
      toolName: `t${evil}`,
      toolInput: { a: evil },
      hook: evil,
      reason: `${evil}\nLet it run? y`,
    };
    const asked = approveAtKeyboard(keyboard).request(question, new AbortController().signal);
    await shown();
    for (const char of ['\u001b', '\u202e', '\u200b', '\u{e0041}']) expect(written()).not.toContain(char);
    expect(written()).toContain('! it holds characters that cannot be seen: U+001B, U+202E, U+200B, U+E0041');
    expect(written()).toContain('\n  | Let it run? y');
    type('n\n');
    await asked;
  });

  it('is not answered by a line that was on its way when it was asked', async () => {
    const { type, keyboard } = table([]);
    const asked = approveAtKeyboard(keyboard).request(QUESTION, new AbortController().signal);
    type('y\ny\n');
    await shown();
    type('n\n');
    expect((await asked).approved).toBe(false);
  });

  it('is not answered by what was typed before it could be read', async () => {
    const { type, keyboard } = table([]);
    type('y\n');
    await shown();
    const asked = approveAtKeyboard(keyboard).request(QUESTION, new AbortController().signal);
    await shown();
    type('n\n');
    expect((await asked).approved).toBe(false);
    expect(await keyboard.ask()).toBe('y');
  });

  it('that nobody can answer any more is a no', async () => {
    const { keyboard } = table([]);
    const aborted = new AbortController();
    const asked = approveAtKeyboard(keyboard).request(QUESTION, aborted.signal);
    aborted.abort();
    expect(await asked).toMatchObject({ approved: false });
    keyboard.close();
    expect(await approveAtKeyboard(keyboard).request(QUESTION, new AbortController().signal)).toMatchObject({
      approved: false,
    });
  });

  it('comes after the one before it is answered', async () => {
    const { type, keyboard } = table([]);
    const { signal } = new AbortController();
    const channel = approveAtKeyboard(keyboard);
    const [first, second] = [channel.request(QUESTION, signal), channel.request(QUESTION, signal)];
    await shown();
    type('n\n');
    await first;
    await shown();
    type('t\n');
    expect(
      (await Promise.all([first, second])).map(({ approved, remember }) => [approved, remember]),
    ).toEqual([
      [false, undefined],
      [true, 'tool'],
    ]);
  });
});

/** Lets a question reach the terminal, or a line the keyboard. */
const shown = () => new Promise((resolve) => setTimeout(resolve, 200));
