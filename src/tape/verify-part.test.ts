/** A chain proven in parts gives what the whole chain gives, and names the same entry where it is broken. */
import { describe, expect, it } from 'vitest';
import { entryBody, entryLine, hashLine, headerLine } from './chain.ts';
import type { Header } from './entry.ts';
import type { EntryMark } from './go-on.ts';
import { proveOn } from './verify.ts';

const HEADER: Header = {
  tape: 2,
  session: 's',
  engine: 'harness test',
  host: 'test',
  policy: { digest: 'd', layers: [], hooks: [] } as unknown as Header['policy'],
  started: '2026-01-01T00:00:00.000Z',
};

function lines(count: number): Buffer[] {
  const all = [Buffer.from(headerLine(HEADER))];
  for (let seq = 1; seq <= count; seq++) {
    const body = entryBody({ type: 'session', kind: 'note', data: seq }, seq);
    all.push(Buffer.from(entryLine(seq, hashLine(all.at(-1)!), body)));
  }
  return all;
}

function part(after: EntryMark | null, some: readonly Buffer[]) {
  const proving = proveOn(after);
  for (const line of some) if (!proving.add(line)) break;
  return proving.result();
}

describe('a chain proven in parts', () => {
  const all = lines(9);
  const whole = part(null, all);

  it('ends with the same entry and hash as the chain proven at once, wherever it is cut', () => {
    expect(whole).toMatchObject({ broken: null, end: { seq: 9, head: hashLine(all[9]!) } });
    for (let cut = 1; cut < all.length; cut++) {
      const first = part(null, all.slice(0, cut));
      const second = part(first.end, all.slice(cut));
      expect(first).toMatchObject({ broken: null, end: { seq: cut - 1 } });
      expect(second).toMatchObject({ broken: null, end: whole.end, header: null });
    }
  });

  it('names the entry that does not follow the known one', () => {
    const mark = { seq: 3, head: hashLine(all[3]!) };
    expect(part(mark, all.slice(5)).broken).toEqual({
      at: 4,
      what: 'is missing: entry 5 stands in its place',
    });
    // Entry 5 vouches for entry 4, so the known entry is the changed one.
    expect(part({ seq: 3, head: '0'.repeat(64) }, all.slice(4)).broken?.at).toBe(3);
    const changed = [...all];
    changed[6] = Buffer.from(all[6]!.toString().replace('"data":6', '"data":7'));
    expect(part(mark, changed.slice(4)).broken?.at).toBe(6);
  });

  it('says what a line is that is no entry', () => {
    const mark = { seq: 9, head: hashLine(all[9]!) };
    expect(part(mark, [Buffer.from('{"no":"entry"}')]).broken).toEqual({ at: 10, what: 'is not an entry' });
    expect(part(null, [Buffer.from('{}')]).broken?.at).toBe(0);
  });
});
