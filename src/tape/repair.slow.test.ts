import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockedCall, failedCall, linesOf, tapeHeader, writeTape } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { readTape } from './tape-reader.ts';
import { verifyTape } from './verify.ts';
import { TapeWriter } from './writer.ts';

const HEADER = tapeHeader();

describe('a tape that was cut off', () => {
  it('at any byte is whole again after it was opened, and has every entry that was whole', () => {
    const path = join(tempProject(), 'tape.jsonl');
    writeTape(path, [...blockedCall(1, 'echo é \ud83d\ude00'), ...failedCall(2)]);
    const bytes = readFileSync(path);
    const first = bytes.indexOf(10) + 1;
    for (let length = first; length < bytes.length; length++) {
      const before = bytes.subarray(0, length);
      const cut = `${path}.${length}`;
      writeFileSync(cut, before);
      const tape = TapeWriter.open(cut, { header: HEADER });
      const whole = before.lastIndexOf(10) + 1;
      const lines = before.toString('latin1').split('\n').length - 2;
      tape.note('later', null);
      tape.close();
      expect(readFileSync(cut).subarray(0, whole).equals(before.subarray(0, whole))).toBe(true);
      const added = length === whole && lines === 0 ? 2 : 3;
      expect(verifyTape(cut)).toMatchObject({ ok: true, entries: lines + added });
      if (added === 3) {
        const { record } = [...readTape(cut).entries][lines]!;
        expect(record).toEqual({ type: 'session', kind: 'repaired', data: { bytes: length - whole } });
      }
    }
  });

  it('is told to be repairable before, and reading stops before the torn line', () => {
    const path = join(tempProject(), 'tape.jsonl');
    writeTape(path, blockedCall(1));
    appendFileSync(path, '{"prev":"abc');
    expect(verifyTape(path)).toMatchObject({ ok: false, firstBroken: 5, repairable: true });
    expect([...readTape(path).entries].length).toBe(4);
  });

  it('by a loss of power, which leaves NUL bytes, is repaired as well', () => {
    const path = join(tempProject(), 'tape.jsonl');
    writeTape(path, blockedCall(1));
    const before = readFileSync(path);
    appendFileSync(path, Buffer.alloc(8192));
    writeTape(path, []);
    expect(readFileSync(path).subarray(0, before.length)).toEqual(before);
    expect(verifyTape(path).ok).toBe(true);
  });

  it('in a line longer than what is read at once is repaired as well', () => {
    const path = join(tempProject(), 'tape.jsonl');
    writeTape(path, [{ type: 'session', kind: 'x', data: 'y'.repeat(400_000) }]);
    const [header, long] = linesOf(path);
    writeFileSync(path, `${header}\n${long}\n${long!.slice(0, 300_000)}`);
    const tape = TapeWriter.open(path, { header: HEADER });
    expect(tape.entries).toBe(2);
    tape.close();
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: 3 });
  });
});
