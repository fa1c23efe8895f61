import { describe, expect, it } from 'vitest';
import { fill } from '../../test/secrets/fill.ts';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { createValueRedactor } from './redact-value.ts';
import { createRedactor } from './redactor.ts';

const MARK = '[redacted]';

function redacted(value: unknown, values: readonly string[] = []): unknown {
  return createValueRedactor({
    redactor: createRedactor({ values: values.map((one) => ({ name: 'v', value: one })) }),
    replacement: {
      value: () => MARK,
      text: (_rule, _text, shown) => shown,
      mark: () => MARK,
      tooDeep: () => MARK,
    },
  }).value(value);
}

describe('structured data', () => {
  it('loses what stands under a name of secrets, whatever it is', () => {
    expect(
      redacted({ password: 'x', user: 'y', Cookie: ['a=b'], apiKey: 5, authorization: { a: 1 } }),
    ).toEqual({
      password: MARK,
      user: 'y',
      Cookie: MARK,
      apiKey: MARK,
      authorization: MARK,
    });
  });

  it('loses a value under a doubtful name only if it looks like a secret', () => {
    const token = fill('{an:32}');
    expect(redacted({ token, nested: [{ token: 'SEMICOLON' }] })).toEqual({
      token: MARK,
      nested: [{ token: 'SEMICOLON' }],
    });
  });

  it('keeps ids: of sessions, of signatures, of keys', () => {
    const data = fill(
      '{"session_id":"ses_{an:26}","signature":"{b64:200}","key":"{an:40}","call_id":"call_{an:24}"}',
    );
    const parsed = JSON.parse(data);
    expect(redacted(parsed)).toBe(parsed);
  });

  it('loses the values of named pairs', () => {
    const value = fill('{an:24}');
    expect(
      redacted([
        { name: 'DB_PASSWORD', value },
        { key: 'X-Api-Key', value },
        { name: 'LANG', value: 'C' },
      ]),
    ).toEqual([
      { name: 'DB_PASSWORD', value: MARK },
      { key: 'X-Api-Key', value: MARK },
      { name: 'LANG', value: 'C' },
    ]);
  });

  it('is looked into where a text is itself JSON, and where a key holds a secret', () => {
    const token = fill('ghp_{an:36}');
    expect(redacted({ body: '{"password":"hunter2"}', [token]: 1 })).toEqual({
      body: `{"password":"${MARK}"}`,
      [MARK]: 1,
    });
  });

  it('is the very same where there is nothing to hide', () => {
    const data = { a: [1, 'x', null, { b: true }], password: null, cookie: '', c: '{"a":1}' };
    expect(redacted(data)).toBe(data);
  });

  it('loses numbers that are known values', () => {
    expect(redacted({ pin: 123456, count: 12 }, ['123456'])).toEqual({ pin: MARK, count: 12 });
  });

  it('that is too deep, or a circle, or has too many values, is taken out from there on', () => {
    const circle: Record<string, unknown> = { password: 'hunter2' };
    circle.self = circle;
    const text = JSON.stringify(redacted(circle));
    expect(text).not.toContain('hunter2');
    expect(text.endsWith(`"${MARK}"${'}'.repeat(951)}`)).toBe(true);
    let wide: unknown = 'x';
    for (let level = 0; level < 40; level++) wide = [wide, wide];
    const began = cpuTime();
    redacted(wide);
    expect(cpuTime() - began).toBeLessThan(15_000);
  });
});
