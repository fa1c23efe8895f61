import { describe, expect, it } from 'vitest';
import { fill } from '../../../test/secrets/fill.ts';
import { RunState } from '../../engine/run-state.ts';
import { machineHost } from '../../machine/host.ts';
import { redactedJson, secretsOf } from './redact.ts';

describe('redaction', () => {
  it('[C133] a secret is taken out of values and keys, wherever they are nested', () => {
    const text = redactedJson({ a: ['x s3cret! y', { 's3cret!': 's3cret!' }] }, ['s3cret!']);
    expect(JSON.parse(text)).toEqual({ a: ['x [redacted] y', { '[redacted]': '[redacted]' }] });
  });

  it('[C133] a secret is found in its JSON-escaped form too, as it stands inside JSON text', () => {
    const secret = 'pa"ss\\wo\nrd';
    const nested = JSON.stringify({ deep: JSON.stringify({ password: secret }) });
    const text = redactedJson({ raw: secret, nested }, [secret]);
    expect(text).not.toMatch(/ss.{1,8}wo/);
    expect(JSON.parse(JSON.parse(JSON.parse(text).nested).deep)).toEqual({ password: '[redacted]' });
  });

  it('a value shorter than four characters is no secret', () => {
    expect(redactedJson({ a: 'abcabc' }, ['abc'])).toBe('{"a":"abcabc"}');
    expect(redactedJson({ a: 'abcd' }, ['abcd'])).toBe('{"a":"[redacted]"}');
  });

  it('what is written stays JSON, whatever the secret looks like', () => {
    const text = redactedJson({ flag: true, count: 1234, text: 'is true' }, ['true', '1234', '":"', 'null']);
    expect(JSON.parse(text)).toEqual({ flag: true, count: '[redacted]', text: 'is [redacted]' });
  });

  it('a secret that is part of another does not give the longer one away', () => {
    expect(redactedJson('token-abcdef', ['token', 'token-abcdef'])).toBe('"[redacted]"');
  });

  it('text that is computed when read is redacted as well', () => {
    const payload = Object.defineProperty({}, 'late', { get: () => 'has s3cret! in it', enumerable: true });
    expect(redactedJson(payload, ['s3cret!'])).toBe('{"late":"has [redacted] in it"}');
  });

  it('[C133] what a tape hides is hidden here too: names of secrets, and tokens by their looks', () => {
    const token = fill('ghp_{an:36}');
    const text = redactedJson({ password: 'hunter2', note: `use ${token}`, args: '{"api_key":"abc"}' }, []);
    expect(JSON.parse(text)).toEqual({
      password: '[redacted]',
      note: 'use [redacted]',
      args: '{"api_key":"[redacted]"}',
    });
  });

  it('secrets come from the host, from well-known variables, from those the operator names and from those whose names say so', () => {
    const variables: Record<string, string> = {
      OPENAI_API_KEY: 'sk-known',
      HARNESS_REDACT_ENV: ' DEPLOY_LINE, ,NOT_SET',
      DEPLOY_LINE: 'hunter22',
      MY_DB_PASSWORD: 'correct-horse',
      CORP_SESSION: 'a81f-session-77',
      DATABASE_URL: 'postgres://app:fr0m-the-url@db/app',
      DB_PASS: 'postgres',
      XDG_SESSION_TYPE: 'wayland',
      PWD: '/home/ann',
    };
    const host = { ...machineHost, env: (name: string) => variables[name], variables: () => variables };
    const run = new RunState(undefined, undefined, { secrets: () => ['from-vault'] });
    expect(secretsOf({ host, run }).sort()).toEqual([
      'a81f-session-77',
      'correct-horse',
      'fr0m-the-url',
      'from-vault',
      'hunter22',
      'sk-known',
    ]);
  });
});
