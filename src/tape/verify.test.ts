import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockedCall, failedCall, linesOf, tapeHeader, writeTape } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { type Verification, verifyTape } from './verify.ts';
import { TapeWriter } from './writer.ts';

function tapeOf(decisions = 2): string {
  const path = join(tempProject(), 'tape.jsonl');
  const records = Array.from({ length: decisions }, (_, i) => [...blockedCall(i + 1), ...failedCall(i + 1)]);
  writeTape(path, records.flat());
  return path;
}

/** The tape after its lines were rearranged; line 0 is the header. */
function rearranged(path: string, arrange: (lines: string[]) => string[]): Verification {
  const lines = linesOf(path);
  const other = `${path}.copy`;
  writeFileSync(
    other,
    arrange([...lines])
      .map((line) => `${line}\n`)
      .join(''),
  );
  return verifyTape(other);
}

describe('a tape as it was written', () => {
  it('[C144] is proven', () => {
    const path = tapeOf();
    expect(verifyTape(path)).toMatchObject({
      ok: true,
      entries: 13,
      firstBroken: null,
      problem: null,
      state: 'closed',
      session: 'session-1',
    });
  });

  it('is proven while it is being written, whatever its last bytes are', () => {
    const path = join(tempProject(), 'tape.jsonl');
    const tape = TapeWriter.open(path, { header: tapeHeader() });
    tape.note('x', 1);
    appendFileSync(path, '{"prev":"ab');
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: 1, state: 'open' });
    const alias = `${path}.alias`;
    symlinkSync(path, alias);
    expect(verifyTape(alias)).toMatchObject({ ok: true, state: 'open' });
    tape.abandon();
  });
});

describe('a tape that was tampered with', () => {
  it('shows any single byte that is not what it was, and names the entry', () => {
    const path = tapeOf(1);
    const bytes = readFileSync(path);
    const file = openSync(path, 'r+');
    const put = (at: number, byte: number) => writeSync(file, Buffer.of(byte), 0, 1, at);
    let entry = 0;
    const unnoticed: number[] = [];
    for (const [at, byte] of bytes.entries()) {
      // Each bit in turn, and now and then all of them.
      put(at, byte ^ (at % 9 === 8 ? 0xff : 1 << (at % 9)));
      const { ok, firstBroken } = verifyTape(path);
      // A line end that is gone joins two entries; a hash that changed may be laid on either of the two it binds.
      if (ok || Math.abs(firstBroken! - entry) > 1) unnoticed.push(at);
      if (byte === 10) entry++;
      put(at, byte);
    }
    closeSync(file);
    expect(unnoticed).toEqual([]);
    expect({ entry, whole: verifyTape(path).ok }).toEqual({ entry: 8, whole: true });
  });

  it('names exactly the entry whose content was changed', () => {
    const path = tapeOf(2);
    for (let line = 1; line < 13; line++) {
      const { firstBroken, problem } = rearranged(path, (lines) => {
        lines[line] = lines[line]!.replace('"dispatch":', '"dispatch":9');
        return lines;
      });
      expect(firstBroken).toBe(line);
      expect(problem).toContain('was changed');
    }
  });

  it('shows any entry that is missing', () => {
    const path = tapeOf(2);
    for (let line = 0; line < linesOf(path).length; line++) {
      const result = rearranged(path, (lines) => lines.toSpliced(line, 1));
      expect(result).toMatchObject({ ok: false, firstBroken: line });
    }
  });

  it('shows entries missing at the end, however many', () => {
    const path = tapeOf(2);
    for (let kept = 0; kept < 14; kept++) {
      const result = rearranged(path, (lines) => lines.slice(0, kept));
      expect(result).toMatchObject({ ok: false, firstBroken: kept, state: 'cut' });
    }
  });

  it('shows any entry that stands there twice, wherever the second one is', () => {
    const path = tapeOf(1);
    const count = linesOf(path).length;
    for (let line = 0; line < count; line++) {
      for (let to = 1; to <= count; to++) {
        const result = rearranged(path, (lines) => lines.toSpliced(to, 0, lines[line]!));
        expect({ line, to, ok: result.ok }).toEqual({ line, to, ok: false });
      }
    }
  });

  it('shows any two entries that changed places', () => {
    const path = tapeOf(1);
    const count = linesOf(path).length;
    for (let one = 0; one < count; one++) {
      for (let two = one + 1; two < count; two++) {
        const result = rearranged(path, (lines) => {
          [lines[one], lines[two]] = [lines[two]!, lines[one]!];
          return lines;
        });
        expect({ one, two, ok: result.ok, at: result.firstBroken }).toEqual({ one, two, ok: false, at: one });
      }
    }
  });

  it('shows what was added behind its end', () => {
    const path = tapeOf(1);
    expect(rearranged(path, (lines) => [...lines, ''])).toMatchObject({ ok: false, firstBroken: 8 });
    expect(rearranged(path, (lines) => [...lines, '{}'])).toMatchObject({ ok: false, firstBroken: 8 });
    appendFileSync(path, 'x');
    expect(verifyTape(path)).toMatchObject({ ok: false, firstBroken: 8, repairable: true });
  });

  it('shows an entry written in another way, though it means the same', () => {
    const path = tapeOf(1);
    const result = rearranged(path, (lines) => {
      lines[3] = ` ${lines[3]}`;
      return lines;
    });
    expect(result).toMatchObject({ firstBroken: 3, problem: 'is not in canonical form' });
  });
});

describe('what is no tape', () => {
  it.each([
    ['an empty file', ''],
    ['garbage', Buffer.from([0xff, 0, 0xfe, 10, 1, 2])],
    ['a JSON document', '{"hooks": []}\n'],
    ['NUL bytes', Buffer.alloc(5000)],
    ['one very long line', 'x'.repeat(3_000_000)],
  ])('%s: the header is broken', (_name, content) => {
    const path = join(tempProject({ 'tape.jsonl': content }), 'tape.jsonl');
    expect(verifyTape(path)).toMatchObject({ ok: false, entries: 0, firstBroken: 0, repairable: false });
  });

  it('a line longer than an entry can be is damage, and is not held in memory whole', () => {
    const path = tapeOf(1);
    const lines = linesOf(path);
    writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n${'x'.repeat(140 * 1024 * 1024)}`);
    expect(verifyTape(path)).toMatchObject({ firstBroken: 3, problem: 'is too long to be an entry' });
  });

  it('a folder and a file that is not there are errors', () => {
    const dir = tempProject();
    mkdirSync(join(dir, 'folder'));
    for (const name of ['folder', 'nothing']) {
      expect(() => verifyTape(join(dir, name))).toThrow(expect.objectContaining({ code: 'TAPE_INVALID' }));
    }
  });
});
