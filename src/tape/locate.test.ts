import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { blockedCall, failedCall, tapeHeader } from '../../test/support/tape.ts';
import { countTape } from './counts.ts';
import type { TapeRecord } from './entry.ts';
import { linkOf } from './envelope.ts';
import { chapterAt, lineBefore } from './locate.ts';
import { TapeWriter } from './writer.ts';

const FILLER = 'x'.repeat(900);
const HOOK = {
  ...{ name: 'late', event: 'tool.pre', source: 'late.md', position: 1, frontEnd: 'markdown' },
  ...{ layer: 'project', priority: 0, mode: 'enforce', onError: 'block', onWhenError: 'skip' },
};

/** A decision whose payload has its arguments from an earlier dispatch, and whose hook has its file from an earlier entry. */
function referring(dispatch: number, to: number): TapeRecord {
  return {
    type: 'decision',
    in: {
      ...{ dispatch, run: 1, event: 'tool.pre', callId: `call_${to}` },
      payload: { args: null, id: `call_${dispatch}`, name: 'run_command' },
      same: { args: [to, 'args'] },
    },
    out: { action: 'allow', hooks: [{ hook: 'late', result: 'allow', steps: 1 }] },
  } as unknown as TapeRecord;
}

/** Two megabytes: calls that were begun long before they were decided, references over short and long ways, hooks that came late. */
function longTape(): string {
  const path = join(dir, 'tape.jsonl');
  const tape = TapeWriter.open(path, { header: tapeHeader(), acknowledge: 'buffered' });
  tape.note('hook', HOOK);
  const [begun, , decided] = blockedCall(9001);
  for (let i = 1; i <= 1200; i++) {
    if (i === 300) tape.append(begun!);
    if (i === 700) tape.append(decided!);
    if (i % 400 === 0) tape.note('hook', { ...HOOK, name: `later-${i}` });
    if (i % 100 === 50) tape.append(referring(20_000 + i, i - 40));
    if (i === 1100) tape.append(referring(30_000, 1010));
    for (const record of i % 3 === 0 ? blockedCall(i, `ls ${FILLER}`) : failedCall(i)) tape.append(record);
    tape.note('work', FILLER);
  }
  tape.close();
  return path;
}

const dir = mkdtempSync(join(tmpdir(), 'harness-locate-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('an entry of a long tape', () => {
  const path = longTape();
  const { naming, entries } = countTape(path);
  const seqs = [
    1,
    2,
    entries - 1,
    entries,
    ...Array.from({ length: 16 }, (_, i) => 1 + i * Math.floor(entries / 16)),
  ];

  it.each([[naming], [[]]])(
    'is found near its place as reading from the beginning finds it (index %#)',
    (index) => {
      expect(naming).toHaveLength(4);
      // Sources of hooks come from the index.
      const wanted =
        index!.length > 0 ? seqs : seqs.filter((seq) => chapterAt(path, seq, null)?.kind === 'session');
      for (const seq of wanted) expect(chapterAt(path, seq, index)).toEqual(chapterAt(path, seq, null));
    },
  );

  it('has what it leaves out, also where that stands far before it, and is one with its decision', () => {
    const lines = readFileSync(path, 'utf8').split('\n');
    const referrers = lines.flatMap((line, seq) => (line.includes('"same"') ? [seq] : []));
    expect(referrers.length).toBeGreaterThan(10);
    for (const seq of referrers) expect(chapterAt(path, seq, naming)).toEqual(chapterAt(path, seq, null));
    const begun = lines.findIndex((line) => line.includes('call_9001"'));
    expect(chapterAt(path, begun, naming)).toMatchObject({
      story: { outcome: { record: { action: 'block' } } },
    });
  });

  it('that is not there is told apart from one that is', () => {
    for (const seq of [entries + 1, entries * 10]) expect(chapterAt(path, seq, naming)).toBeNull();
  });

  it('is found though the first third of the tape is unreadable: it is not read', () => {
    const bytes = readFileSync(path);
    const from = bytes.indexOf(10) + 1;
    const third = bytes.subarray(0, Math.floor(bytes.length / 3));
    const damaged = Buffer.from(bytes);
    for (let at = bytes.indexOf(10, from) + 1; at < third.length; at++)
      if (damaged[at] !== 10 && !naming!.some((place) => at >= place && at < place + 500)) damaged[at] = 0x78;
    const other = join(dir, 'damaged.jsonl');
    writeFileSync(other, damaged);
    expect(() => chapterAt(other, entries - 10, null)).toThrow(/is not JSON/);
    expect(chapterAt(other, entries - 10, naming)).toEqual(chapterAt(path, entries - 10, null));
  });

  it('has its line found by halving, whatever the lengths of lines', () => {
    const bytes = readFileSync(path);
    for (const seq of seqs) {
      const at = lineBefore(path, seq);
      const line = bytes.subarray(at, bytes.indexOf(10, at));
      expect(at === 0 || linkOf(line)!.seq <= seq).toBe(true);
      expect(at === 0 || bytes[at - 1] === 10).toBe(true);
    }
  });
});
