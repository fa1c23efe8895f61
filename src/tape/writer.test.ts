import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockedCall, linesOf, tapeHeader, writeTape } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { canonicalJson } from '../base/canonical-json.ts';
import { closingLine, hashLine } from './chain.ts';
import type { Entry, TapeRecord } from './entry.ts';
import { readTape } from './tape-reader.ts';
import { verifyTape } from './verify.ts';
import { TapeWriter } from './writer.ts';

const HEADER = tapeHeader();

function newTape(): string {
  return join(tempProject(), 'runs', 'tape.jsonl');
}

function entriesOf(path: string): Entry[] {
  return [...readTape(path).entries];
}

describe('a tape', () => {
  it('[C118] begins with its header and goes on with numbered entries, each with the hash of the line before', () => {
    const path = newTape();
    writeTape(path, blockedCall(1));
    const [header, ...lines] = linesOf(path);
    expect(JSON.parse(header!)).toEqual(HEADER);
    const entries = lines.map((line) => JSON.parse(line) as Entry);
    expect(entries.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
    expect(entries.map((entry) => entry.prev)).toEqual([header!, ...lines].slice(0, -1).map(hashLine));
    expect(entries.at(-1)!.record).toEqual({ type: 'session', kind: 'closed', data: { entries: 4 } });
    expect(lines.at(-1)).toBe(closingLine(4, hashLine(lines.at(-2)!)));
  });

  it('is canonical JSON on every line', () => {
    const path = newTape();
    writeTape(path, [...blockedCall(1, 'echo "é\u2028 \ud83d\ude00" \\ \n'), ...blockedCall(2)]);
    for (const line of linesOf(path)) expect(line).toBe(canonicalJson(JSON.parse(line)));
  });

  it('gives back what was written, the order of keys inside records included', () => {
    const path = newTape();
    const data = { z: 1, a: { 9: 1, 10: 2, y: [{ c: 1, b: 2 }], x: 'é' }, m: null };
    writeTape(path, [{ type: 'session', kind: 'note', data }]);
    const [first] = entriesOf(path);
    expect(JSON.stringify((first!.record as { data: unknown }).data)).toBe(JSON.stringify(data));
  });

  it('holds how long things took outside the record', () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER });
    tape.append({ type: 'annotate', facts: {} }, 1.23456);
    tape.append({ type: 'session', kind: 'x', data: null }, Number.NaN);
    tape.close();
    expect(entriesOf(path).map((entry) => entry.ms)).toEqual([1.235, undefined, undefined]);
  });

  it('is readable by its owner alone', () => {
    const path = newTape();
    writeTape(path, []);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing beside itself once it is closed', () => {
    const path = newTape();
    writeTape(path, blockedCall(1));
    expect(readdirSync(join(path, '..'))).toEqual(['tape.jsonl']);
  });

  it('records whatever a hook managed to return', () => {
    const path = newTape();
    const cycle: Record<string, unknown> = { fine: 1, nan: Number.NaN, big: 12n, run: () => 1 };
    cycle.self = cycle;
    const thrower = {
      get broken(): string {
        throw new Error('no');
      },
    };
    const data = [cycle, thrower, undefined] as unknown as null;
    writeTape(path, [{ type: 'session', kind: 'x', data }]);
    expect((entriesOf(path)[0]!.record as { data: unknown }).data).toEqual([
      {
        fine: 1,
        nan: { $unrecordable: 'NaN' },
        big: { $unrecordable: '12' },
        run: { $unrecordable: 'function' },
        self: { $unrecordable: 'cycle' },
      },
      { $unrecordable: 'raised' },
      null,
    ]);
    expect(verifyTape(path).ok).toBe(true);
  });
});

describe('what "acknowledged" means', () => {
  const note: TapeRecord = { type: 'session', kind: 'note', data: null };

  it.each(['written', 'synced'] as const)('%s: the file has the entry when append returns', (acknowledge) => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER, acknowledge });
    expect(tape.append(note)).toBe(1);
    expect(linesOf(path).length).toBe(2);
    tape.close();
  });

  it('written is what holds by default', () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER });
    tape.append(note);
    expect(linesOf(path).length).toBe(2);
    tape.close();
  });

  it('entries that are added wait for their commit, and go out in one piece', () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER });
    expect([tape.add(note), tape.add(note)]).toEqual([1, 2]);
    expect(linesOf(path).length).toBe(1);
    tape.commit();
    expect(linesOf(path).length).toBe(3);
    tape.close();
  });

  it('buffered: the file has it a moment later, or when much has gathered, or when the tape is closed', async () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER, acknowledge: 'buffered' });
    tape.append(note);
    expect(linesOf(path).length).toBe(1);
    await expect.poll(() => linesOf(path).length).toBe(2);
    tape.append({ ...note, data: 'x'.repeat(70_000) });
    expect(linesOf(path).length).toBe(3);
    tape.append(note);
    tape.close();
    expect(linesOf(path).length).toBe(5);
    expect(verifyTape(path).ok).toBe(true);
  });
});

describe('one writer a file', () => {
  it('a link in the place of the file is refused: it would be written somewhere else', () => {
    const path = newTape();
    TapeWriter.open(path, { header: HEADER }).close();
    const alias = join(tempProject(), 'alias.jsonl');
    symlinkSync(path, alias);
    expect(() => TapeWriter.open(alias, { header: HEADER })).toThrow('is a link');
  });

  it('a second one is refused, also under another name of its folder', () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER });
    const folder = join(tempProject(), 'alias');
    symlinkSync(dirname(path), folder);
    const alias = join(folder, basename(path));
    for (const name of [path, alias]) {
      expect(() => TapeWriter.open(name, { header: HEADER })).toThrow(
        expect.objectContaining({ code: 'TAPE_LOCKED', message: expect.stringContaining(`${process.pid}`) }),
      );
    }
    tape.append({ type: 'session', kind: 'x', data: 1 });
    tape.close();
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: 2 });
  });

  it('the file is free again after close, abandon and an open that failed', () => {
    const path = newTape();
    TapeWriter.open(path, { header: HEADER }).close();
    TapeWriter.open(path, { header: HEADER }).abandon();
    expect(() => TapeWriter.open(path, { header: tapeHeader({ session: 'other' }) })).toThrow('session-1');
    expect(existsSync(`${path}.lock`)).toBe(false);
    TapeWriter.open(path, { header: HEADER }).close();
    expect(verifyTape(path).ok).toBe(true);
  });
});

describe('going on with a tape', () => {
  it('continues the chain of one that was closed', () => {
    const path = newTape();
    writeTape(path, blockedCall(1));
    writeTape(path, blockedCall(2));
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: 8 });
    expect(entriesOf(path).filter(({ record }) => record.type === 'session').length).toBe(2);
  });

  it('says so where the last writer did not let go in good order', () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER });
    tape.append({ type: 'session', kind: 'x', data: 1 });
    tape.abandon();
    writeTape(path, []);
    expect(entriesOf(path)[1]!.record).toEqual({ type: 'session', kind: 'repaired', data: { bytes: 0 } });
  });

  it('says so where the policy is another one from here on', () => {
    const path = newTape();
    writeTape(path, []);
    const policy = { digest: 'e'.repeat(64), files: {}, hooks: [], settings: { x: 1 } };
    writeTape(path, [], { header: tapeHeader({ policy }) });
    const { policy: before } = HEADER;
    expect(entriesOf(path)[1]!.record).toEqual({
      type: 'policy.changed',
      from: before.digest,
      to: policy.digest,
      accepted: true,
      policy,
    });
  });

  it('an empty file becomes a tape', () => {
    const path = join(tempProject({ 'tape.jsonl': '' }), 'tape.jsonl');
    writeTape(path, blockedCall(1));
    expect(verifyTape(path).ok).toBe(true);
  });

  it.each([
    ['text', 'hello\n'],
    ['another kind of JSON lines', '{"type":"session","version":1}\n{"seq":1}\n'],
    ['a header of another version', `${JSON.stringify({ ...HEADER, tape: 3 })}\n`],
    ['garbage', Buffer.from([0, 255, 10, 3, 10])],
    ['a header that was never finished', JSON.stringify(HEADER)],
  ])('%s is refused and stays as it is', (_name, content) => {
    const path = join(tempProject({ 'tape.jsonl': content }), 'tape.jsonl');
    const before = readFileSync(path);
    expect(() => TapeWriter.open(path, { header: HEADER })).toThrow(
      expect.objectContaining({ code: 'TAPE_INVALID' }),
    );
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(join(path, '..'))).toEqual(['tape.jsonl']);
  });

  it('a tape whose last whole line is damaged is refused and stays as it is', () => {
    const path = newTape();
    writeTape(path, blockedCall(1));
    const damaged = `${readFileSync(path, 'utf8').slice(0, -3)}\n`;
    writeFileSync(path, damaged);
    expect(() => TapeWriter.open(path, { header: HEADER })).toThrow('no crash explains');
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });
});

describe('what cannot be written', () => {
  it('a folder, and a place below a file, are errors of the tape', () => {
    const dir = tempProject({ plain: '' });
    mkdirSync(join(dir, 'folder.jsonl'));
    for (const name of ['folder.jsonl', 'plain/tape.jsonl']) {
      expect(() => TapeWriter.open(join(dir, name), { header: HEADER })).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^TAPE_/) }),
      );
    }
  });

  it('an entry after close is an error', () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER });
    tape.close();
    tape.close();
    expect(() => tape.note('x', null)).toThrow(expect.objectContaining({ code: 'TAPE_CLOSED' }));
  });

  it('an entry too long for a line is an error, and the tape goes on without it', () => {
    const path = newTape();
    const tape = TapeWriter.open(path, { header: HEADER });
    expect(() => tape.note('x', 'é'.repeat(33 * 1024 * 1024))).toThrow('longer than');
    tape.note('x', 'short');
    tape.close();
    expect(verifyTape(path)).toMatchObject({ ok: true, entries: 2 });
  });
});
