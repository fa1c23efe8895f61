import { describe, expect, it } from 'vitest';
import type { Message } from '../message.ts';
import { cutBefore, digest, estimateTokens } from './history.ts';

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content, tool_calls: [] });
const calls = (id: string): Message => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, name: 'look', args: { path: 'a' } }],
});
const result = (id: string, content = 'ok'): Message => ({
  role: 'tool',
  call_id: id,
  name: 'look',
  content,
  is_error: false,
});

describe('cutting a conversation', () => {
  const talk = [user('a'), calls('1'), result('1'), calls('2'), result('2'), user('b'), says('c'), user('d')];

  it('keeps the last round trips, each with its results and the prompt before it', () => {
    expect(cutBefore(talk, 1, Infinity)).toBe(5);
    expect(cutBefore(talk, 2, Infinity)).toBe(3);
    expect(cutBefore(talk, 3, Infinity)).toBe(0);
  });

  it('never begins what stays with a result', () => {
    for (const keep of [1, 2, 3, 4]) expect(talk[cutBefore(talk, keep, Infinity)]?.role).not.toBe('tool');
  });

  it('keeps fewer where those are too large, and always one', () => {
    const large = [user('a'), calls('1'), result('1', 'x'.repeat(4000)), says('c'), user('d'), says('e')];
    expect(cutBefore(large, 3, 100)).toBe(3);
    expect(cutBefore(large, 3, 0)).toBe(4);
  });

  it('finds nothing to cut where the model has not answered', () => {
    expect(cutBefore([user('a')], 4, Infinity)).toBe(0);
    expect(cutBefore([], 4, Infinity)).toBe(0);
  });
});

describe('the size of a conversation', () => {
  it('counts texts and the arguments of calls', () => {
    expect(estimateTokens([user('x'.repeat(400))])).toBeGreaterThanOrEqual(100);
    expect(estimateTokens([calls('1')])).toBeGreaterThan(estimateTokens([says('')]));
  });
});

describe('the digest', () => {
  it('has a line for each thing said and done', () => {
    expect(digest([user('tidy up\nplease'), calls('1'), result('1', 'two files'), says('done')])).toBe(
      [
        'user: tidy up please',
        'assistant called look({"path":"a"})',
        'look returned: two files',
        'assistant: done',
      ].join('\n'),
    );
  });

  it('stays short however long the conversation is, and keeps the first line and the newest', () => {
    const long = Array.from({ length: 5000 }, (_, at) => says(`step ${at}`));
    const text = digest([user('the task'), ...long]);
    expect(text.length).toBeLessThan(13_000);
    expect(text.startsWith('user: the task\n(')).toBe(true);
    expect(text.endsWith('assistant: step 4999')).toBe(true);
  });
});
