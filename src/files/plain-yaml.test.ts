import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainYaml } from './plain-yaml.ts';
import { FileReport } from './report.ts';
import { parseWithLibrary } from './yaml-tree.ts';

function byLibrary(yaml: string) {
  const report = new FileReport('x.md', yaml);
  const tree = parseWithLibrary({ yaml, yamlStart: 3, body: '' }, report, 'parse');
  return tree ?? report.problems;
}

const KEYS = ['event', 'when', 'script', 'a-b', '_x', 'Priority2', 'tests', 'on_error'];
const ODD_KEYS = ['true', 'null', 'a.b', '"q"', '?', '-', ' event', '0'];
const GAPS = [': ', ':   '];
const ODD_GAPS = [':', ' : ', ':\t'];
const VALUES = [
  ...[
    'tool.pre',
    '10',
    '-3',
    '0',
    'true',
    'False',
    'Null',
    'yes',
    'payload["name"] == "x"',
    'a:b',
    'a#b',
    'a - b',
  ],
  ...[
    '"x y"',
    "'x: y'",
    '"# x"',
    '(a) + [b]',
    '/x/*',
    'é ü 漢',
    "payload['a'] in [1, 2]",
    'a  ',
    'x | y',
    '""',
  ],
];
const ODD_VALUES = [
  ...[
    '007',
    '0x1f',
    '1.5',
    '1e3',
    '.5',
    '~',
    '-0',
    '+1',
    '',
    '|+',
    '>',
    '|2',
    '| # c',
    'a: b',
    'a #b',
    'a:',
    '# c',
  ],
  ...[
    "'it''s'",
    '"a\\n"',
    '"a" # c',
    '"a" b',
    '[1]',
    '{a: b}',
    '*x',
    '&x y',
    '!t z',
    '@',
    'a\tb',
    '%',
    '- a',
    '? b',
    '12345678901234567890',
  ],
];
const FLOW_VALUES = [
  'a',
  '10',
  'true',
  '"x, y"',
  "'z'",
  'a b',
  'run_command',
  '-3',
  '/x/*',
  '(a)',
  '../x',
  '.harness/x',
  '40 tokens',
  '"a\\n\\"b\\\\"',
];
const ODD_FLOW_VALUES = [
  '',
  'a:b',
  'a: b',
  '"a" b',
  "'it''s'",
  '*x',
  '&x y',
  '1.5',
  'a #b',
  '007',
  '~',
  '- a',
  'a"b',
  '.inf',
  '.5',
  '..',
  '40 1',
  '"\\x41"',
];
const GOES_ON = ['  "b", "c"]', '  and so on', '    a', '  (x)'];
const BELOW = ['', '', '  x = 1', '    y', '  # inside', '  a: b', '   '];
const ODD_BELOW = [' z', ' ', '# comment', '---', '...', '- item', '\tt', 'word', '  \u2028x'];

/** Mostly what flat maps are made of, now and then what only looks like it. */
const among = (usual: readonly string[], odd: readonly string[]) =>
  fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
const start = fc.tuple(among(KEYS, ODD_KEYS), among(GAPS, ODD_GAPS));
const oneLine = fc.tuple(start, among(VALUES, ODD_VALUES)).map(([[key, gap], value]) => key + gap + value);
const block = fc
  .tuple(
    start,
    fc.constantFrom('|', '|-'),
    fc.constantFrom('  x', ' x', '   x'),
    fc.array(among(BELOW, ODD_BELOW), { maxLength: 4 }),
  )
  .map(([[key, gap], header, first, more]) => [key + gap + header, first, ...more].join('\n'));
const flow: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    among(FLOW_VALUES, ODD_FLOW_VALUES),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(among(KEYS, ODD_KEYS), tie('value')), { maxLength: 3 })
      .map((items) => `{${items.map(([key, value]) => `${key}: ${value}`).join(', ')}}`),
  ),
})).value;
/** A key with lines below it: a list of maps, a list of words, or a map. */
const nested = fc
  .tuple(
    among(KEYS, ODD_KEYS),
    fc.constantFrom('  ', '    ', ' '),
    fc.array(
      fc.oneof(
        oneLine,
        block,
        flow.map((value) => `event: ${value}`),
        among(['', ''], ODD_BELOW),
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    fc.constantFrom('map', 'maps', 'words'),
  )
  .map(([key, indent, pieces, kind]) => {
    const lines = pieces.flatMap((piece, at) => {
      const own = piece.split('\n');
      if (kind === 'map') return own;
      if (kind === 'words') return [`- ${own[0]!.replace(/^[^:]*: /, '')}`, ...own.slice(1)];
      return own.map((line, i) => (i === 0 && at % 2 === 0 ? '- ' : '  ') + line);
    });
    return [`${key}:`, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
  });
const longText = fc
  .tuple(
    start,
    fc.constantFrom('payload["a"] in ["b",', 'a b', '"x'),
    fc.array(among(GOES_ON, ODD_BELOW), { maxLength: 3 }),
  )
  .map(([[key, gap], first, more]) => [key + gap + first, ...more].join('\n'));
const inFlow = fc.tuple(start, flow).map(([[key, gap], value]) => key + gap + value);
const text = fc
  .tuple(
    fc.array(fc.oneof(oneLine, block, nested, longText, inFlow, among(['', ''], ODD_BELOW)), {
      maxLength: 6,
    }),
    fc.boolean(),
  )
  .map(([lines, ended]) => lines.join('\n') + (ended ? '\n' : ''));

describe('plain YAML', () => {
  it('is read as the parser reads it, places included, or left to the parser', () => {
    let read = 0;
    fc.assert(
      fc.property(text, (yaml) => {
        const tree = readPlainYaml(yaml, 3);
        if (tree === null) return;
        read++;
        expect(tree).toEqual(byLibrary(yaml));
      }),
      { numRuns: 4000 },
    );
    expect(read).toBeGreaterThan(600);
  });

  it('is what every hook and setting of the governed stack is written in', () => {
    const folder = new URL('../cli/init/templates/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    const left = files.filter((name) => {
      const [, yaml] = /^---\n(.*?\n)---\n/s.exec(readFileSync(new URL(name, folder), 'utf8')) ?? [];
      if (yaml === undefined) return false;
      const tree = readPlainYaml(yaml, 3);
      if (tree !== null) expect(tree, name).toEqual(byLibrary(yaml));
      return tree === null;
    });
    expect(left).toEqual([]);
    expect(files.length).toBeGreaterThan(9);
  });

  it('is what a hook is usually written in', () => {
    const hook = [
      'event: tool.pre',
      'priority: 10',
      'when: payload["name"] == "x"',
      'script: |',
      '  def handle(event, payload):',
      '      return allow()',
      '',
    ].join('\n');
    expect(readPlainYaml(hook, 3)).toEqual(byLibrary(hook));
    expect(readPlainYaml(hook, 3)?.entries.size).toBe(4);
  });
});
