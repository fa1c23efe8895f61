import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretCases } from '../../test/secrets/corpus.ts';
import { fill } from '../../test/secrets/fill.ts';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { createRedactor } from './redactor.ts';
import { findSecrets, redactSecrets } from './secrets.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const FOLDER = join(ROOT, 'test/secrets');

describe('secrets in a text', () => {
  it('are found with their place and rule, and taken out', () => {
    const token = fill('ghp_{an:36}');
    const text = `push with ${token} now`;
    expect(findSecrets(text)).toEqual([{ rule: 'github-token', start: 10, end: 10 + token.length }]);
    expect(redactSecrets(text).text).toBe('push with [redacted] now');
    expect(redactSecrets(text, { mark: (rule) => `<${rule}>` }).text).toBe('push with <github-token> now');
  });

  it('leave the name they stand under', () => {
    const { text } = redactSecrets(fill('DB_PASSWORD={an:16}\nexport TOKEN="{an:32}"\n'));
    expect(text).toBe('DB_PASSWORD=[redacted]\nexport TOKEN="[redacted]"\n');
  });

  it('are named by the rule that says most', () => {
    expect(findSecrets(fill('password = "ghp_{an:36}"')).map(({ rule }) => rule)).toEqual(['github-token']);
  });

  it('are found inside JSON text, addresses and coloured output', () => {
    const token = fill('ghp_{an:36}');
    for (const around of [
      `{"a":"x\\n${token}\\n"}`,
      `?t%3D${token}`,
      `\u001b[32m${token}\u001b[0m`,
      `'${token}'`,
    ]) {
      expect(redactSecrets(around).text).not.toContain(token);
    }
  });

  it('of any length are taken out whole', () => {
    const long = fill('{b64:9000}');
    expect(redactSecrets(`client-key-data: ${long}\nname: x`).text).toBe(
      'client-key-data: [redacted]\nname: x',
    );
    expect(redactSecrets(`token = "${long}" # x`).text).toBe('token = "[redacted]" # x');
  });

  it('that were taken out stay as they are the second time', () => {
    for (const { text } of secretCases(FOLDER).filter(({ half }) => half === 'shown')) {
      const once = redactSecrets(text).text;
      expect(redactSecrets(once).text).toBe(once);
    }
  });

  it('hardly meet the sources, pages and lock file of this project', () => {
    const texts = ['src', 'docs', 'scripts'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter(
          (entry) =>
            entry.isFile() && /\.(ts|mjs|md|json)$/.test(entry.name) && !entry.name.includes('.test.'),
        )
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    const all = [...texts, readFileSync(join(ROOT, 'package-lock.json'), 'utf8')];
    const lines = all.reduce((count, text) => count + text.split('\n').length, 0);
    const found = all.reduce((count, text) => count + findSecrets(text).length, 0);
    expect(lines).toBeGreaterThan(20_000);
    expect(found).toBeLessThan(lines / 1000);
  });

  it('are looked for in any text: an answer, whole and in order', () => {
    const piece = fc.constantFrom(
      'password',
      'token',
      'key',
      '=',
      ':',
      '"',
      "'",
      '\\',
      '\n',
      ' ',
      '://',
      '@',
      'eyJ',
      '.',
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
      'sk-',
      'aB3',
      '<',
      '>',
      '{',
      '\ud800',
      '𝄞',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 30 }),
        (pieces) => {
          const text = pieces.join('');
          let last = 0;
          for (const { start, end } of findSecrets(text)) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    'token=',
    'key=',
    'password="',
    "pass='",
    '-----BEGIN PRIVATE KEY-----',
    'eyJaaaaaaaaaa.',
    'eyJaaaaaaaaaaaa-',
    '-sk-ant-api03-a',
    'x://a:',
    'authorization: bearer ',
    'cookie: a=',
    'secret=\\\\\\"',
    'mysql -u ',
    '"kty"',
    'passwordpassword_',
    'machine a login b ',
    '<password>',
    'name: token\n',
    'aB3key=',
    'Private-Lines: 9\n',
  ])('take time that grows with the text: %j', (piece) => {
    const began = cpuTime();
    findSecrets(piece.repeat(200_000 / piece.length));
    expect(cpuTime() - began).toBeLessThan(4000);
  });
});

describe('a redactor', () => {
  it('adds patterns of RE2, by their places in the text, and refuses what RE2 does not know', () => {
    const redactor = createRedactor({ rules: [{ id: 'card', pattern: '\\b\\d{4}-\\d{4}\\b' }] });
    expect(redactor.find('für 1234-5678 und 𝄞 4321-8765')).toEqual([
      { rule: 'card', start: 4, end: 13 },
      { rule: 'card', start: 21, end: 30 },
    ]);
    expect(() => createRedactor({ rules: [{ id: 'x', pattern: 'a{1001}' }] })).toThrow(
      expect.objectContaining({ code: 'PATTERN_INVALID' }),
    );
  });

  it('without the usual rules knows only what it was given', () => {
    const redactor = createRedactor({ usual: false, values: [{ name: 'v', value: 'hunter2' }] });
    expect(redactor.redact(fill('hunter2 ghp_{an:36}')).found).toHaveLength(1);
  });

  it('gives the same answer for a text it has seen, however many came between', () => {
    const redactor = createRedactor();
    const text = fill('{b64:400} token={an:40}');
    const first = redactor.find(text);
    for (let count = 0; count < 40; count++) redactor.find(fill('{b64:200000}', count));
    expect(redactor.find(text)).toEqual(first);
    expect(first).toHaveLength(1);
  });
});
