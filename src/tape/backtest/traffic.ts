/**
 * What recorded traffic shows of a policy: hooks and rules that never had a say, lines that never ran, tool calls that nothing
 * looked at. The policy decides the tapes as in a backtest; nothing else runs.
 */
import { HarnessError, isJsonObject } from '../../base/index.ts';
import { type Hook, isBuiltIn, type Outcome } from '../../engine/index.ts';
import {
  type Policy,
  RuleCounter,
  rulesInForce,
  type ScriptCoverage,
  type Share,
  scriptCoverageOf,
  share,
  VisitCounter,
} from '../../policy/index.ts';
import type { Fired } from '../entry.ts';
import { Backtest } from './backtest-tape.ts';

export interface Traffic extends ScriptCoverage {
  readonly tapes: number;
  /** How many decisions were made on record. */
  readonly decided: number;
  readonly notReplayable: number;
  readonly broken: readonly { readonly tape: string; readonly problem: string }[];
  /** Tool calls among the decisions. */
  readonly calls: number;
  readonly rules: Share;
  readonly byRule: readonly { readonly rule: string; readonly layer: string; readonly fired: number }[];
  /** Tools with calls that no guard and no rule looked at, the most first. */
  readonly unseen: readonly { readonly tool: string; readonly calls: number }[];
}

/** `policy` must be opened with `coverage`, and have decided nothing else: what its scripts ran is counted. */
export async function trafficOf(policy: Policy, tapes: Iterable<string>): Promise<Traffic> {
  const rules = await RuleCounter.for(policy);
  const visits = new VisitCounter();
  const guards = new Set(policy.hooks.filter(isGuard).map(keyOf));
  const unseen = new Map<string, number>();
  let calls = 0;
  const observe = ({ event, payload }: Fired, outcome: Outcome) => {
    visits.add(outcome);
    if (event !== 'tool.pre' || !isJsonObject(payload)) return;
    calls++;
    const { looked } = rules.add(event, payload, policy.dir);
    if (
      looked ||
      outcome.trace.some((each) => each.state === 'ran' && guards.has(keyOf({ ...each, name: each.hook })))
    )
      return;
    const tool = String(payload.name);
    unseen.set(tool, (unseen.get(tool) ?? 0) + 1);
  };
  const backtest = new Backtest(policy.hooks, { observe, sources: policy.settings.sources });
  const sum = { tapes: 0, decided: 0, notReplayable: 0 };
  const broken: { tape: string; problem: string }[] = [];
  for (const tape of tapes) {
    try {
      const result = await backtest.run(tape);
      sum.tapes++;
      sum.decided += result.decisions;
      sum.notReplayable += result.notReplayable.length;
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      broken.push({ tape, problem: error.message });
    }
  }
  const byRule = rulesInForce(policy).map(({ rule, layer, of }) => ({ rule, layer, fired: rules.of(of) }));
  return {
    ...scriptCoverageOf(policy, visits),
    ...sum,
    broken,
    calls,
    rules: share(byRule.map(({ fired }) => fired)),
    byRule,
    unseen: [...unseen].map(([tool, count]) => ({ tool, calls: count })).sort((a, b) => b.calls - a.calls),
  };
}

/** One that may stop or change a call. A script that only watches, and a pack, which says itself what it looked at, are none. */
function isGuard(hook: Hook): boolean {
  if (isBuiltIn(hook) || hook.frontEnd.name === 'packs' || hook.watches === true) return false;
  return hook.covered === undefined || hook.covered.decisions.some(({ action }) => action !== 'allow');
}

function keyOf({ source, name }: Pick<Hook, 'source' | 'name'>): string {
  return `${source}\n${name}`;
}
