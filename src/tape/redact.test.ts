import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fill } from '../../test/secrets/fill.ts';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { blockedCall, writeTape } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import type { Json } from '../base/json.ts';
import type { HookPart, SessionRecord, TapeRecord } from './entry.ts';
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
    ['anthropic-key', fill('sk-ant-api03-{url:93}AA')],
    ['github-token', fill('ghp_{an:36}')],
    ['aws-access-key', fill('AKIA{b32:16}')],
    ['slack-token', fill('xoxb-{d:12}-{d:12}-{an:24}')],
    ['jwt', fill('{jwt}')],
    ['private-key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
  ])('knows the look of a %s', (rule, token) => {
    expect(redacted(token)).toEqual({ $redacted: rule, digest: HASH });
    expect(redacted(`curl -H "X: ${token}" host`)).toEqual({
      $redacted: rule,
      digest: HASH,
      text: `curl -H "X: [${rule}]" host`,
    });
  });

  it('lets go what stands for a secret in documentation', () => {
    const data = ['AKIAIOSFODNN7EXAMPLE', `ghp_${'x'.repeat(36)}`, 'password=<password>'];
    expect(redacted(data)).toBe(data);
  });

  it('takes out the values of variables, and values it is told, also inside JSON text and in keys', () => {
    const options = {
      values: [{ name: 'env:DEPLOY', value: 'pass"word' }],
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

  it('takes out a known value in base64, in hexadecimal, reversed, and cut off after twenty characters', () => {
    const value = 'corp-Key-{9}-tail-of-the-secret';
    const options = { values: [{ name: 'env:CORP_SESSION', value }] };
    for (const form of [
      Buffer.from(`user:${value}`).toString('base64'),
      Buffer.from(value).toString('hex'),
      [...value].reverse().join(''),
      encodeURIComponent(value),
      value.slice(0, 20),
    ]) {
      const shown = JSON.stringify(redacted(`sent ${form} away`, options));
      expect(shown).toContain('[env:CORP_SESSION]');
      expect(shown).not.toContain(form.slice(8, -4));
    }
  });

  it('hides a value under a name of secrets only if it looks like one, and pairs of name and value alike', () => {
    const token = fill('{an:32}');
    expect(redacted({ token, next: { token: 'page-2' } })).toEqual({
      token: { $redacted: 'secret', digest: HASH },
      next: { token: 'page-2' },
    });
    expect(redacted([{ name: 'API_TOKEN', value: token }])).toEqual([
      { name: 'API_TOKEN', value: { $redacted: 'secret', digest: HASH } },
    ]);
  });

  it('leaves the schema of a parameter that is called password', () => {
    const data = { properties: { password: { type: 'string', description: 'of the user' } } };
    expect(redacted(data)).toBe(data);
    expect(redacted({ password: { type: 'string', value: 'hunter2' } })).toEqual({
      password: { $redacted: 'credential', digest: HASH },
    });
  });

  it('looks into text that is itself JSON, as the arguments of a call are', () => {
    const result = redacted({ arguments: '{"user":"a","password":"hunter2"}' });
    expect(result).toMatchObject({ arguments: { $redacted: 'embedded' } });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('takes out what a hook read under such a name', () => {
    const part: HookPart = {
      hook: 'h',
      readings: [
        { kind: 'env', key: 'DB_PASSWORD', value: 'hunter2' },
        { kind: 'env', key: 'HOME', value: '/home/x' },
      ],
      steps: 1,
    };
    expect(createRedactor()(part)).toMatchObject({
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
      [...blockedCall(1, fill('login --token ghp_{an:36}')), { type: 'session', kind: 'x', data: odd }],
      {
        redact: createRedactor(),
      },
    );
    expect(readFileSync(path, 'utf8')).not.toMatch(/hunter2|ghp_/);
    expect(verifyTape(path).ok).toBe(true);
    expect([...readTape(path).entries].length).toBe(5);
  });

  it('takes time that grows with the text, whatever the text', () => {
    const began = cpuTime();
    for (const piece of ['-----BEGIN PRIVATE KEY-----', 'eyJaaaaaaaaaaaa-', 'sk-', 'ghp_a', '{"a":']) {
      redacted(piece.repeat(200_000 / piece.length));
    }
    expect(cpuTime() - began).toBeLessThan(3000);
  });
});
