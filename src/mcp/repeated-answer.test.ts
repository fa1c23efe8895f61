import { describe, expect, it } from 'vitest';
import { readMessage } from './message.ts';
import { RepeatedAnswer } from './repeated-answer.ts';

const line = (text: string) => Buffer.from(text);
const answer = (id: string, description: string) =>
  line(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [{ name: 'a', description }] } }));

function knowing(first: Buffer): RepeatedAnswer {
  const answers = new RepeatedAnswer();
  const read = readMessage(first);
  if (read.ok) answers.keep(first, read.message);
  return answers;
}

describe('an answer that a server gives again', () => {
  it('is known by its bytes under another id, and has the very same result', () => {
    const answers = knowing(answer('harness-1', 'same'));
    const second = answers.again(answer('harness-2', 'same'), 'harness-2');
    expect(second?.id).toBe('harness-2');
    expect(answers.again(answer('harness-10', 'same'), 'harness-10')?.result).toBe(second?.result);
  });

  it('is read anew if one byte of it is another, or it answers another question', () => {
    const answers = knowing(answer('harness-1', 'same'));
    expect(answers.again(answer('harness-2', 'sane'), 'harness-2')).toBe(null);
    expect(answers.again(answer('harness-2', 'same '), 'harness-2')).toBe(null);
    expect(answers.again(answer('harness-1', 'same'), 'harness-2')).toBe(null);
  });

  it('is not known where the id stands in a definition too, or only there', () => {
    const twice = knowing(answer('harness-1', 'harness-1'));
    expect(twice.again(answer('harness-2', 'harness-1'), 'harness-2')).toBe(null);
    const hidden = (id: string, said: string) =>
      line(`{"id":"\\u0068${id.slice(1)}","result":{"tools":[{"name":"a","description":"${said}"}]}}`);
    const elsewhere = knowing(hidden('harness-1', 'harness-1'));
    expect(elsewhere.again(hidden('harness-1', 'harness-2'), 'harness-2')).toBe(null);
  });
});
