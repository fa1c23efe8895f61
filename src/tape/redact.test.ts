import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockedCall, writeTape } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import type { Json } from '../base/json.ts';
import type { SessionRecord, TapeRecord } from './entry.ts';
import { createRedactor, type RedactOptions } from './redact.ts';
import { readTape } from './tape-reader.ts';
import { verifyTape } from './verify.ts';

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/);

function redacted(data: unknown, options?: RedactOptions): unknown {
  const record = { type: 'session', kind: 'x', data: data as Json } as const;
  return (createRedactor(options)(record) as SessionRecord).data;
}

describe('redaction', () => {
  it.each([
    'password',
    'DB_PASSWORD',
    'Authorization',
    'apiKey',
    'x-api-key',
    'client_secret',
    'accessToken',
  ])('takes out what stands under %s', (key) => {
    expect(redacted({ [key]: 'hunter2', name: 'x' })).toEqual({
      [key]: { $redacted: 'credential', digest: HASH },
      name: 'x',
    });
  });

  it('leaves everything else as it is, the very same object', () => {
    const record: TapeRecord = blockedCall(1)[0]!;
    expect(createRedactor()(record)).toBe(record);
    const data = {
      token_count: 5,
      passwords_changed: 2,
      tokens: ['a'],
      password: null,
      cookie: '',
      args: '{"a":1}',
    };
    expect(redacted(data)).toBe(data);
  });

  it.each([
    `sk-ant-api03-${'a1'.repeat(20)}`,
    `ghp_${'a1B2'.repeat(9)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `xoxb-${'1'.repeat(20)}`,
    `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`,
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ])('knows the look of %s', (token) => {
    expect(redacted(token)).toEqual({ $redacted: 'token', digest: HASH });
    expect(redacted(`curl -H "X: ${token}" host`)).toEqual({
      $redacted: 'token',
      digest: HASH,
      text: 'curl -H "X: [token]" host',
    });
  });

  it('takes out the values of variables, and values it is told, also inside JSON text and in keys', () => {
    const options = {
      env: { names: ['DEPLOY', 'EMPTY'], get: (name: string) => ({ DEPLOY: 'pass"word' })[name] },
      rules: [{ kind: 'told', value: 'abc123' }],
    };
    expect(redacted(['is pass"word', 'xabc123y'], options)).toEqual([
      { $redacted: 'env:DEPLOY', digest: HASH, text: 'is [env:DEPLOY]' },
      { $redacted: 'told', digest: HASH, text: 'x[told]y' },
    ]);
    expect(JSON.stringify(redacted({ text: '{"q":"pass\\"word"}', abc123: 1 }, options))).not.toMatch(
      /word|abc123/,
    );
  });

  it('finds what a rule describes with RE2, and refuses a pattern RE2 does not know', () => {
    const rules = [{ kind: 'card', pattern: '\\b\\d{4}-\\d{4}\\b' }];
    expect(redacted('pay 1234-5678 now', { rules })).toMatchObject({
      $redacted: 'card',
      text: 'pay [card] now',
    });
    expect(() => createRedactor({ rules: [{ kind: 'x', pattern: '(?=a)' }] })).toThrow(
      expect.objectContaining({ code: 'PATTERN_INVALID' }),
    );
  });

  it('looks into text that is itself JSON, as the arguments of a call are', () => {
    const result = redacted({ arguments: '{"user":"a","password":"hunter2"}' });
    expect(result).toMatchObject({ arguments: { $redacted: 'embedded' } });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('takes out what a hook read under such a name', () => {
    const record: TapeRecord = {
      type: 'hook_returned',
      dispatch: 1,
      hook: 'h',
      result: 'allow',
      readings: [
        { kind: 'env', key: 'DB_PASSWORD', value: 'hunter2' },
        { kind: 'env', key: 'HOME', value: '/home/x' },
      ],
      steps: 1,
    };
    expect(createRedactor()(record)).toMatchObject({
      readings: [
        { key: 'DB_PASSWORD', value: { $redacted: 'credential' } },
        { key: 'HOME', value: '/home/x' },
      ],
    });
  });

  it('leaves what holds a record together alone', () => {
    const rules = [{ kind: 'all', key: '*' }];
    const [dispatch] = blockedCall(1);
    const { payload, ...rest } = createRedactor({ rules })(dispatch!) as Extract<
      TapeRecord,
      { type: 'dispatch' }
    >;
    expect(rest).toEqual({ ...dispatch, payload: undefined });
    expect(payload).toEqual({
      id: { $redacted: 'all', digest: HASH },
      name: { $redacted: 'all', digest: HASH },
      args: { $redacted: 'all', digest: HASH },
    });
  });

  it('gives the same digest for the same value under one key, and another under another key', () => {
    const digestKey = Buffer.alloc(32, 1);
    const [one, two, three] = redacted([{ password: 'a' }, { password: 'a' }, { password: 'b' }], {
      digestKey,
    }) as { password: unknown }[];
    expect(one).toEqual(two);
    expect(one).not.toEqual(three);
    expect(redacted({ password: 'a' }, { digestKey })).toEqual(one);
    expect(redacted({ password: 'a' })).not.toEqual(one);
  });

  it('does not let data pretend to be a placeholder', () => {
    expect(redacted({ $redacted: 'credential', digest: 'x' })).toEqual({
      $redacted: 'reserved',
      digest: HASH,
    });
  });

  it('happens before anything is written, and the tape is whole', () => {
    const path = join(tempProject(), 'tape.jsonl');
    const cycle: Record<string, unknown> = { password: 'hunter2' };
    cycle.self = cycle;
    const lazy = { toJSON: () => '{"password":"hunter2"}' };
    const odd = [cycle, lazy] as unknown as Json;
    writeTape(
      path,
      [...blockedCall(1, `login --token ghp_${'x'.repeat(30)}`), { type: 'session', kind: 'x', data: odd }],
      {
        redact: createRedactor(),
      },
    );
    expect(readFileSync(path, 'utf8')).not.toMatch(/hunter2|ghp_x/);
    expect(verifyTape(path).ok).toBe(true);
    expect([...readTape(path).entries].length).toBe(7);
  });

  it('takes time that grows with the text, whatever the text', () => {
    const began = performance.now();
    for (const piece of ['-----BEGIN PRIVATE KEY-----', 'eyJaaaaaaaaaaaa-', 'sk-', 'ghp_a', '{"a":']) {
      redacted(piece.repeat(200_000 / piece.length));
    }
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
