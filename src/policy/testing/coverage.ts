/**
 * What the cases have shown of a policy: lines of scripts that ran, decisions that were reached, hooks that no case
 * concerned. A rule that no test reaches is a rule nobody knows to hold.
 */
import type { SourceFile } from '../../base/source.ts';
import type { Hook } from '../../hooks/hook.ts';
import { isBuiltIn, layerOf } from '../../hooks/layer.ts';
import type { LoadedLayer } from '../loaded-layer.ts';
import type { Policy } from '../open-policy.ts';
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
}

export interface Share {
  readonly hit: number;
  readonly all: number;
}

export function coverageOf(policy: Policy, results: readonly CaseResult[]): Coverage {
  const visits = countVisits(results);
  const hooks = policy.hooks
    .filter((hook) => !isBuiltIn(hook))
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

function share(counts: readonly number[]): Share {
  return { hit: counts.filter((count) => count > 0).length, all: counts.length };
}

function hookCoverage(policy: Policy, hook: Hook, visits: Visits): HookCoverage {
  const { name, event, source, covered } = hook;
  const layer = layerOf(hook).name;
  const lines = covered?.lines() ?? new Map<number, number>();
  const { matched = 0, unmatched = 0 } = visits.get(keyOf(layer, source, name)) ?? {};
  const decisions = (covered?.decisions ?? []).map((site) => ({ ...site, count: lines.get(site.line) ?? 0 }));
  const dir = policy.layers.find((each) => each.name === layer)?.dir ?? policy.dir;
  return { hook: name, layer, event, source, dir, matched, unmatched, lines, decisions };
}

type Visits = ReadonlyMap<string, { readonly matched: number; readonly unmatched: number }>;

function countVisits(results: readonly CaseResult[]): Visits {
  const visits = new Map<string, { matched: number; unmatched: number }>();
  for (const { outcome } of results.flatMap(({ steps }) => steps)) {
    for (const { layer, source, hook, state } of outcome.trace) {
      const key = keyOf(layer, source, hook);
      const counts = visits.get(key) ?? { matched: 0, unmatched: 0 };
      visits.set(key, counts);
      if (state === 'ran') counts.matched++;
      else if (state === 'unmatched') counts.unmatched++;
    }
  }
  return visits;
}

function keyOf(layer: string, source: string, name: string): string {
  return [layer, source, name].join('\n');
}
