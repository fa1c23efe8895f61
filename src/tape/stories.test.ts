import { describe, expect, it } from 'vitest';
import { blockedCall, failedCall } from '../../test/support/tape.ts';
import { compileGlob } from '../base/match/glob.ts';
import type { Entry, TapeRecord } from './entry.ts';
import { type Chapter, chapters, includes, isWanted, readable, type Story, toolOf } from './stories.ts';

function entriesOf(records: readonly TapeRecord[]): Entry[] {
  return records.map((record, i) => ({ seq: i + 1, prev: '', record }));
}

function storiesOf(records: readonly TapeRecord[]): Story[] {
  return [...chapters(entriesOf(records))].flatMap((chapter) =>
    chapter.kind === 'decision' ? [chapter.story] : [],
  );
}

const note: TapeRecord = { type: 'session', kind: 'note', data: null };

describe('the decisions of a tape', () => {
  it('are put together from their entries', () => {
    const [story] = storiesOf(blockedCall(1));
    expect(story).toMatchObject({
      dispatch: { seq: 1 },
      turns: [{ hook: 'command_guard', call: { seq: 3 }, end: { seq: 3 }, veto: { seq: 3 } }],
      outcome: { seq: 3, record: { action: 'block' } },
    });
    expect(toolOf(story!)).toBe('run_command');
    expect([0, 1, 3, 4].map((seq) => includes(story!, seq))).toEqual([false, true, true, false]);
  });

  it('that overlap are kept apart and come in the order they began, with what else happened', () => {
    const [one, two] = [blockedCall(1), failedCall(2)];
    const mixed = [one[0]!, two[0]!, two[1]!, one[1]!, note, two[2]!, one[2]!, note];
    const order = [...chapters(entriesOf(mixed))].map((chapter: Chapter) =>
      chapter.kind === 'session'
        ? chapter.entry.seq
        : [chapter.story.dispatch.seq, chapter.story.outcome!.seq],
    );
    expect(order).toEqual([[1, 7], [2, 6], 5, 8]);
  });

  it('that the tape does not tell to their end are told as far as they go', () => {
    expect(storiesOf(blockedCall(1).slice(0, 2))).toMatchObject([{ outcome: null, turns: [{ end: null }] }]);
  });

  it('know hooks that failed without being called', () => {
    const [story] = storiesOf(failedCall(1, { state: 'condition_failed' }));
    expect(story!.turns).toMatchObject([{ call: null, end: { seq: 3 } }]);
  });

  it('entries of a dispatch that never began are left out', () => {
    expect(storiesOf(blockedCall(1).slice(1))).toEqual([]);
  });
});

describe('a filter', () => {
  const [block, failure] = storiesOf([...blockedCall(1), ...failedCall(2)]) as [Story, Story];

  it.each([
    [{}, true, true],
    [{ event: 'tool.pre' }, true, true],
    [{ event: 'tool.post' }, false, false],
    [{ decision: 'block' }, true, false],
    [{ decision: 'allow' }, false, true],
    [{ hook: compileGlob('command_*') }, true, false],
    [{ hook: compileGlob('command_guard'), decision: 'allow' }, false, false],
    [{ hook: compileGlob('command_guard'), decision: 'block' }, true, false],
    [{ tool: compileGlob('read_*') }, false, true],
    [{ failures: true }, false, true],
    [{ failures: true, hook: compileGlob('command_guard') }, false, false],
  ])('%o', (filter, first, second) => {
    expect([isWanted(block, filter), isWanted(failure, filter)]).toEqual([first, second]);
  });
});

it('a text with a secret taken out reads as what is left of it', () => {
  expect(readable({ $redacted: 'token', digest: 'x' })).toBe('[token]');
  expect(readable({ $redacted: 'token', digest: 'x', text: 'login [token]' })).toBe('login [token]');
  expect([readable(undefined), readable('a'), readable({ a: 1 })]).toEqual(['', 'a', '{"a":1}']);
});
