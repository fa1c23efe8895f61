import { describe, expect, it } from 'vitest';
import { withoutNodeCode } from './lean-heap.ts';

const HEAP = Buffer.from('what the heap is made of, with 300 in it');

function number(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

const moduleOf = (name: string) =>
  Buffer.concat([number(name.length), Buffer.from(name), number(5), Buffer.from('\0code')]);

/** As Node writes it: `said` of them, and then those. */
function codeOf(count: number, said = count, name = (at: number) => `internal/part-${at}`): Buffer {
  return Buffer.concat([number(said), ...Array.from({ length: count }, (_, at) => moduleOf(name(at)))]);
}

describe('a heap snapshot', () => {
  it('loses the code of the modules of Node, and says that there is none', () => {
    const lean = withoutNodeCode(Buffer.concat([HEAP, number(300), HEAP, codeOf(300)]));
    expect(lean).toEqual(Buffer.concat([HEAP, number(300), HEAP, number(0)]));
  });

  it.each([
    ['ends in something else', Buffer.concat([HEAP, codeOf(300), Buffer.from('more')])],
    ['ends before all of it was there', Buffer.concat([HEAP, codeOf(300)]).subarray(0, -1)],
    ['says of another number of modules', Buffer.concat([HEAP, codeOf(300, 299)])],
    ['has names there that no module has', Buffer.concat([HEAP, codeOf(300, 300, (at) => `part ${at}`)])],
    ['has none of it', Buffer.concat([HEAP, number(0)])],
    ['is empty', Buffer.alloc(0)],
  ])('is left as it is if it %s', (_, snapshot) => {
    expect(withoutNodeCode(snapshot)).toBeNull();
  });
});
