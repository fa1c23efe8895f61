import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { linesOf, tapeHeader } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { bootId, system } from '../machine/this-machine.ts';
import { entryBody } from './chain.ts';
import { FileTapeStore } from './file-store.ts';
import type { EntryMark } from './go-on.ts';
import type { Appended } from './store.ts';
import { readTape } from './tape-reader.ts';
import { verifyTape } from './verify.ts';

const header = tapeHeader({ session: 's' });
const EARLIER = '00000000-0000-4000-8000-000000000000';

/** Batches of a session, each by a store of its own as each process has one; what each leaves is copied. */
function tapeOf(batches: number): { dir: string; path: string; append: Append; marks: EntryMark[] } {
  const dir = tempProject();
  const path = join(dir, 's.jsonl');
  const append: Append = (text, after) => {
    const store = new FileTapeStore(dir);
    const entries = [entryBody({ type: 'session', kind: 'work', data: text }, 0)];
    const appended = store.append({ session: 's', header, entries, ...(after !== undefined && { after }) });
    store.close();
    return appended as Appended;
  };
  const marks: EntryMark[] = [];
  for (let i = 0; i < batches; i++) {
    const appended = append(`${i}`);
    if (!appended.ok) throw appended.error;
    marks.push({ seq: appended.seq, head: appended.head });
    copyFileSync(path, join(dir, `after-${i}`));
  }
  return { dir, path, append, marks };
}

type Append = (text: string, after?: EntryMark) => Appended;

const kinds = (path: string) =>
  [...readTape(path).entries].map(({ record }) => (record.type === 'session' ? record.kind : record.type));

describe('a tape that lacks the entry which the session remembers, on a system that does not name its starts', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    ['goes on if the machine had been running for longer than it has now', 3_000_000, { ok: true }],
    [
      'is no record any more if the machine was not started since',
      1_000,
      { error: { code: 'RECORD_CHANGED' } },
    ],
  ])('%s', (_name, uptimeThen, expected) => {
    vi.spyOn(system, 'bootId').mockReturnValue('');
    vi.spyOn(system, 'uptimeMs').mockReturnValue(60_000);
    const { dir, path, append, marks } = tapeOf(3);
    copyFileSync(join(dir, 'after-0'), path);
    expect(append('later', { ...marks[2]!, boot: `${Date.now()} ${uptimeThen}` })).toMatchObject(expected);
  });
});

describe.skipIf(bootId() === '')('a tape that lacks the entry which the session remembers', () => {
  it('goes on after the machine was started again, if the entry need not have been on the disk, and says what is lost', () => {
    const { dir, path, append, marks } = tapeOf(3);
    copyFileSync(join(dir, 'after-0'), path);
    const after = { ...marks[2]!, boot: EARLIER };
    expect(append('later', after)).toMatchObject({ ok: true });
    expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
    expect(kinds(path)).toEqual(['work', 'closed', 'lost', 'work', 'closed']);
    expect([...readTape(path).entries][2]!.record).toMatchObject({
      data: { head: marks[2]!.head, to: marks[2]!.seq },
    });
    // Others of the session still remember the old entry.
    expect(append('other', after)).toMatchObject({ ok: true });
  });

  it.each<[string, Partial<EntryMark>]>([
    ['the machine was not started since', { boot: bootId() }],
    ['the disk had to have it', {}],
  ])('is no record any more if %s', (_name, boot) => {
    const { dir, path, append, marks } = tapeOf(3);
    copyFileSync(join(dir, 'after-0'), path);
    expect(append('later', { ...marks[2]!, ...boot })).toMatchObject({ error: { code: 'RECORD_CHANGED' } });
    rmSync(path);
    expect(append('later', { ...marks[2]!, ...boot })).toMatchObject({ error: { code: 'RECORD_CHANGED' } });
  });

  it('goes on also if another process without that memory was first', () => {
    const { dir, path, append, marks } = tapeOf(3);
    copyFileSync(join(dir, 'after-1'), path);
    truncateSync(path, readFileSync(path).length - 20);
    expect(append('first')).toMatchObject({ ok: true });
    expect(append('more')).toMatchObject({ ok: true });
    expect(kinds(path).slice(2)).toEqual(['work', 'repaired', 'work', 'closed', 'work', 'closed']);
    expect(append('later', { ...marks[2]!, boot: EARLIER })).toMatchObject({ ok: true });
  });

  it('is no record any more if it was written anew with as many entries and says nothing of a loss', () => {
    const { path, append, marks } = tapeOf(3);
    rmSync(path);
    for (let i = 0; i < 3; i++) append(`made up ${i}`);
    expect(append('later', { ...marks[2]!, boot: EARLIER })).toMatchObject({
      error: { code: 'RECORD_CHANGED' },
    });
  });

  it('is begun anew after a loss of power that took the whole file, and says so', () => {
    const { path, append, marks } = tapeOf(2);
    rmSync(path);
    expect(append('later', { ...marks[1]!, boot: EARLIER })).toMatchObject({ ok: true });
    expect(kinds(path)).toEqual(['lost', 'work', 'closed']);
  });
});

describe('a tape whose first line a loss of power zeroed or cut off', () => {
  const zeroed = (path: string, keep?: number) => {
    const bytes =
      keep === undefined ? readFileSync(path).fill(0, 0, 60) : readFileSync(path).subarray(0, keep);
    writeFileSync(path, bytes);
    utimesSync(path, 1, 1);
    return bytes;
  };

  it.each([
    ['zeroed', undefined],
    ['cut off', 40],
  ])('is set aside as it is, and a new one begins: %s', (_how, keep) => {
    const { dir, path, append } = tapeOf(2);
    const bytes = zeroed(path, keep);
    expect(append('later')).toMatchObject({ ok: true, seq: 2 });
    expect(verifyTape(path).ok).toBe(true);
    const aside = readdirSync(dirname(path)).filter((name) => name.startsWith('s.jsonl.lost-'));
    expect(readFileSync(join(dir, aside[0]!)).equals(bytes)).toBe(true);
  });

  it('is left alone if the machine was not started since, or if the line is whole and has no zero bytes', () => {
    const { path, append } = tapeOf(2);
    const lines = linesOf(path);
    zeroed(path);
    utimesSync(path, new Date(), new Date());
    expect(append('later')).toMatchObject({ error: { code: 'TAPE_INVALID' } });
    writeFileSync(path, [`x${lines[0]}`, ...lines.slice(1), ''].join('\n'));
    utimesSync(path, 1, 1);
    expect(append('later')).toMatchObject({ error: { code: 'TAPE_INVALID' } });
  });
});
