/**
 * What the cases have shown of a policy: lines of scripts that ran, decisions that were reached, hooks that no case
 * concerned. A rule that no test reaches is a rule nobody knows to hold.
 */
import type { SourceFile } from '../../base/index.ts';
import { type Hook, isBuiltIn, layerOf, type Outcome } from '../../engine/index.ts';
import type { LoadedLayer } from '../loaded-layer.ts';
import type { Policy } from '../policy.ts';
import { type RuleCoverage, ruleCoverageOf } from './rule-coverage.ts';
import type { CaseResult } from './run-tests.ts';

export interface HookCoverage {
  readonly hook: string;
  readonly layer: string;
  readonly event: string;
  readonly source: string;
  /** Folder the source is relative to. */
  readonly dir: string;
  /** How often its condition held, and how often not. */
  readonly matched: number;
  readonly unmatched: number;
  /** By line of the file; empty for a hook without a script of ours. */
  readonly lines: ReadonlyMap<number, number>;
  readonly decisions: readonly { readonly action: string; readonly line: number; readonly count: number }[];
}

/** A file that scripts load. */
export type LibraryCoverage = Pick<HookCoverage, 'layer' | 'source' | 'dir' | 'lines'>;

export interface Coverage {
  readonly libraries: readonly LibraryCoverage[];
  readonly hooks: readonly HookCoverage[];
  readonly lines: Share;
  readonly decisions: Share;
  /** Hooks that some case concerned. */
  readonly reached: Share;
  /** Rules of packs that a test or an example of their own showed to hold. */
  readonly rules: Share;
  readonly byRule: readonly RuleCoverage[];
}

/** What was counted of a policy, whatever it decided. */
export type ScriptCoverage = Omit<Coverage, 'rules' | 'byRule'>;

export interface Share {
  readonly hit: number;
  readonly all: number;
}

export async function coverageOf(policy: Policy, results: readonly CaseResult[]): Promise<Coverage> {
  const visits = new VisitCounter();
  for (const { outcome } of results.flatMap(({ steps }) => steps)) visits.add(outcome);
  const byRule = await ruleCoverageOf(policy, results);
  const rules = share(byRule.map(({ examples, tests }) => examples + tests));
  return { ...scriptCoverageOf(policy, visits), rules, byRule };
}

/** Rules of packs are no scripts: their hooks are left out, unless one stands in for a pack that is not there. */
export function scriptCoverageOf(policy: Policy, visits: VisitCounter): ScriptCoverage {
  const hooks = policy.hooks
    .filter((hook) => !isBuiltIn(hook) && (hook.frontEnd.name !== 'packs' || hook.standIn === true))
    .map((hook) => hookCoverage(policy, hook, visits));
  const libraries = policy.layers.flatMap(librariesOf);
  const counts = [...hooks, ...libraries].flatMap(({ lines }) => [...lines.values()]);
  const decisions = hooks.flatMap((hook) => hook.decisions.map(({ count }) => count));
  return {
    hooks,
    libraries,
    lines: share(counts),
    decisions: share(decisions),
    reached: share(hooks.map(({ matched }) => matched)),
  };
}

function librariesOf({ name, dir, project: { library } }: LoadedLayer): LibraryCoverage[] {
  return [...(library?.covered() ?? [])].map(([file, { lines }]) => {
    const source = (library!.files.get(file) as SourceFile).name;
    return { layer: name, source, dir, lines: lines() };
  });
}

/** A whole nothing is covered. */
export function percent({ hit, all }: Share): number {
  return all === 0 ? 100 : Math.floor((hit / all) * 1000) / 10;
}

export function share(counts: readonly number[]): Share {
  return { hit: counts.filter((count) => count > 0).length, all: counts.length };
}

function hookCoverage(policy: Policy, hook: Hook, visits: VisitCounter): HookCoverage {
  const { name, event, source, covered } = hook;
  const layer = layerOf(hook).name;
  const lines = covered?.lines() ?? new Map<number, number>();
  const { matched, unmatched } = visits.of(layer, source, name);
  const decisions = (covered?.decisions ?? []).map((site) => ({ ...site, count: lines.get(site.line) ?? 0 }));
  const dir = policy.layers.find((each) => each.name === layer)?.dir ?? policy.dir;
  return { hook: name, layer, event, source, dir, matched, unmatched, lines, decisions };
}

interface Visits {
  matched: number;
  unmatched: number;
}

/** How often each hook was asked, from traces. */
export class VisitCounter {
  private readonly visits = new Map<string, Visits>();

  add({ trace }: Outcome): void {
    for (const { layer, source, hook, state } of trace) {
      if (state !== 'ran' && state !== 'unmatched') continue;
      const key = keyOf(layer, source, hook);
      const counts = this.visits.get(key) ?? { matched: 0, unmatched: 0 };
      this.visits.set(key, counts);
      if (state === 'ran') counts.matched++;
      else counts.unmatched++;
    }
  }

  of(layer: string, source: string, hook: string): Readonly<Visits> {
    return this.visits.get(keyOf(layer, source, hook)) ?? { matched: 0, unmatched: 0 };
  }
}

function keyOf(layer: string, source: string, name: string): string {
  return [layer, source, name].join('\n');
}
