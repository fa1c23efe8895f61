/**
 * What an index says of a tape: it may say "perhaps" too often, and never "no" wrongly.
 */
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../base/match/glob.ts';
import type { Header, TapeRecord } from './entry.ts';
import { factsOf, hasText, mayMatch, type Search } from './facts.ts';
import { type Chapter, chapters, isWanted, type Story } from './stories.ts';

const HEADER: Header = {
  tape: 2,
  session: 's',
  engine: 'test',
  host: 'test',
  started: '2026-01-01T00:00:00.000Z',
  policy: { digest: 'd', files: {}, hooks: [], settings: {} },
};

interface Call {
  readonly tool: string;
  readonly command: string;
  readonly action: 'allow' | 'block';
  readonly hook?: string;
}

function told(calls: readonly Call[]): Chapter[] {
  const entries = calls.map(({ tool, command, action, hook }, i) => ({
    seq: i + 1,
    at: 1000 + i,
    prev: '',
    record: {
      type: 'decision',
      in: { dispatch: i, run: 1, event: 'tool.pre', payload: { name: tool, args: { command } } },
      out: {
        action,
        ...(hook !== undefined && {
          hook,
          hooks: [{ hook, ...(action === 'block' && { result: action, reason: `${hook} says no` }) }],
        }),
      },
    } as TapeRecord,
  }));
  return [...chapters(entries)];
}

const stories = (told: readonly Chapter[]): Story[] =>
  told.flatMap((chapter) => (chapter.kind === 'decision' ? [chapter.story] : []));

const ANY: Search = { since: 0, text: '' };

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('the facts of a tape', () => {
  it('never rule out a tape that holds what is looked for', () => {
    const random = numbers(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next().value * list.length)]!;
    const WORDS = ['ls', 'Äpfel İstanbul', 'git push', 'x', '', 'a"b\\c\nd', '日本語のテキスト', 'npm test'];
    for (let round = 0; round < 300; round++) {
      const calls = Array.from({ length: 1 + Math.floor(random.next().value * 6) }, (): Call => {
        const hook = pick(['guard', 'other', undefined]);
        return {
          tool: pick(['run_command', 'read_file']),
          command: `${pick(WORDS)} ${pick(WORDS)}`,
          action: hook === undefined ? 'allow' : pick(['allow', 'block'] as const),
          ...(hook !== undefined && { hook }),
        };
      });
      const all = told(calls);
      const facts = factsOf(HEADER, all);
      const glob = (name: string | undefined) => (name === undefined ? undefined : compileGlob(name));
      const search: Search = {
        since: pick([0, 1002, 2000]),
        text: pick([...WORDS, 'says no', 'nothing']).toLowerCase(),
        hook: glob(pick(['guard', 'o*', 'none', undefined])),
        tool: glob(pick(['run_*', 'delete', undefined])),
        decision: pick(['allow', 'block', undefined]),
        failures: false,
      };
      const holds = stories(all).some(
        (story) =>
          story.dispatch.at! >= search.since && isWanted(story, search) && hasText(story, search.text),
      );
      if (holds) expect(mayMatch(facts, search), JSON.stringify({ calls, search })).toBe(true);
    }
  });

  it('rule out what no decision is', () => {
    const facts = factsOf(HEADER, told([{ tool: 'run_command', command: 'npm test', action: 'allow' }]));
    expect(mayMatch(facts, ANY)).toBe(true);
    expect(mayMatch(facts, { ...ANY, text: 'git push' })).toBe(false);
    expect(mayMatch(facts, { ...ANY, decision: 'block' })).toBe(false);
    expect(mayMatch(facts, { ...ANY, tool: compileGlob('read_*') })).toBe(false);
    expect(mayMatch(facts, { ...ANY, hook: compileGlob('*') })).toBe(false);
    expect(mayMatch(facts, { ...ANY, event: 'turn.start' })).toBe(false);
    expect(mayMatch(facts, { ...ANY, since: 5000 })).toBe(false);
    expect(mayMatch(facts, { ...ANY, failures: true })).toBe(false);
  });

  it('stay small for a tape that names a thousand tools, and then rule nothing out by them', () => {
    const calls = Array.from(
      { length: 1200 },
      (_, i): Call => ({ tool: `tool_${i}`, command: 'x', action: 'allow' }),
    );
    const facts = factsOf(HEADER, told(calls));
    expect(facts.kinds).toBeNull();
    expect(mayMatch(facts, { ...ANY, tool: compileGlob('tool_1199') })).toBe(true);
  });
});
