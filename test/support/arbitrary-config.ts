/** Configuration files as people write them, for tests that change them: JSON with comments, and TOML. */
import fc from 'fast-check';
import { tomlData } from '../../src/agents/install/toml-edit.ts';

/** Documents as people write them: any value, any spacing, comments anywhere, trailing commas. */
export const jsoncSpace = fc.constantFrom(
  '',
  '',
  ' ',
  '\n',
  '\n  ',
  '\r\n\t',
  ' // c\n',
  '/* b */',
  '\n\n  // x, y: {\n  ',
);
const scalar = fc.oneof(
  fc.constantFrom('1', '-0.5e3', 'true', 'null', '"a\\"b"', '"//no"', '"/*"'),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
);
const letrec = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, scalar, tie('list'), tie('map')),
  list: fc
    .tuple(
      fc.array(fc.tuple(jsoncSpace, tie('value'), jsoncSpace), { maxLength: 3 }),
      jsoncSpace,
      fc.boolean(),
    )
    .map(([items, end, trailing]) => {
      const inner = items.map(([before, item, behind]) => `${before}${item}${behind}`).join(',');
      return `[${inner}${items.length > 0 && trailing ? ',' : ''}${end}]`;
    }),
  map: mapOf(
    fc.array(
      fc.tuple(
        jsoncSpace,
        fc.constantFrom('a', 'b', 'hooks', 'x y', 'é'),
        jsoncSpace,
        tie('value'),
        jsoncSpace,
      ),
      {
        maxLength: 4,
      },
    ),
  ),
}));

function mapOf(members: fc.Arbitrary<[string, string, string, string, string][]>): fc.Arbitrary<string> {
  return fc.tuple(members, jsoncSpace, fc.boolean()).map(([list, end, trailing]) => {
    const unique = list.filter(([, key], at) => list.findIndex(([, other]) => other === key) === at);
    const inner = unique.map(([s1, key, s2, item, s3]) => `${s1}${JSON.stringify(key)}${s2}:${item}${s3}`);
    return `{${inner.join(',')}${inner.length > 0 && trailing ? ',' : ''}${end}}`;
  });
}

export const jsoncValue = letrec.value;

export const jsoncDocument = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    jsoncSpace,
    mapOf(
      fc.array(fc.tuple(jsoncSpace, fc.constantFrom('a', 'b', 'c'), jsoncSpace, jsoncValue, jsoncSpace), {
        maxLength: 4,
      }),
    ),
    jsoncSpace,
    fc.constantFrom('', '\n', '\r\n'),
  )
  .map((parts) => parts.join(''));

const tomlWord = fc.constantFrom('a', 'b', 'hooks', '"x y"', "'q'", 'c-d');
const tomlScalar = fc.constantFrom(
  '1',
  '"x # y"',
  "'[z]'",
  'true',
  '1979-05-27',
  '[1, 2]',
  '{ k = 1 }',
  '"""\n[no]\n"""',
);
const comment = fc.constantFrom('', ' # note', '  ');
const entry = fc
  .tuple(tomlWord, tomlScalar, comment)
  .map(([key, item, end]) => ({ key, line: `${key} = ${item}${end}` }));
const entries = fc
  .array(entry, { maxLength: 4 })
  .map((list) => list.filter(({ key }, at) => list.findIndex((other) => other.key === key) === at));
export const tomlDocument = fc
  .tuple(
    entries,
    fc.array(
      fc.tuple(fc.constantFrom('[t1]', '[t2.u]', '[[t3]]', '[projects."/a"]', '[hooks.state]'), entries),
      {
        maxLength: 4,
      },
    ),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n', '\n\n'),
    fc.constantFrom('', '\ufeff'),
  )
  .map(([top, tables, eol, end, mark]) => {
    const lines = [
      ...top.map(({ line }) => line),
      ...tables.flatMap(([header, inner]) => ['', `${header} # h`, ...inner.map(({ line }) => line)]),
    ];
    return mark + lines.join('\n').replaceAll('\n', eol) + end.replaceAll('\n', eol);
  })
  .filter((text) => tomlData(text) !== undefined);
