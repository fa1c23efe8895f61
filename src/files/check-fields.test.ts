import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { type Fields, integer, list, map, optional, text, texts } from '../base/shape/field.ts';
import type { MapNode } from '../base/tree.ts';
import { checkFields } from './check-fields.ts';
import { JSON_FILE } from './dialect.ts';
import { readJsonTree } from './json-tree.ts';
import { FileReport } from './report.ts';
import { readTomlTree } from './toml-tree.ts';
import { parseYaml } from './yaml-tree.ts';

const TABLE = {
  name: text('Its name.'),
  size: optional(integer('How big.', { min: 1, max: 9 })),
  tags: optional(texts('Labels.')),
  inner: optional(list('Parts.', map('', { file: text('A file.') }))),
};

function inYaml(yaml: string, table: Fields = TABLE) {
  const report = new FileReport('x.md', yaml);
  const root = parseYaml({ yaml, yamlStart: 0, body: '' }, report, 'parse x.md')!;
  return told(report, checkFields(root, table, { report, parsing: 'parse x.md', path: '' }));
}

function inJson(text: string, map: MapNode) {
  const report = new FileReport('x.json', text);
  return told(report, checkFields(map, TABLE, { report, path: 'hooks[0].', dialect: JSON_FILE }));
}

const told = <F>(report: FileReport, fields: F) => ({
  fields,
  problems: report.problems.map(({ severity, code, message, position }) => {
    return `${position?.line}:${position?.col} ${severity} ${code} ${message}`;
  }),
});

describe('the fields of a map', () => {
  it('that are wrong are told with their place, what is wanted and what stands there', () => {
    const { problems, fields } = inYaml('size: 10\ntags:\n  - a\n  - 5\ninner: [{fil: x}]\nnmae: x\n');
    expect(problems).toEqual([
      '1:7 error FIELD_TYPE parse x.md: yaml: line 1: size must be from 1 to 9; got the number 10',
      '4:5 error FIELD_TYPE parse x.md: yaml: line 4: tags[1] must be a string; got the number 5',
      '5:10 warning FIELD_UNKNOWN unknown field inner[0].fil is ignored (did you mean file?)',
      '5:9 error FIELD_MISSING parse x.md: yaml: line 5: inner[0].file is required',
      '6:1 warning FIELD_UNKNOWN unknown field nmae is ignored (did you mean name?)',
      '1:1 error FIELD_MISSING parse x.md: yaml: line 1: name is required',
    ]);
    expect(fields.broken).toBe(true);
    expect(fields.data).toEqual({});
  });

  it('that are right can be read', () => {
    const { problems, fields } = inYaml('name: x\nsize:\ninner: [{file: a}]\n');
    expect(problems).toEqual([]);
    expect(fields.broken).toBe(false);
    expect(fields.data).toEqual({ name: 'x', inner: [{ file: 'a' }] });
    expect(fields.list('inner')?.items).toHaveLength(1);
  });

  it('are spoken of in the words of the file', () => {
    const text = '{"name": null, "tags": {}, "name": null, "siz": 1}';
    const tree = readJsonTree(text);
    expect(inJson(text, (tree as { root: MapNode }).root).problems).toEqual([
      '1:2 error FIELD_REPEATED hooks[0]: "name" is written twice',
      '1:36 error FIELD_TYPE hooks[0].name: wanted a string, got null',
      '1:24 error FIELD_TYPE hooks[0].tags: wanted a list, got an object',
      '1:42 warning FIELD_UNKNOWN hooks[0]: unknown key "siz" (did you mean size?)',
    ]);
    const toml = readTomlTree('size = "x"\n');
    expect(inJson('size = "x"\n', (toml as { root: MapNode }).root).problems).toEqual([
      '1:8 error FIELD_TYPE hooks[0].size: wanted an integer, got the text "x"',
      '1:1 error FIELD_MISSING hooks[0]: name is missing',
    ]);
  });

  it('of which very many are wrong are told as far as anybody reads, and none of them counts', () => {
    const began = cpuTime();
    const { problems, fields } = inYaml(`name: x\ntags: [${Array(40_000).fill('7').join(',')}]\n`);
    expect(problems).toHaveLength(100);
    expect(fields.data).toEqual({ name: 'x' });
    const keys = Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join('\n');
    const unknown = inYaml(`${keys}\nsize: no\n`);
    expect(unknown.problems).toHaveLength(102);
    expect(unknown.fields.broken).toBe(true);
    expect(cpuTime() - began).toBeLessThan(5000);
  });
});
