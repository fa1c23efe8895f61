import { describe, expect, it } from 'vitest';
import { KeyedHash } from './keyed-hash.ts';
import { LEDGER_LIMITS, Ledger, type Source } from './ledger.ts';
import { SessionOrigins } from './session-origins.ts';

const KEY = '0123456789abcdef';
const source = (integrity: Source['integrity'], more: Partial<Source> = {}): Source => ({
  integrity,
  confidential: [],
  entry: 3,
  at: Date.UTC(2026, 0, 5, 10, 14),
  words: 'a web page',
  ...more,
});

function origins(...learnt: readonly (readonly [Source['integrity'], string])[]): SessionOrigins {
  const ledger = new Ledger(KEY);
  for (const [integrity, text] of learnt) ledger.learn(source(integrity), [text]);
  return new SessionOrigins(ledger);
}

describe('the origin of a value', () => {
  it.each([
    ['an address', 'Write to Drop@Evil.example!', 'drop@evil.example'],
    ['an address in wide letters', 'ｄｒｏｐ＠evil.example', 'drop@evil.example'],
    ['an address with a character without width', 'drop\u200b@evil.example', 'drop@evil.example'],
    ['a link', 'see <https://evil.example/a/b?x=1>.', 'https://evil.example/a/b'],
    ['the host of a link', 'see https://evil.example/a/b', 'evil.example'],
    ['a link without its scheme', 'see https://evil.example/a/', 'evil.example/a'],
    ['an account in groups', 'IBAN: DE02 1203 0000 0000 2020 51', 'DE02120300000000202051'],
    ['an account without groups', 'IBAN: DE02120300000000202051', 'DE02 1203 0000 0000 2020 51'],
    ['an identifier', '{"id": "f-4711"}', 'f-4711'],
    ['a name of several words', 'The Riverside View Hotel is nice', 'riverside  view hotel'],
    ['a word', 'ask mallory', 'Mallory'],
    ['a path', 'open ./docs/plan.md', './docs/plan.md'],
    ['an address behind percent signs', 'drop%40evil.example', 'drop@evil.example'],
    [
      'an address in base64',
      `x ${Buffer.from('mail drop@evil.example').toString('base64')}`,
      'drop@evil.example',
    ],
    ['a Chinese name', '请联系 王小明 先生', '王小明'],
  ])('is the source that names it: %s', (_, text, value) => {
    expect(origins(['untrusted', text]).of(value)).toMatchObject({ origin: 'untrusted', entries: [3] });
    expect(origins(['untrusted', 'nothing'], ['user', text]).of(value)).toMatchObject({ origin: 'user' });
  });

  it('is the best source of several, since what a user or a trusted source names is theirs to name', () => {
    const said = origins(['untrusted', 'ann@corp.example bob@corp.example'], ['trusted', 'bob@corp.example']);
    expect(said.of('ann@corp.example').origin).toBe('untrusted');
    expect(said.of('bob@corp.example').origin).toBe('trusted');
  });

  it('is the worst of the parts of a list or a dict', () => {
    const said = origins(['user', 'ann@corp.example'], ['untrusted', 'drop@evil.example']);
    expect(said.of({ to: ['ann@corp.example', 'drop@evil.example'] }).origin).toBe('untrusted');
    expect(said.of(['ann@corp.example']).origin).toBe('user');
  });

  it('of what no source has is unknown, and untrusted once something untrusted was read', () => {
    expect(origins(['trusted', 'hello']).of('drop@evil.example').origin).toBe('unknown');
    expect(origins(['untrusted', 'hello']).of('drop@evil.example')).toEqual({
      origin: 'untrusted',
      labels: [],
      entries: [],
      source: null,
    });
  });

  it('is told in words with time and entry', () => {
    expect(origins(['untrusted', 'f-4711']).of('f-4711').source).toBe(
      'a web page read at 10:14 UTC (entry 3)',
    );
  });

  it('carries the labels of a confidential source, for what names something and for passages', () => {
    const ledger = new Ledger(KEY);
    const passage = 'the plan for next year is to close two of the five offices in the north of the country';
    ledger.learn(source('trusted', { confidential: ['hr'] }), [`K-774411 ${passage}`]);
    const said = new SessionOrigins(ledger);
    expect(said.of('number K-774411').labels).toEqual(['hr']);
    expect(said.of(`As I heard, ${passage}.`).labels).toEqual(['hr']);
    expect(said.of('the plan is good').labels).toEqual([]);
    expect(said.labels()).toEqual(['hr']);
  });

  it('names links and addresses that only an untrusted source has, also one that is split over two arguments', () => {
    const said = origins(['untrusted', 'https://evil.example/login and notes.md'], ['user', 'corp.example']);
    expect(said.foreignNames('See https://evil.example/login in notes.md').names).toEqual([
      'https://evil.example/login',
    ]);
    expect(said.foreignNames(['https://evil.exa', 'mple/login']).names).toContain(
      'https://evil.example/login',
    );
    expect(said.foreignNames('See corp.example and https://other.example/x').names).toEqual([]);
  });
});

describe('the ledger', () => {
  it('holds digests and no value, and another key gives other digests', () => {
    const ledger = new Ledger(KEY);
    ledger.learn(source('untrusted'), ['drop@evil.example is my-secret-name']);
    const saved = JSON.stringify(ledger.takeChanges());
    for (const part of ['drop', 'evil', 'secret']) expect(saved).not.toContain(part);
    expect(new KeyedHash(KEY).ofText('a', 1)).not.toBe(new KeyedHash('1123456789abcdef').ofText('a', 1));
  });

  it('has no two of a hundred thousand values under one digest', () => {
    const hash = new KeyedHash(KEY);
    const digests = new Set(Array.from({ length: 100_000 }, (_, i) => hash.ofText(`v${i}`, 1)));
    expect(digests.size).toBe(100_000);
    expect(new Set(['', 'a', 'ab', 'abc', 'abcd', 'a\0'].map((text) => hash.ofText(text, 1))).size).toBe(6);
  });

  it('stays within its bounds with a million distinct values, and what falls out counts as untrusted', () => {
    const ledger = new Ledger(KEY);
    ledger.learn(source('user'), ['ann@corp.example']);
    for (let part = 0; part < 20; part++) {
      const values = Array.from({ length: 50_000 }, (_, i) => `v${part}-${i}@x.example`);
      ledger.learn(source('untrusted'), [values.join(' ')]);
    }
    expect(ledger.size).toBeLessThanOrEqual(LEDGER_LIMITS.values);
    expect(ledger.lost).toBe(true);
    const said = new SessionOrigins(ledger);
    expect(said.of('v0-0@x.example').origin).toBe('untrusted');
    expect(said.of('v7-49999@x.example').origin).toBe('untrusted');
    expect(said.of('ann@corp.example').origin).toBe('user');
  });

  it('takes a result of 10 MB up to a bound, and counts the rest as untrusted', () => {
    const text = `${'lorem ipsum dolor '.repeat(600_000)} late@evil.example`;
    const ledger = new Ledger(KEY);
    ledger.learn(source('untrusted'), [text]);
    expect(ledger.size).toBeLessThan(LEDGER_LIMITS.valuesOfSource + 10);
    const said = new SessionOrigins(ledger);
    expect(said.of('late@evil.example').origin).toBe('untrusted');
    expect(said.foreignNames('late@evil.example').names).toEqual(['late@evil.example']);
  });

  it('is the same for another process that loads what was saved, also what was forgotten', () => {
    const first = new Ledger(KEY, 'a');
    first.learn(source('user'), ['ann@corp.example']);
    first.learn(source('untrusted'), ['drop@evil.example']);
    const { set } = first.takeChanges();
    const second = new Ledger(KEY, 'b');
    second.load(new Map(set));
    second.load(new Map(set));
    expect(second.size).toBe(first.size);
    expect(new SessionOrigins(second).of('drop@evil.example')).toEqual(
      new SessionOrigins(first).of('drop@evil.example'),
    );
    expect(second.takeChanges()).toEqual({ set: [], remove: [] });
  });

  it('counts a row that it cannot read as something untrusted that fell out', () => {
    const ledger = new Ledger(KEY);
    ledger.load(new Map([['1', 'not a row']]));
    expect(new SessionOrigins(ledger).foreignNames('https://evil.example/x').names).toHaveLength(1);
  });

  it('does not grow by a repeated call, and stores an untrusted source each time', () => {
    const ledger = new Ledger('0123456789abcdef');
    for (let i = 0; i < 3; i++) ledger.learn(source('trusted'), ['npm test -- src/app']);
    ledger.learn(source('untrusted'), ['npm test -- src/app']);
    ledger.learn(source('untrusted'), ['npm test -- src/app']);
    expect(ledger.takeChanges().set).toHaveLength(3);
    expect(ledger.untrusted).toBe(true);
  });
});
