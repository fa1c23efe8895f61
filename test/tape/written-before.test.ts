/**
 * Tapes that earlier programs wrote are verified, shown, counted and replayed. The files stay as those programs left them: features
 * (every kind of entry, closures of a sub-agent, secrets taken out, appended to by later processes), delegation (a session of
 * `harness run` with a sub-agent) and cut (a process killed while a hook was waited for). The first two are signed.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/frontends/project.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { Backtest } from '../../src/tape/backtest/backtest-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { readVerifyingKey } from '../../src/tape/sign.ts';
import { TapeStats } from '../../src/tape/stats.ts';
import { chapters } from '../../src/tape/stories.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { TapeWriter } from '../../src/tape/writer.ts';
import { entriesOf } from '../support/taped.ts';
import { tempProject } from '../support/temp-project.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/v2/', import.meta.url));
const at = (name: string) => join(FIXTURES, name);

/** The policy of a folder as its tape has it. */
const hooksOf = (name: string) =>
  name === 'features'
    ? loadProject(at(name))
    : openPolicy(at(name), { places: { managed: null, user: null } });

describe('a tape that an earlier program wrote', () => {
  it('is verified with the key that signed it', () => {
    const key = readVerifyingKey(at('audit.pub'));
    expect(verifyTape(at('delegation.jsonl'), { key })).toMatchObject({
      ok: true,
      entries: 64,
      state: 'closed',
      signature: { trusted: true, entries: 64 },
    });
  });

  it('is verified by its chain, and its signature names the entries that a killed process left unsigned', () => {
    const key = readVerifyingKey(at('audit.pub'));
    expect(verifyTape(at('features.jsonl'))).toMatchObject({ ok: true, entries: 69, state: 'closed' });
    expect(verifyTape(at('features.jsonl'), { key })).toMatchObject({
      ok: false,
      firstBroken: null,
      problem: expect.stringContaining('without entries 59 to 62'),
    });
  });

  it('has every kind of entry, so that reading it shows that all of them are still read', () => {
    const records = ['features.jsonl', 'delegation.jsonl'].flatMap((name) =>
      entriesOf(at(name)).map(({ record }) => record),
    );
    const kinds = records.map((record) => (record.type === 'session' ? record.kind : record.type));
    expect([...new Set(kinds)].sort()).toEqual([
      'annotate',
      'call',
      'closed',
      'decision',
      'dispatch',
      'end',
      'hook',
      'hook_call',
      'message',
      'policy.changed',
      'repaired',
      'run',
    ]);
  });

  it.each([
    ['features', 21, 0, 1],
    ['delegation', 41, 0, 0],
  ])('%s replays with its hooks', async (name, decisions, differences, hidden) => {
    const { hooks } = await hooksOf(name);
    const report = await replayTape(at(`${name}.jsonl`), { hooks });
    expect(report.differences).toHaveLength(differences);
    expect(report).toMatchObject({ decisions, unfinished: 0 });
    expect(report.notReplayable).toHaveLength(hidden);
  });

  it.each([
    ['features.jsonl', 21, 1, 0],
    ['delegation.jsonl', 41, 0, 0],
    ['cut.jsonl', 3, 0, 1],
  ])('%s replays from what its hooks returned', async (name, decisions, hidden, unfinished) => {
    const report = await replayTape(at(name));
    expect(report).toMatchObject({ decisions, differences: [], unfinished });
    expect(report.notReplayable).toHaveLength(hidden);
  });

  it.each(['features', 'delegation'])('%s shows no change in a backtest of its own policy', async (name) => {
    const { hooks } = await hooksOf(name);
    const { changed, check } = await new Backtest(hooks, { check: [] }).run(at(`${name}.jsonl`));
    expect({ changed, check }).toEqual({ changed: [], check: null });
  });

  it('is told as decisions and counted', () => {
    const { header, entries } = readTape(at('features.jsonl'));
    const read = [...entries];
    const stats = new TapeStats();
    stats.beginTape(header.session);
    for (const entry of read) stats.add(entry);
    expect(Object.fromEntries(stats.actions)).toEqual({
      allow: 10,
      ask: 3,
      block: 2,
      delegate: 1,
      modify: 5,
      permit: 1,
    });
    expect([stats.failures, stats.failOpens, stats.undecided]).toEqual([9, 9, 0]);
    const blocked = [...chapters(read)].flatMap((chapter) =>
      chapter.kind === 'decision' && chapter.story.outcome?.record.action === 'block'
        ? [chapter.story.outcome.record.hook]
        : [],
    );
    expect(blocked).toEqual(['guard', 'PreToolUse[0].hooks[0]']);
  });

  it('that was cut off is repaired', () => {
    const copy = join(tempProject(), 'cut.jsonl');
    copyFileSync(at('cut.jsonl'), copy);
    expect(verifyTape(copy)).toMatchObject({ ok: false, repairable: true });
    TapeWriter.open(copy, { header: null }).close();
    expect(verifyTape(copy)).toMatchObject({ ok: true });
  });
});
