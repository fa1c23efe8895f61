import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockedCall, failedCall, tapeHeader, writeTape } from '../../../test/support/tape.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { TapeWriter } from '../../tape/writer.ts';
import { chapterOf, namingEntries, summarise, summariseAll } from './summary.ts';

const LONG = 'x'.repeat(200_000);

/** Two tapes of more than four megabytes each. */
function longTapes(): { readonly dir: string; readonly files: readonly string[]; readonly index: string } {
  const dir = tempProject();
  const files = ['a', 'b'].map((name) => join(dir, `${name}.jsonl`));
  for (const file of files) {
    const tape = TapeWriter.open(file, { header: tapeHeader({ session: file }) });
    for (let i = 1; i <= 24; i++) {
      for (const record of [...blockedCall(2 * i), ...failedCall(2 * i + 1)]) tape.append(record);
      tape.note('work', LONG);
    }
    tape.close();
  }
  return { dir, files, index: join(dir, 'tapes.index') };
}

/** The same bytes and times, but another number in the index: what is listed then comes from the index. */
function planted(index: string): void {
  writeFileSync(index, readFileSync(index, 'utf8').replaceAll('"decisions":48', '"decisions":7'));
}

describe('the index of a folder of tapes', () => {
  it('is left by the first listing of long tapes, and the next listing reads no tape that did not change', () => {
    const { files, index } = longTapes();
    const first = summariseAll(files, {});
    expect(first.map(({ decisions, blocks, failOpens }) => [decisions, blocks, failOpens])).toEqual([
      [48, 24, 24],
      [48, 24, 24],
    ]);
    planted(index);
    expect(summariseAll(files, {}).map(({ decisions }) => decisions)).toEqual([7, 7]);
    expect(summariseAll(files, { fresh: true })).toEqual(first);
  });

  it('can be thrown away, cut off or damaged at any time: the listing stays the same', () => {
    const { files, index } = longTapes();
    const first = summariseAll(files, {});
    const whole = readFileSync(index);
    for (const length of [0, 5, 13, 40, whole.length - 3]) {
      writeFileSync(index, whole.subarray(0, length));
      expect(summariseAll(files, {})).toEqual(first);
    }
    writeFileSync(index, Buffer.alloc(whole.length));
    expect(summariseAll(files, {})).toEqual(first);
    rmSync(index);
    expect(chapterOf(files[0]!, 30)).toEqual(chapterOf(files[1]!, 30));
    expect(existsSync(index)).toBe(true);
  });

  it('goes on where it ended when a tape grew, and counts what a listing without an index counts', () => {
    const { files, index } = longTapes();
    summariseAll(files, {});
    planted(index);
    writeTape(files[0]!, [...blockedCall(100), ...failedCall(101)], { header: null });
    const [grown] = summariseAll(files, {});
    expect(grown).toMatchObject({ decisions: 9, state: 'closed', problem: null });
    expect(summariseAll(files, { fresh: true })[0]).toEqual({ ...grown, decisions: 50 });
    expect(summarise(files[0]!)).toEqual({ ...grown, decisions: 50 });
  });

  it('does not count for a tape that was changed, also if size and time stayed', () => {
    const { files, index } = longTapes();
    summariseAll(files, {});
    planted(index);
    const { atime, mtime } = statSync(files[0]!);
    const text = readFileSync(files[0]!, 'utf8');
    writeFileSync(files[0]!, `${text.slice(0, -10)}0123456789`);
    utimesSync(files[0]!, atime, mtime);
    expect(namingEntries(files[0]!)).toBeNull();
    expect(summariseAll(files, {})[0]).toMatchObject({ decisions: 48 });
    appendFileSync(files[1]!, 'no entry\n');
    expect(summariseAll(files, {})[1]).toMatchObject({ decisions: 7, state: 'broken' });
  });

  it('is not made for short tapes', () => {
    const dir = tempProject();
    const file = join(dir, 'a.jsonl');
    writeTape(file, blockedCall(1));
    expect(summariseAll([file], {})).toHaveLength(1);
    expect(chapterOf(file, 1)).toMatchObject({ kind: 'decision' });
    expect(existsSync(join(dir, 'tapes.index'))).toBe(false);
  });
});
