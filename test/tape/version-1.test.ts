/**
 * Tapes that 0.1 wrote are read, proven, shown, counted and replayed for good. The files are as that program left them:
 * governed (the stack that `init` writes), features (every kind of record), code (closures, signed, gone on with under
 * another policy) and cut (a killed process).
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/frontends/project.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { readVerifyingKey } from '../../src/tape/sign.ts';
import { TapeStats } from '../../src/tape/stats.ts';
import { chapters } from '../../src/tape/stories.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { TapeWriter } from '../../src/tape/writer.ts';
import { tapeHeader } from '../support/tape.ts';
import { tempProject } from '../support/temp-project.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/v1/', import.meta.url));
const at = (name: string) => join(FIXTURES, name);

describe('a tape of version 1', () => {
  it.each([
    ['governed.jsonl', 86],
    ['features.jsonl', 90],
    ['code.jsonl', 103],
  ])('%s is proven', (name, entries) => {
    expect(verifyTape(at(name))).toMatchObject({ ok: true, entries, state: 'closed' });
  });

  it('is proven by the key it was signed with', () => {
    const key = readVerifyingKey(at('audit.pub'));
    expect(verifyTape(at('code.jsonl'), { key })).toMatchObject({
      ok: true,
      signature: { trusted: true, entries: 103 },
    });
  });

  it('replays with its hooks', async () => {
    const { hooks } = await loadProject(at('features'));
    expect(await replayTape(at('features.jsonl'), { hooks })).toMatchObject({
      decisions: 17,
      differences: [],
      unfinished: 0,
    });
  });

  it.each([
    ['governed.jsonl', 20, 0, 0],
    ['features.jsonl', 17, 3, 0],
    ['code.jsonl', 6, 6, 0],
    ['cut.jsonl', 9, 0, 1],
  ])('%s replays from what its hooks returned', async (name, decisions, hidden, unfinished) => {
    const report = await replayTape(at(name));
    expect(report).toMatchObject({ decisions, differences: [], unfinished });
    expect(report.notReplayable).toHaveLength(hidden);
  });

  it('is told as decisions and counted', () => {
    const { header, entries } = readTape(at('features.jsonl'));
    const read = [...entries];
    const stats = new TapeStats();
    stats.beginTape(header.session);
    for (const entry of read) stats.add(entry);
    const told = [...chapters(read)];
    expect(header.tape).toBe(1);
    expect(Object.fromEntries(stats.actions)).toEqual({ allow: 17, block: 2, modify: 2 });
    expect([stats.failures, stats.failOpens]).toEqual([1, 1]);
    const blocked = told.flatMap((chapter) =>
      chapter.kind === 'decision' && chapter.story.outcome?.record.action === 'block'
        ? [chapter.story.outcome.record.hook]
        : [],
    );
    expect(blocked).toEqual(['guard', 'PreToolUse[0].hooks[0]']);
  });

  it('is not gone on with: a session of its name is told to take another file', () => {
    const copy = join(tempProject(), 'code.jsonl');
    copyFileSync(at('code.jsonl'), copy);
    const before = readFileSync(copy);
    const header = tapeHeader({ session: 'code' });
    expect(() => TapeWriter.open(copy, { header })).toThrow(
      /is a tape of version 1, which is read and never/,
    );
    expect(readFileSync(copy)).toEqual(before);
  });

  it('that was cut off is repaired, and stays of version 1', () => {
    const copy = join(tempProject(), 'cut.jsonl');
    copyFileSync(at('cut.jsonl'), copy);
    expect(verifyTape(copy)).toMatchObject({ ok: false, firstBroken: 48, repairable: true });
    TapeWriter.open(copy, { header: null }).close();
    expect(verifyTape(copy)).toMatchObject({ ok: true, entries: 49 });
    expect(readTape(copy).header.tape).toBe(1);
  });
});
