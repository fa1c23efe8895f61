/**
 * What a rule stops is described in words: a person who is asked about a dangerous command reads what it will do, not only that it
 * runs something. Counted on the seen half of the corpus.
 */
import { expect, it } from 'vitest';
import { readForPacks } from '../../src/packs/tool-call.ts';
import { effectsIn, sentencesFor } from '../../src/shell/index.ts';
import { loadCases } from './load.ts';
import { judge } from './score.ts';

/** Says nothing of what happens. */
const EMPTY = /^(Possibly )?runs .*; Harness does not know what it does/i;

/** Commands without a sentence today. The number may only fall. */
const MOST_WITHOUT = 120;

it(`describes what a command does in words wherever a rule stops it, but for at most ${MOST_WITHOUT}`, () => {
  const without: string[] = [];
  let stopped = 0;
  for (const { set, case: one } of loadCases('seen')) {
    if (set !== 'dangerous' || judge(one).length === 0) continue;
    stopped++;
    const sentences = sentencesFor(effectsIn(readForPacks(one.command, one.shell)));
    if (sentences.every((sentence) => EMPTY.test(sentence))) without.push(one.command);
  }
  expect(stopped).toBeGreaterThan(3900);
  expect(without.length, without.slice(MOST_WITHOUT).join('\n')).toBeLessThanOrEqual(MOST_WITHOUT);
});
