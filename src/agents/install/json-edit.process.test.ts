import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  jsoncDocument as document,
  jsoncSpace as space,
  jsoncValue as value,
} from '../../../test/support/arbitrary-config.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { addDefault, addItem, jsonAt, removeItems } from './json-edit.ts';
import { readJsonc } from './jsonc.ts';
import { type Edited, type Refused, unsplice } from './splice.ts';

const OURS = { matcher: '*', hooks: [{ type: 'command', command: 'guard # harness' }] };
const isOurs = (item: Json) => JSON.stringify(item) === JSON.stringify(OURS);
const PATH = ['hooks', 'PreToolUse'];

function done(result: Edited | Refused): Edited {
  if ('refused' in result) throw new Error(`${result.refused} at ${result.offset}`);
  return result;
}

function added(text: string, path = PATH): string {
  return done(addItem(text, path, OURS)).text;
}

describe('adding to JSON', () => {
  it('writes a document of its own into an empty file', () => {
    expect(JSON.parse(added(''))).toEqual({ hooks: { PreToolUse: [OURS] } });
    expect(added('').endsWith('}\n')).toBe(true);
    expect(added('\ufeff').startsWith('\ufeff{')).toBe(true);
  });

  it('takes the indentation it finds', () => {
    expect(added('{\n\t"a": 1\n}\n')).toBe(
      `{\n\t"a": 1,\n\t"hooks": {\n\t\t"PreToolUse": [\n${JSON.stringify(OURS, null, '\t').replace(/^/gm, '\t\t\t')}\n\t\t]\n\t}\n}\n`,
    );
    expect(added('{\n    "a": 1\n}')).toContain('\n    "hooks": {\n        "PreToolUse": [\n            {');
  });

  it('takes the line ends it finds, and adds no final one', () => {
    const text = added('{\r\n  "a": 1\r\n}');
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(text.endsWith('\r\n}')).toBe(true);
  });

  it('keeps comments with what they comment on', () => {
    const text = '{\n  // first\n  "a": 1 // one\n  /* last */\n}\n';
    const result = added(text);
    expect(result).toContain('"a": 1, // one\n  /* last */\n  "hooks": {');
  });

  it('follows a trailing comma with another', () => {
    expect(added('{\n  "a": [1,],\n}', ['b'])).toMatch(/"a": \[1,\],\n {2}"b": \[[\s\S]*\],\n\}$/);
  });

  it('stays on one line in a file of one line', () => {
    expect(added('{"a":1}')).toBe(`{"a":1,"hooks":{"PreToolUse":[${JSON.stringify(OURS)}]}}`);
    expect(added('{ "a": 1, "b": 2 }')).toContain('"b": 2, "hooks":');
  });

  it('puts an item behind those that are there', () => {
    const text = '{\n  "hooks": {\n    "PreToolUse": [\n      {"x": 1} // mine\n    ]\n  }\n}\n';
    expect(jsonAt(added(text), PATH)).toEqual([{ x: 1 }, OURS]);
    expect(added(text)).toContain('{"x": 1}, // mine\n      {');
  });

  it('refuses another kind of value at its place, and a key that stands twice', () => {
    expect(addItem('{"hooks": []}', PATH, OURS)).toEqual({
      refused: 'want an object in "hooks", got a list',
      offset: 10,
    });
    expect(addItem('{"hooks": {"PreToolUse": 3}}', PATH, OURS)).toEqual({
      refused: 'want a list in "hooks.PreToolUse", got 3',
      offset: 25,
    });
    expect(addItem('[]', PATH, OURS)).toEqual({
      refused: 'want an object in the file, got a list',
      offset: 0,
    });
    expect(addItem('{"hooks": {}, "hooks": {}}', PATH, OURS)).toMatchObject({ offset: 14 });
  });

  it('refuses what is not JSON, with the place', () => {
    expect(addItem('{"a": 1', PATH, OURS)).toEqual({
      refused: 'want "," or "}", got the end of the file',
      offset: 7,
    });
    expect(addItem("{'a': 1}", PATH, OURS)).toMatchObject({ offset: 1 });
    expect(addItem('{"a": 01}', PATH, OURS)).toMatchObject({
      refused: 'want "," or "}", got "1"',
      offset: 7,
    });
    expect(addItem('{} x', PATH, OURS)).toMatchObject({ refused: 'want the end of the file, got "x"' });
    expect(addItem('['.repeat(100_000), PATH, OURS)).toMatchObject({
      refused: 'nested deeper than 256 levels',
    });
  });

  it('sets a default only where nothing is', () => {
    expect(done(addDefault('{"version": 2}', ['version'], 1)).text).toBe('{"version": 2}');
    expect(jsonAt(done(addDefault('{"a": 2}', ['version'], 1)).text, ['version'])).toBe(1);
  });
});

describe('taking out of JSON', () => {
  it('takes only ours, and what only held ours', () => {
    const text = '{\n  "a": 1,\n  "hooks": {\n    "Stop": [{"x": 1}]\n  } // c\n}\n';
    expect(done(removeItems(added(text), PATH, isOurs)).text).toBe(text);
    expect(done(removeItems(text, PATH, isOurs)).splices).toEqual([]);
  });

  it('takes it out between others', () => {
    const text = `{"l": [1, ${JSON.stringify(OURS)}, 2]}`;
    expect(done(removeItems(text, ['l'], isOurs)).text).toBe('{"l": [1, 2]}');
    const first = `{"l": [${JSON.stringify(OURS)}, 2]}`;
    expect(jsonAt(done(removeItems(first, ['l'], isOurs)).text, ['l'])).toEqual([2]);
  });

  it('never leaves what follows inside a line comment', () => {
    const text = `{"l": [ // note\n ${JSON.stringify(OURS)} ]}`;
    expect(jsonAt(done(removeItems(text, ['l'], isOurs)).text, [])).toEqual({});
  });
});

const RUNS = { numRuns: 1500, seed: 15 };

describe('JSON, for every document', () => {
  it('the generated documents are read', () => {
    fc.assert(
      fc.property(document, (text) => readJsonc(text).ok),
      RUNS,
    );
  });

  it('adding gives the old data and ours, and is taken back to the byte', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(['hooks', 'E'], ['a', 'E'], ['b']), (text, path) => {
        const result = addItem(text, path, OURS);
        if ('refused' in result) return;
        expect(jsonAt(result.text, [])).toEqual(withItem(jsonAt(text, []) as JsonObject, path));
        expect(unsplice(result.text, result.splices)).toBe(text);
        // Every byte of the rest is there, in its order.
        expect(result.splices.every(({ removed }) => removed === '')).toBe(true);
      }),
      RUNS,
    );
  });

  it('taking ours out of a list of others leaves the text as it was', () => {
    fc.assert(
      fc.property(document, value, space, space, (text, other, before, behind) => {
        const seeded = done(addItem(text, ['q'], 0)).text.replace(
          /("q":\s*\[)\s*0\s*\]/,
          `$1${before.replaceAll('$', '')}${other.replaceAll('$', '')}${behind.replaceAll('$', '')}]`,
        );
        if (jsonAt(seeded, ['q']) === undefined) return;
        const taken = done(removeItems(added(seeded, ['q']), ['q'], isOurs));
        expect(taken.text).toBe(seeded);
      }),
      RUNS,
    );
  });

  it('taking out gives the data without ours', () => {
    fc.assert(
      fc.property(document, (text) => {
        const path = ['hooks', 'E'];
        const result = addItem(text, path, OURS);
        if ('refused' in result) return;
        expect(jsonAt(done(removeItems(result.text, path, isOurs)).text, [])).toEqual(jsonAt(text, []));
      }),
      RUNS,
    );
  });
});

function withItem(data: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path as [string, ...string[]];
  const inner = data[key];
  if (rest.length === 0) return { ...data, [key]: [...((inner ?? []) as Json[]), OURS] };
  return { ...data, [key]: withItem((inner ?? {}) as JsonObject, rest) };
}
