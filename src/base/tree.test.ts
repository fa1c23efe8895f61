import { describe, expect, it } from 'vitest';
import { isNothing, type MapEntry, mapNode, type ScalarNode, textAt, toData } from './tree.ts';

const scalar = (value: ScalarNode['value']): ScalarNode => ({ kind: 'scalar', value, start: 0 });
const entry = (key: string, value: MapEntry['value']): [string, MapEntry] => [
  key,
  { key, keyStart: 0, value },
];

describe('a positioned tree', () => {
  const tree = mapNode(
    0,
    new Map([
      entry('__proto__', { kind: 'list', start: 0, items: [scalar(1), scalar(null)] }),
      entry('text', scalar('')),
    ]),
  );

  it('gives its plain data, whatever its keys are called', () => {
    const data = toData(tree);
    expect(JSON.stringify(data)).toBe('{"__proto__":[1,null],"text":""}');
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  it('gives the text under a key, also an empty one', () => {
    expect(textAt(tree, 'text')).toBe('');
    expect(textAt(tree, '__proto__')).toBeUndefined();
    expect(textAt(null, 'text')).toBeUndefined();
  });

  it('knows what is empty', () => {
    expect([scalar(null), scalar(''), tree].map(isNothing)).toEqual([true, false, false]);
  });
});
