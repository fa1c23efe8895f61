import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockedCall, failedCall, linesOf, tapeHeader, writeTape } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { readTape } from './tape-reader.ts';
import { verifyTape } from './verify.ts';
import { TapeWriter } from './writer.ts';

const HEADER = tapeHeader();

/** Two batches: the second has the lines from `second` on. */
function twoBatches(): { readonly path: string; readonly second: number } {
  const path = join(tempProject(), 'tape.jsonl');
  writeTape(path, blockedCall(1));
  const second = linesOf(path).length;
  writeTape(path, [...failedCall(2), ...blockedCall(3)]);
  return { path, second };
}

/** Zero bytes in the place of a part of a line, and of its line end if `bytes` reaches that far. */
function zero(path: string, line: number, from: number, bytes: number): void {
  const content = readFileSync(path);
  let start = 0;
  for (let i = 0; i < line; i++) start = content.indexOf(10, start) + 1;
  content.fill(0, start + from, start + from + bytes);
  writeFileSync(path, content);
}

function goOn(path: string): void {
  const tape = TapeWriter.open(path, { header: HEADER });
  tape.note('later', null);
  tape.close();
}

const kinds = (path: string) =>
  [...readTape(path).entries].map(({ record }) => (record.type === 'session' ? record.kind : record.type));

describe('a tape with a page that a loss of power took', () => {
  it.each([
    ['the middle of a line', 40, 30],
    ['a line end and what is around it', 100, 700],
  ])('in the last batch at %s is cut there when it is opened, and verifies again', (_name, from, bytes) => {
    const { path, second } = twoBatches();
    const before = linesOf(path).slice(0, second + 1);
    zero(path, second + 1, from, bytes);
    expect(verifyTape(path)).toMatchObject({
      ok: false,
      firstBroken: second + 1,
      repairable: true,
      problem: expect.stringContaining('is torn'),
    });
    goOn(path);
    expect(linesOf(path).slice(0, second + 1)).toEqual(before);
    expect(verifyTape(path)).toMatchObject({ ok: true });
    expect(kinds(path).slice(-3)).toEqual(['repaired', 'later', 'closed']);
  });

  it('before the last batch is cut there if the machine was started again since', () => {
    const { path, second } = twoBatches();
    zero(path, second - 2, 40, 30);
    utimesSync(path, 1, 1);
    goOn(path);
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: second - 3 + 3 });
  });

  it('is called damaged and not cut if entries were written long after it', () => {
    const path = join(tempProject(), 'tape.jsonl');
    let now = 1_000_000;
    const tape = TapeWriter.open(path, { header: HEADER, now: () => now });
    for (let i = 0; i < 10; i++) {
      tape.note('hour', { i, text: 'x'.repeat(100) });
      now += 3_600_000;
    }
    tape.close();
    zero(path, 3, 80, 20);
    const before = readFileSync(path);
    expect(verifyTape(path)).toMatchObject({
      ok: false,
      firstBroken: 3,
      repairable: false,
      problem: expect.stringContaining('is damaged'),
    });
    expect(() => goOn(path)).toThrow(/entry 3 is damaged, and entries were written long after it/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('a tape with a change that no crash explains', () => {
  it('in the last batch is not appended to, and is called changed', () => {
    const { path, second } = twoBatches();
    const lines = linesOf(path);
    lines[second + 1] = lines[second + 1]!.replace(/"at":\d+/, '"at":77');
    writeFileSync(path, `${lines.join('\n')}\n`);
    expect(() => goOn(path)).toThrow(/does not continue the chain, and no crash explains that/);
    expect(verifyTape(path)).toMatchObject({
      ok: false,
      repairable: false,
      problem: expect.stringContaining('was changed'),
    });
    appendFileSync(path, '{"torn');
    expect(() => goOn(path)).toThrow(/no crash explains/);
  });
});
