import { describe, expect, it } from 'vitest';
import { writtenMessage } from './exact-numbers.ts';
import { readMessage } from './message.ts';

const BIG = '12345678901234567891';
const read = (params: string) => {
  const text = `{"jsonrpc":"2.0","id":9007199254740993,"method":"m","params":${params}}`;
  const found = readMessage(Buffer.from(text));
  if (!found.ok) throw new Error(found.problem);
  return found.message;
};

describe('numbers that JavaScript would round', () => {
  it('are read as their text and written as they came', () => {
    const message = read(`{"id":${BIG},"d":[0.10000000000000000001,1e999],"s":"x"}`);
    expect(message.params).toEqual({ id: BIG, d: ['0.10000000000000000001', '1e999'], s: 'x' });
    const changed = { ...message, params: { ...message.params, s: 'y' } };
    expect(writtenMessage(changed, true)).toContain(
      `{"id":${BIG},"d":[0.10000000000000000001,1e999],"s":"y"}`,
    );
  });

  it('leave exact numbers and ids alone, however they are spelled', () => {
    const message = read(
      '{"a":1.0,"b":1e2,"c":9007199254740992,"d":0.30000000000000004,"requestId":9007199254740993}',
    );
    expect(message.params).toEqual({ a: 1, b: 100, c: 2 ** 53, d: 0.1 + 0.2, requestId: 2 ** 53 });
    expect(typeof message.id).toBe('number');
  });

  it('cannot be rewritten themselves, and not where the same digits are a text too', () => {
    const message = read(`{"n":${BIG}}`);
    expect(writtenMessage({ ...message, params: { n: '1' } }, true)).toBe(null);
    expect(writtenMessage({ ...message, params: {} }, false)).toContain('"params":{}');
    expect(writtenMessage(read(`{"n":${BIG},"s":"${BIG}"}`), false)).toBe(null);
  });
});
