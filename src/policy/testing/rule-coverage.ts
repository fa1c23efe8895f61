/**
 * Which rules of packs have been seen to hold: by their own examples, by the tests of the policy, by calls that were recorded. A
 * rule that nothing ever showed to hold may as well not be there.
 */
import type { Json } from '../../base/index.ts';
import {
  exampleSubjects,
  matchesOf,
  type Rule,
  readForPacks,
  shippedShared,
  type UseMode,
  viewToolCall,
} from '../../packs/index.ts';
import type { Policy } from '../policy.ts';
import type { CaseResult } from './run-tests.ts';

/** A rule that is in force, and how often it held. */
export interface RuleCoverage {
  /** `core/disk-write` */
  readonly rule: string;
  readonly layer: string;
  readonly mode: UseMode;
  /** The file whose `use:` puts it in force. */
  readonly source: string;
  readonly line: number;
  readonly dir: string;
  /** Its own examples that it stops. */
  readonly examples: number;
  /** Calls of tests for which it held. */
  readonly tests: number;
}

/** Counts for which calls each rule of a policy holds. Made ready once, because patterns are loaded when first used. */
export class RuleCounter {
  private readonly policy: Policy;
  private readonly counts = new Map<Rule, number>();

  private constructor(policy: Policy) {
    this.policy = policy;
  }

  static async for(policy: Policy): Promise<RuleCounter> {
    return new RuleCounter(policy);
  }

  /** Whether a rule held, and whether any pack had something to look at: a command or a path. */
  add(
    event: string,
    payload: Json,
    cwd: string | null,
  ): { readonly held: boolean; readonly looked: boolean } {
    const { packs } = this.policy.packs;
    const call = packs.length === 0 ? null : viewToolCall(event, payload, cwd, shippedShared());
    if (call === null) return { held: false, looked: false };
    const rules = new Set(
      packs.flatMap(({ pack }) => matchesOf(pack.index, call.subjects).map(({ rule }) => rule)),
    );
    for (const rule of rules) this.counts.set(rule, this.of(rule) + 1);
    return { held: rules.size > 0, looked: call.subjects.length > 0 };
  }

  of(rule: Rule): number {
    return this.counts.get(rule) ?? 0;
  }
}

/** Every rule in force, with the layer that puts it there. */
export function rulesInForce(
  policy: Policy,
): readonly (Omit<RuleCoverage, 'examples' | 'tests'> & { readonly of: Rule })[] {
  return policy.packs.packs.flatMap(({ layer, pack, modes }) => {
    const hook = policy.hooks.find(
      (each) => each.layer?.name === layer && each.name.startsWith(`pack:${pack.name}`),
    );
    const dir = policy.layers.find(({ name }) => name === layer)?.dir ?? policy.dir;
    const place = { layer, dir, source: hook?.source ?? 'harness.md', line: hook?.line ?? 1 };
    return [...modes]
      .filter(([, mode]) => mode !== 'off')
      .map(([rule, mode]) => ({ rule: rule.name, mode, ...place, of: rule }));
  });
}

export async function ruleCoverageOf(
  policy: Policy,
  results: readonly CaseResult[],
): Promise<RuleCoverage[]> {
  const counter = await RuleCounter.for(policy);
  for (const { step } of results.flatMap(({ steps }) => steps))
    counter.add(step.event, step.payload, policy.dir);
  return rulesInForce(policy).map(({ of, ...rule }) => ({
    ...rule,
    examples: of.written.examples.stops.filter((text) => ruleMatches(of, text, policy)).length,
    tests: counter.of(of),
  }));
}

function ruleMatches(rule: Rule, text: string, { packs: { packs } }: Policy): boolean {
  const pack = packs.find(({ modes }) => modes.has(rule))?.pack;
  if (pack === undefined) return false;
  const subjects = exampleSubjects(text, readForPacks(text), shippedShared().sets);
  return matchesOf(pack.index, subjects).some((match) => match.rule === rule);
}
