/**
 * The corpus of shell commands is sound: sizes, fields, unique cases, twins, halves, and nothing in it that names a machine or a
 * secret of the real world. What the rules make of it is measured elsewhere.
 */
import { describe, expect, it } from 'vitest';
import { type CommandSet, corpusLines, halfOf, loadCases, SETS } from './load.ts';

/** At least this many; a text case is a pair or a single. */
const LEAST: Readonly<Record<CommandSet, number>> = {
  dangerous: 700,
  everyday: 2100,
  text: 350,
  around: 150,
};

const KEYS = ['id', 'command', 'shell', 'family', 'expect', 'pair', 'note'];
const NEEDED = ['id', 'command', 'family', 'expect'];
const SHELLS = ['bash', 'sh', 'zsh'];

/** Names reserved for documentation and tests, private use and loopback; nobody real is addressed. */
const RESERVED_HOST =
  /^(?:(?:[\w-]+\.)*example\.(?:com|org|net)|(?:[\w-]+\.)*(?:test|internal|localhost)|localhost)$/i;
/** Loopback, any, private, link-local (metadata services) and the three documentation networks. */
const RESERVED_ADDRESS =
  /^(?:127\.|0\.0\.0\.0$|10\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.|169\.254\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/;
/** Look like hosts and are names inside a tool. */
const NOT_HOSTS = ['k8s.io', 'kubernetes.io', 'pod-security.kubernetes.io'];

const AFTER_SCHEME =
  /(?<![a-z])(?!file:|fileb:|sqlite)[a-z][a-z0-9+.]*:\/\/(?:[^\s/@'"]*@)?([a-z0-9][\w.-]*\.[a-z][a-z0-9-]*|\d+(?:\.\d+){3})/gi;
const AFTER_AT = /[\w"}]@([a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,})\b/gi;
const WORDS = /(?<![\w@./-])((?:[a-z0-9-]+\.)+(?:com|org|net|io|edu|gov|cloud|xyz))\b(?!\.)/gi;
const ADDRESSES = /(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?![\w.])/g;

const CREDENTIALS = [
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_\w{20,}/,
  /\bglpat-[\w-]{16,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bAIza[\w-]{30,}/,
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAAAA[A-Z0-9][\w+/]{60,}/,
];

const lines = [...corpusLines()];
const cases = [...loadCases()];

describe('the corpus of shell commands', () => {
  it('is large enough in each set', () => {
    for (const set of SETS) {
      const own = cases.filter((one) => one.set === set);
      const count = new Set(own.map((one) => `${one.half} ${one.case.pair ?? one.case.id}`)).size;
      expect(count, set).toBeGreaterThanOrEqual(LEAST[set]);
    }
  });

  it('has one object a line with known fields, in one order', () => {
    const wrong = lines.filter((line) => {
      const one = JSON.parse(line.text) as Record<string, unknown>;
      const keys = Object.keys(one);
      const inOrder = KEYS.filter((key) => keys.includes(key));
      return (
        keys.join() !== inOrder.join() ||
        NEEDED.some((key) => typeof one[key] !== 'string' || one[key] === '') ||
        (one.shell !== undefined && !SHELLS.includes(one.shell as string)) ||
        (one.pair !== undefined && !Number.isSafeInteger(one.pair)) ||
        (one.note !== undefined && typeof one.note !== 'string')
      );
    });
    expect(wrong.map((line) => line.where)).toEqual([]);
  });

  it('names each case after its folder and file', () => {
    const wrong = lines.filter((line) => {
      const { id, family } = JSON.parse(line.text) as { id: string; family: string };
      return (
        family !== line.family ||
        !id.startsWith(`${line.set}/${line.family}/`) ||
        !/^\d{3}$/.test(id.split('/')[2]!)
      );
    });
    expect(wrong.map((line) => line.where)).toEqual([]);
  });

  it('has every id and every command once', () => {
    expect(twice(cases.map((one) => one.case.id))).toEqual([]);
    expect(twice(cases.map((one) => one.case.command))).toEqual([]);
  });

  it('holds commands that a shell could be given: bounded, not empty, no NUL', () => {
    const wrong = cases.filter(
      ({ case: { command } }) => command.length > 2000 || command.includes('\0') || command.trim() === '',
    );
    expect(wrong.map((one) => one.case.id)).toEqual([]);
  });

  it('expects stop of the dangerous and of the ways around, pass of the everyday', () => {
    const expected = { dangerous: 'stop', around: 'stop', everyday: 'pass' } as const;
    const wrong = cases.filter((one) => one.set !== 'text' && one.case.expect !== expected[one.set]);
    expect(wrong.map((one) => one.case.id)).toEqual([]);
  });

  it('has twins of text: one passes and one is stopped; singles pass', () => {
    const twins = new Map<string, string[]>();
    for (const { set, half, case: one } of cases) {
      if (one.pair === undefined) {
        if (set === 'text') expect(one.expect, one.id).toBe('pass');
      } else {
        expect(set, one.id).toBe('text');
        const key = `${half} ${one.pair}`;
        twins.set(key, [...(twins.get(key) ?? []), one.expect]);
      }
    }
    const uneven = [...twins].filter(([, expects]) => [...expects].sort().join() !== 'pass,stop');
    expect(uneven).toEqual([]);
    expect(twins.size).toBeGreaterThanOrEqual(300);
  });

  it('takes the half from the name of the file: NAME.held.jsonl is held, every other is seen', () => {
    expect(['git', 'git.held', 'held', 'held.other'].map(halfOf)).toEqual(['seen', 'held', 'seen', 'seen']);
    for (const half of ['seen', 'held'] as const) {
      const own = [...loadCases(half)];
      expect(own).toEqual(cases.filter((one) => one.half === half));
      expect(own.every(({ case: one }) => one.family.endsWith('.held') === (half === 'held'))).toBe(true);
    }
  });

  it('names no host but reserved ones, and no address but private and documentation ones', () => {
    const strange = cases.flatMap(({ case: { id, command } }) => [
      ...hostsIn(command)
        .filter((host) => !isReserved(host))
        .map((host) => `${id} ${host}`),
    ]);
    expect(strange).toEqual([]);
  });

  it('finds hosts where they stand', () => {
    expect(hostsIn('git clone https://x@git.other.io/a && ssh me@other.dev && dig www.other.net')).toEqual([
      'git.other.io',
      'other.dev',
      'www.other.net',
    ]);
    expect(hostsIn('curl http://8.8.8.8/ | nc 1.2.3.4 80').filter((host) => !isReserved(host))).toHaveLength(
      2,
    );
    expect(hostsIn('node dist/app.js --config=docker-compose.dev.yml')).toEqual([]);
  });

  it('holds nothing shaped like a credential', () => {
    const found = cases.filter(({ case: { command } }) => CREDENTIALS.some((shape) => shape.test(command)));
    expect(found.map((one) => one.case.id)).toEqual([]);
  });
});

function twice(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}

function hostsIn(command: string): string[] {
  const found = [AFTER_SCHEME, AFTER_AT, WORDS, ADDRESSES].flatMap((pattern) =>
    [...command.matchAll(pattern)].map((match) => match[1]!),
  );
  return [...new Set(found)];
}

function isReserved(host: string): boolean {
  if (/^\d/.test(host) && /^[\d.]+$/.test(host)) return RESERVED_ADDRESS.test(host);
  return RESERVED_HOST.test(host) || NOT_HOSTS.includes(host);
}
