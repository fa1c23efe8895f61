/**
 * The policy as the page shows it: the chain of each event with what its hooks did in the recorded runs, the packs with their rules,
 * the problems that `validate` finds, and every guard that was off, in one place.
 */

import { type Hook, isBuiltIn, layerOf, requireEvent } from '../engine/index.ts';
import { mayBeOff, type Policy } from '../policy/index.ts';
import { knownPacks, modeOf, runTests, validateFolder } from '../project/index.ts';
import { inOrderOfLife } from '../terminal/index.ts';
import { type Overview, rulesOf, trafficOf } from './overview.ts';
import type {
  Guards,
  HookView,
  PackView,
  PolicyView,
  ProblemView,
  TestsView,
  Traffic,
} from './server/api.ts';

const MOST_PROBLEMS = 200;

export function policyView(
  policy: Policy,
  overviews: readonly Overview[],
  asking: PolicyView['asking'],
  { warnings }: Guards,
): Omit<PolicyView, 'done'> {
  const traffic = trafficOf(overviews);
  return {
    dir: policy.dir,
    digest: policy.empty ? null : policy.digest.digest,
    strict: policy.settings.strict,
    layers: policy.layers.map(({ name, dir: folder }) => ({ name, dir: folder })),
    chains: inOrderOfLife(policy.registry.events()).map((event) => ({
      event,
      authority: requireEvent(event).authority,
      hooks: policy.registry.list(event).map((hook) => hookView(hook, traffic.get(`${event}\n${hook.name}`))),
    })),
    packs: packsView(policy, overviews),
    unnamed: overviews.reduce((sum, { unnamed }) => sum + unnamed, 0),
    asking: asking.slice(0, MOST_PROBLEMS),
    off: warnings,
    failOpen: overviews
      .map(({ row: { id, failOpens, last } }) => ({ run: id, count: failOpens ?? 0, last }))
      .filter(({ count }) => count > 0),
    broken: overviews.flatMap(({ row: { id, problem } }) => (problem === null ? [] : [{ run: id, problem }])),
  };
}

/** What `harness validate` finds: it takes a while, and the rest does not wait for it. */
export async function problemsView(dir: string): Promise<{ readonly problems: readonly ProblemView[] }> {
  const { problems } = await validateFolder(dir);
  return {
    problems: problems.slice(0, MOST_PROBLEMS).map(({ severity, code, message, position }) => ({
      severity,
      code,
      message,
      place: position === null ? null : `${position.file}:${position.line}:${position.col}`,
    })),
  };
}

/** What the tests of the policy show of it: `harness test --coverage`. */
export async function testsView(dir: string): Promise<TestsView> {
  const { results, coverage } = await runTests(dir, {
    has: (option) => option === 'coverage',
    value: () => undefined,
  });
  const count = (status: string) => results.filter((result) => result.status === status).length;
  return {
    passed: count('passed') + count('fixed'),
    failed: results.filter(({ status }) => status === 'failed').map(({ test }) => test.name),
    lines: coverage!.lines,
    decisions: coverage!.decisions,
    untested: coverage!.hooks.flatMap(({ hook, source, decisions, matched }) => [
      ...(matched === 0 ? [{ hook, place: source, what: 'no test concerns it' }] : []),
      ...decisions
        .filter(({ count: times, action }) => times === 0 && action !== 'allow')
        .map(({ action, line }) => ({
          hook,
          place: `${source}:${line}`,
          what: `no test reaches this ${action}`,
        })),
    ]),
  };
}

function hookView(hook: Hook, seen: Traffic | undefined): HookView {
  return {
    name: hook.name,
    layer: layerOf(hook).name,
    source: hook.source,
    line: hook.line ?? null,
    priority: isBuiltIn(hook) ? null : hook.priority,
    when: hook.condition?.text.trim().replace(/\s+/g, ' ') ?? null,
    description: hook.description ?? null,
    mode: hook.mode,
    frontEnd: hook.frontEnd.name,
    loaded: hook.standIn !== true,
    mayBeOff: isBuiltIn(hook) ? null : mayBeOff(hook),
    traffic:
      seen === undefined
        ? null
        : {
            calls: seen.calls,
            block: seen.block,
            ask: seen.ask,
            modify: seen.modify,
            failures: seen.failures,
            failOpens: seen.failOpens,
            last: seen.last,
          },
  };
}

function packsView(policy: Policy, overviews: readonly Overview[]): PackView[] {
  const used = new Set(policy.packs.packs.map(({ pack }) => pack));
  const seen = rulesOf(overviews);
  return knownPacks(policy)
    .filter((pack) => used.has(pack))
    .map((pack) => ({
      name: pack.name,
      version: pack.version,
      description: pack.description,
      rules: pack.rules.map((rule) => ({
        name: rule.name,
        mode: modeOf(rule, policy),
        reason: rule.written.reason,
        ...(seen.get(rule.name) ?? { hits: 0, last: null }),
      })),
    }));
}
