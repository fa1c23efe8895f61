/**
 * The readers of JSON and YAML against `JSON.parse` and the `yaml` package, for a bounded time: what we take for data is the
 * data they take it for, and a text with two readings is refused. The seed is in the titles; HARNESS_FUZZ_SEED repeats a run,
 * HARNESS_FUZZ_SECONDS lengthens it.
 */
import { expect, it } from 'vitest';
import { parse as parseLibrary } from 'yaml';
import { isJsonObject, type Json } from '../../src/base/json.ts';
import { MAX_PAYLOAD_NESTING, readJson } from '../../src/base/json-text.ts';
import { toData } from '../../src/base/tree.ts';
import { readJsonTree } from '../../src/files/json-tree.ts';
import { FileReport } from '../../src/files/report.ts';
import { parseYaml } from '../../src/files/yaml-tree.ts';
import { Random } from '../starlark/random.ts';

const SECONDS = Number(process.env.HARNESS_FUZZ_SECONDS ?? 20);
const SEED = Number(process.env.HARNESS_FUZZ_SEED ?? Date.now() % 1_000_000_000);
const timeout = SECONDS * 1000 + 280_000;

function fuzz(round: (random: Random, seed: number) => void): number {
  const end = performance.now() + SECONDS * 1000;
  let rounds = 0;
  do {
    const seed = SEED + rounds++;
    round(new Random(seed), seed);
  } while (performance.now() < end);
  return rounds;
}

const KEYS = ['a', 'b', '__proto__', 'constructor', '', 'é', '\u202e', 'toString', '0', 'a\\u0061'];
const TEXTS = [
  '',
  'x',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\u2028',
  '\ud800',
  '👩‍👧',
  '\\ud83d\\ude00',
  '[',
  '}',
  '//',
  'null',
];

/** JSON text that is often sound: keys repeat, also in escapes, and white space and numbers take every form. */
function jsonText(random: Random, depth: number): string {
  const space = () => (random.chance(0.2) ? random.pick([' ', '\n', '\t', '\r\n', '  ']) : '');
  const text = () => {
    const raw = random.pick(TEXTS);
    return random.chance(0.5) ? JSON.stringify(raw) : `"${raw}"`;
  };
  const kind = depth === 0 ? random.below(4) : random.below(6);
  if (kind === 0) return random.pick(['null', 'true', 'false', 'nul', 'NaN', 'Infinity', 'undefined']);
  if (kind === 1)
    return random.pick([
      '0',
      '-0',
      '1e400',
      '-1.5E-3',
      '01',
      '+1',
      '.5',
      '1.',
      '9007199254740993',
      '1e',
      '0x1',
    ]);
  if (kind <= 3) return text();
  const many = random.below(4);
  const inner = () => space() + jsonText(random, depth - 1) + space();
  const tail = random.chance(0.03) ? ',' : '';
  if (kind === 4) return `[${Array.from({ length: many }, inner).join(',')}${tail}]`;
  const member = () => {
    const key = random.pick(KEYS);
    return `${space()}${random.chance(0.8) ? JSON.stringify(key) : `"${key}"`}${space()}:${inner()}`;
  };
  return `{${Array.from({ length: many }, member).join(',')}${tail}}`;
}

/** One character taken out, put in or doubled. */
function damaged(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const put = random.pick([
    '',
    '"',
    '\\',
    '{',
    ']',
    ',',
    ':',
    '\u0007',
    '\ufeff',
    ' ',
    text.slice(at, at + 1).repeat(2),
  ]);
  return text.slice(0, at) + put + text.slice(at + random.below(2));
}

/** Whether an object of the text has a key twice. Knows nothing of our reader: members are counted by `JSON.parse` itself. */
function repeats(text: string): boolean {
  const counted = { written: 0 };
  // Outside strings a colon stands behind a key and nowhere else.
  for (const part of text.replace(/"(?:[^"\\]|\\.)*"/gs, '""')) if (part === ':') counted.written++;
  return counted.written !== keysIn(JSON.parse(text) as Json);
}

function keysIn(value: Json): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + keysIn(each), 0);
  if (!isJsonObject(value)) return 0;
  return Object.keys(value).length + keysIn(Object.values(value));
}

function parsed(text: string): { readonly value: Json } | null {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}

it(`JSON is read as JSON.parse reads it, or refused (seed ${SEED})`, { timeout }, () => {
  const rounds = fuzz((random, seed) => {
    let text = jsonText(random, 5);
    if (random.chance(0.4)) text = damaged(random, text);
    const ours = readJson(text);
    const tree = readJsonTree(text);
    const theirs = parsed(text.replace(/^\ufeff/, ''));
    const about = `seed ${seed}: ${JSON.stringify(text)}`;
    if (theirs === null) {
      expect(ours.ok, about).toBe(false);
      expect(tree.ok, about).toBe(false);
      return;
    }
    expect(ours.ok, about).toBe(!repeats(text.replace(/^\ufeff/, '')));
    if (ours.ok) expect(JSON.stringify(ours.value), about).toBe(JSON.stringify(theirs.value));
    if (ours.ok && tree.ok)
      expect(JSON.stringify(toData(tree.root)), about).toBe(JSON.stringify(theirs.value));
    if (!ours.ok)
      expect(
        [ours.line, ours.col].every((place) => place >= 1),
        about,
      ).toBe(true);
  });
  console.log(`fuzz: ${rounds} JSON texts from seed ${SEED}`);
});

it('JSON is refused at the first bracket too deep, however long it goes on', () => {
  for (const depth of [MAX_PAYLOAD_NESTING, MAX_PAYLOAD_NESTING + 1, 1_000_000]) {
    const text = '['.repeat(depth) + ']'.repeat(depth);
    expect(readJson(text).ok).toBe(depth <= MAX_PAYLOAD_NESTING);
  }
});

const VALUES = [
  'text',
  'two words',
  '1',
  '-1',
  '0',
  '007',
  '1.5',
  '1e3',
  '0x1f',
  '0o7',
  'true',
  'False',
  'null',
  '~',
  'yes',
  'no',
  'on',
  '"quoted"',
  "'single'",
  '"a\\nb"',
  "'it''s'",
  '"open',
  '[1, 2]',
  '{a: 1}',
  '*alias',
  '&anchor x',
  '!tag x',
  '> folded',
  '|',
  '|-',
  'a: b',
  'a #b',
  'a#b',
  '# comment',
  'http://x:1/',
  '2001-01-01',
  '.inf',
  '.nan',
  '<<',
  '- item',
  '? key',
  '@x',
  '`x',
  '%x',
  'x:',
  '=',
];

function yamlText(random: Random): string {
  const lines = Array.from({ length: 1 + random.below(5) }, () => {
    const key = random.pick([
      'event',
      'priority',
      'a',
      'b',
      'true',
      'null',
      'y',
      '1',
      'a-b',
      '"q"',
      '? x',
      '<<',
      '-',
    ]);
    const value = random.pick(VALUES);
    const more =
      value.startsWith('|') || random.chance(0.1)
        ? `\n  ${random.pick(['line', 'x: y', '# no', '', '\tz'])}`
        : '';
    return `${key}:${random.pick([' ', '  ', '', '\t'])}${value}${more}`;
  });
  const text = lines.join(random.pick(['\n', '\n', '\n\n', '\r\n']));
  return random.chance(0.3) ? damaged(random, text) : text;
}

/** The data of a text, or null where the reader of frontmatter refuses it. */
function yamlData(yaml: string): { readonly value: Json } | null {
  const tree = parseYaml({ yaml, yamlStart: 0, body: '' }, new FileReport('x.md', yaml), 'parse');
  return tree === null ? null : { value: toData(tree) };
}

it(`YAML is read as the yaml package reads it, or refused (seed ${SEED})`, { timeout }, () => {
  let read = 0;
  const rounds = fuzz((random, seed) => {
    const text = yamlText(random);
    const ours = yamlData(text);
    if (ours === null) return;
    read++;
    const about = `seed ${seed}: ${JSON.stringify(text)}`;
    let theirs: unknown;
    try {
      theirs = parseLibrary(text, { logLevel: 'silent' });
    } catch (error) {
      throw new Error(`${about}: the package refuses it: ${(error as Error).message}`);
    }
    expect(ours.value, about).toEqual(theirs);
  });
  console.log(`fuzz: ${read} of ${rounds} YAML texts from seed ${SEED}`);
  expect(read).toBeGreaterThan(100);
});
