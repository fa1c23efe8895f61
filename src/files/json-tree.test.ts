import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MapNode, toData } from '../base/tree.ts';
import { readJsonTree } from './json-tree.ts';

function rootOf(text: string): MapNode {
  const tree = readJsonTree(text);
  if (!tree.ok || tree.root.kind !== 'map') throw new Error('wanted an object');
  return tree.root;
}

describe('JSON with places', () => {
  it('every key and value knows where it stands', () => {
    const text = '{\n  "a": [1, {"b": "x"}]\n}';
    const entry = rootOf(text).entries.get('a')!;
    expect(text.slice(entry.keyStart)).toMatch(/^"a": \[/);
    expect(entry.value.kind === 'list' && text.slice(entry.value.items[1]!.start)).toMatch(/^\{"b"/);
  });

  it('a key written twice is reported, and the last one counts', () => {
    const root = rootOf('{"a": 1, "a": 2}');
    expect(root.repeated.map((entry) => entry.keyStart)).toEqual([1]);
    expect(toData(root)).toEqual({ a: 2 });
  });

  it('text that is not JSON has a line and a column', () => {
    expect(readJsonTree('{"a": 1,\n}')).toMatchObject({ ok: false, line: 2, col: 1 });
  });

  it('a __proto__ key is data like any other', () => {
    expect(Object.keys(toData(rootOf('{"__proto__": 1}')) as object)).toEqual(['__proto__']);
  });

  it('says the same as the platform about every text', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (json, spaced) => {
        const text = spaced ? JSON.stringify(JSON.parse(json), null, 2) : json;
        const tree = readJsonTree(text);
        expect(tree.ok && toData(tree.root)).toEqual(JSON.parse(text));
      }),
    );
  });
});
