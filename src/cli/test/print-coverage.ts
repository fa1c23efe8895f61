/**
 * Coverage as people and programs read it: hooks by line and decision, rules of packs, and what recorded traffic never reached.
 */
import {
  type Coverage,
  type HookCoverage,
  type LibraryCoverage,
  percent,
  type RuleCoverage,
  type ScriptCoverage,
  type Share,
} from '../../policy/index.ts';
import type { Traffic } from '../../tape/index.ts';
import { alignColumns, countOf, type Output } from '../../terminal/index.ts';

const MOST_NAMED = 30;

export function printCoverage(coverage: Coverage, output: Output): void {
  output.line();
  output.line(output.paint('bold', 'Coverage'));
  const rows = coverage.hooks.map((hook) => [
    { text: hook.hook },
    { text: hook.event },
    { text: shareText(linesShare(hook)) },
    { text: hook.decisions.length === 0 ? '–' : shareText(decisionShare(hook)) },
    { text: missed(hook) },
  ]);
  const head = ['hook', 'event', 'lines', 'decisions', 'not reached'].map((title) => ({ text: title }));
  const shared = coverage.libraries.map((library) => [
    { text: library.source },
    { text: 'library' },
    { text: shareText(linesShare(library)) },
    { text: '–' },
    { text: missedLines(library) },
  ]);
  for (const line of alignColumns([head, ...rows, ...shared], output.paint)) output.line(`  ${line}`);
  const { lines, decisions, reached, rules } = coverage;
  const packs = rules.all === 0 ? '' : `, ${rules.hit} of ${countOf(rules.all, 'rule')} shown to hold`;
  output.line(
    `  ${shareText(lines)} of lines, ${shareText(decisions)} of decisions, ${reached.hit} of ${countOf(reached.all, 'hook')} reached${packs}`,
  );
  const silent = coverage.byRule.filter((rule) => !isShown(rule)).map(({ rule }) => rule);
  if (silent.length > 0)
    output.line(`  rules that no test and no example shows to hold: ${nameList(silent)}`);
}

export function isShown({ examples, tests }: RuleCoverage): boolean {
  return examples + tests > 0;
}

function nameList(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What real work shows: a rule that never fired may be right, or may guard something that goes another way. */
export function printTraffic(traffic: Traffic, output: Output): void {
  const { tapes, decided, calls, notReplayable, hooks, byRule, rules, unseen, broken } = traffic;
  for (const { tape, problem } of broken)
    output.note(`${output.paintNote('red', 'error')}: ${tape} left out: ${problem}`);
  output.line();
  output.line(output.paint('bold', 'Recorded traffic'));
  const hidden = notReplayable === 0 ? '' : `, ${notReplayable} of which cannot be decided again`;
  output.line(
    `  ${countOf(tapes, 'tape')} with ${countOf(decided, 'decision')}${hidden}, ${countOf(calls, 'tool call')}`,
  );
  const idle = hooks.filter(({ matched }) => matched === 0).map(({ hook }) => hook);
  if (idle.length > 0) output.line(`  hooks that never ran: ${nameList(idle)}`);
  const silent = hooks.filter(
    ({ matched, decisions: all }) => matched > 0 && all.some(isOpinion) && !all.some(isReached),
  );
  if (silent.length > 0)
    output.line(`  hooks that ran and never had a word to say: ${nameList(silent.map(({ hook }) => hook))}`);
  if (rules.all > 0) {
    const never = byRule.filter(({ fired }) => fired === 0).map(({ rule }) => rule);
    output.line(
      `  ${rules.hit} of ${countOf(rules.all, 'rule')} fired${never.length === 0 ? '' : `; never: ${nameList(never)}`}`,
    );
  }
  const count = unseen.reduce((sum, each) => sum + each.calls, 0);
  if (count > 0) {
    const tools = unseen.map(({ tool, calls: each }) => `${tool} (${each})`);
    output.line(`  ${countOf(count, 'call')} that no guard and no rule looked at: ${nameList(tools)}`);
  }
}

function isOpinion({ action }: HookCoverage['decisions'][number]): boolean {
  return action !== 'allow';
}

function isReached(site: HookCoverage['decisions'][number]): boolean {
  return isOpinion(site) && site.count > 0;
}

function linesShare({ lines }: LibraryCoverage) {
  const counts = [...lines.values()];
  return { hit: counts.filter((count) => count > 0).length, all: counts.length };
}

function decisionShare({ decisions }: HookCoverage) {
  return { hit: decisions.filter(({ count }) => count > 0).length, all: decisions.length };
}

function shareText(share: { hit: number; all: number }): string {
  return share.all === 0 ? '–' : `${percent(share)} %`;
}

/** Lines that never ran, as ranges. */
function missed(hook: HookCoverage): string {
  return hook.matched === 0 ? 'no test concerns it' : missedLines(hook);
}

function missedLines({ lines, source }: LibraryCoverage): string {
  const never = [...lines].filter(([, count]) => count === 0).map(([line]) => line);
  return never.length === 0 ? '' : `${source}:${ranges(never)}`;
}

function ranges(lines: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    if (last !== undefined && line === last[1] + 1) last[1] = line;
    else parts.push([line, line]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

export function coverageData({ byRule, rules, ...scripts }: Coverage): Record<string, unknown> {
  return {
    ...scriptData(scripts),
    rules: shareData(rules),
    byRule: byRule.map(({ dir: _dir, ...rule }) => rule),
  };
}

export function trafficData({ rules, ...traffic }: Traffic): Record<string, unknown> {
  const { tapes, decided, notReplayable, calls, broken, byRule, unseen } = traffic;
  return {
    tapes,
    decided,
    notReplayable,
    calls,
    broken,
    ...scriptData(traffic),
    rules: shareData(rules),
    byRule,
    unseen,
  };
}

function scriptData({
  hooks,
  libraries,
  lines,
  decisions,
  reached,
}: ScriptCoverage): Record<string, unknown> {
  return {
    lines: shareData(lines),
    decisions: shareData(decisions),
    hooks: shareData(reached),
    byHook: hooks.map(({ dir: _dir, ...hook }) => ({ ...hook, lines: Object.fromEntries(hook.lines) })),
    byLibrary: libraries.map(({ dir: _dir, ...library }) => ({
      ...library,
      lines: Object.fromEntries(library.lines),
    })),
  };
}

function shareData(share: Share): Record<string, number> {
  return { ...share, percent: percent(share) };
}
