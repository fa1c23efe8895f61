import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { parseCsv } from './csv.ts';

const readAs = (text: string) => {
  const parsed = parseCsv(text);
  return parsed.ok ? parsed.value : `${parsed.line}: ${parsed.message}`;
};

describe('a table of comma-separated values', () => {
  it.each<[string, unknown]>([
    ['a,b\n1,2\n', [{ a: '1', b: '2' }]],
    ['a,b\n1,2', [{ a: '1', b: '2' }]],
    ['a,b\n1,\n', [{ a: '1', b: '' }]],
    ['a,b\n,\n', [{ a: '', b: '' }]],
    ['a,b\n1,', [{ a: '1', b: '' }]],
    ['a\n\n\n1\n\n', [{ a: '1' }]],
    ['a\n"1,""2""\n3"\n', [{ a: '1,"2"\n3' }]],
    ['a , b\n 1 , 2 \n', [{ a: '1', b: '2' }]],
    ['id,b\nx,1\ny,2\n', { x: { id: 'x', b: '1' }, y: { id: 'y', b: '2' } }],
    ['id\n__proto__\n', Object.fromEntries([['__proto__', { id: '__proto__' }]])],
    ['', '1: want a line with the names of the columns, got nothing'],
    ['a,a\n1,2\n', '1: two columns are named "a"'],
    ['a,\n1,2\n', '1: a column has no name'],
    ['a,b\n1,2,3\n', '2: want 2 values, got 3'],
    ['a\n"1\n2\n', '2: a quoted value does not end'],
    ['a\n"1"x\n', '2: want a comma after a quoted value'],
    ['a\n1"2\n', '2: a value with a quote in it has to be quoted'],
    ['a\n"x\ny"\n1,2\n', '4: want 1 values, got 2'],
    ['id\n""\n', '2: id is empty'],
  ])('%j', (text, wanted) => {
    expect(readAs(text)).toEqual(wanted);
  });

  it('is read in time that grows with its length', () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => `${at},"v""${at}"`).join('\n');
    const begin = cpuTime();
    expect(parseCsv(`id,v\n${rows}\n`).ok).toBe(true);
    expect(cpuTime() - begin).toBeLessThan(2000);
  });
});
