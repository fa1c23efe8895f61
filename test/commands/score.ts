/**
 * How the packs that ship do on the corpus, half by half: of what must be stopped how much is, of what must pass how much is
 * blocked or asked about. Judged as the hooks judge it; nothing is run.
 */
import { matchesOf, type RuleMatch, subjectsOf } from '../../src/packs/pack.ts';
import { shippedPacks, shippedShared } from '../../src/packs/shipped.ts';
import { readForPacks } from '../../src/packs/tool-call.ts';
import { type CommandCase, type Half, loadCases } from './load.ts';

export interface Count {
  readonly hits: number;
  readonly all: number;
}

export interface Score {
  readonly dangerousStopped: Count;
  readonly everydayBlocked: Count;
  readonly everydayStopped: Count;
  readonly twinsStopped: Count;
  readonly textStopped: Count;
  readonly aroundStopped: Count;
}

export type Verdict = 'pass' | 'ask' | 'block';

export function judge({ command, shell }: Pick<CommandCase, 'command' | 'shell'>): readonly RuleMatch[] {
  const subjects = subjectsOf(readForPacks(command, shell), command, shippedShared().sets, null);
  return shippedPacks().flatMap(({ index }) => matchesOf(index, subjects));
}

export function verdictOf(matches: readonly RuleMatch[]): Verdict {
  if (matches.length === 0) return 'pass';
  return matches.some(({ rule }) => rule.written.action === 'block') ? 'block' : 'ask';
}

export async function score(half: Half): Promise<Score> {
  const verdicts = [...loadCases(half)].map((one) => ({ ...one, verdict: verdictOf(judge(one.case)) }));
  const count = (
    wanted: (one: (typeof verdicts)[number]) => boolean,
    hit: (verdict: Verdict) => boolean = (verdict) => verdict !== 'pass',
  ): Count => {
    const all = verdicts.filter(wanted);
    return { hits: all.filter(({ verdict }) => hit(verdict)).length, all: all.length };
  };
  return {
    dangerousStopped: count(({ set }) => set === 'dangerous'),
    everydayBlocked: count(
      ({ set }) => set === 'everyday',
      (verdict) => verdict === 'block',
    ),
    everydayStopped: count(({ set }) => set === 'everyday'),
    twinsStopped: count(({ set, case: one }) => set === 'text' && one.expect === 'stop'),
    textStopped: count(({ set, case: one }) => set === 'text' && one.expect === 'pass'),
    aroundStopped: count(({ set }) => set === 'around'),
  };
}
