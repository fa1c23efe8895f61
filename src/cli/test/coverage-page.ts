/**
 * Coverage as a page: every script with its lines, every rule with what showed it to hold, and what recorded traffic never
 * reached. It loads nothing and runs nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Coverage,
  type HookCoverage,
  type LibraryCoverage,
  percent,
  type RuleCoverage,
} from '../../policy/index.ts';
import type { Traffic } from '../../tape/index.ts';
import { isShown } from './print-coverage.ts';

/** Characters that XML 1.0 cannot hold are shown as what they are. */
export function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

export function coverageHtml(coverage: Coverage, traffic: Traffic | null): string {
  const { hooks, libraries, lines, decisions, reached, rules, byRule } = coverage;
  const summary = [
    ['lines', lines],
    ['decisions', decisions],
    ['hooks', reached],
    ['rules of packs', rules],
  ] as const;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Policy coverage</title><style>
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{max-width:70rem;margin:2rem auto;padding:0 1rem}
pre{font:13px/1.5 ui-monospace,monospace;overflow:auto;padding:0}code{display:block;padding:0 .5rem;white-space:pre}
.hit{background:#2da44e22}.miss{background:#cf222e33}td,th{text-align:left;padding:.1rem 1rem .1rem 0}
.n{display:inline-block;width:4ch;text-align:right;margin-right:1ch;opacity:.6}
</style></head><body><h1>Policy coverage</h1>
<table>${summary.map(([name, share]) => `<tr><th>${name}</th><td>${percent(share)} %</td><td>${share.hit} of ${share.all}</td></tr>`).join('')}</table>
${traffic === null ? '' : trafficHtml(traffic)}
${[...hooks.map(hookHtml), ...libraries.map(libraryHtml)].join('\n')}
${rulesHtml(byRule, traffic)}
</body></html>
`;
}

function hookHtml(hook: HookCoverage): string {
  const { matched, unmatched } = hook;
  const head = `<h2>${xml(hook.hook)} <small>${xml(hook.event)}, ${xml(hook.layer)}</small></h2>
<p>Its condition held ${matched} times and did not ${unmatched} times.${matched === 0 ? ' <strong>No test concerns it.</strong>' : ''}</p>`;
  return `${head}${scriptHtml(hook)}`;
}

function libraryHtml(library: LibraryCoverage): string {
  return `<h2>${xml(library.source)} <small>library, ${xml(library.layer)}</small></h2>${scriptHtml(library)}`;
}

function scriptHtml(script: LibraryCoverage): string {
  const { lines } = script;
  if (lines.size === 0) return '';
  const numbers = [...lines.keys()];
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  const rows = sourceLines(script)
    .slice(from - 1, to)
    .map((line, at) => {
      const count = lines.get(from + at);
      const kind = count === undefined ? '' : count > 0 ? 'hit' : 'miss';
      return `<code class="${kind}"><span class="n">${from + at}</span><span class="n">${count ?? ''}</span>${xml(line)}</code>`;
    });
  return `\n<pre>${rows.join('')}</pre>`;
}

function sourceLines({ dir, source }: LibraryCoverage): string[] {
  try {
    return readFileSync(join(dir, source), 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}

function rulesHtml(rules: readonly RuleCoverage[], traffic: Traffic | null): string {
  if (rules.length === 0) return '';
  const fired = new Map(traffic?.byRule.map((each) => [`${each.layer} ${each.rule}`, each.fired]));
  const rows = rules.map((rule) => {
    const live = traffic === null ? '' : `<td>${fired.get(`${rule.layer} ${rule.rule}`) ?? 0}</td>`;
    return `<tr class="${isShown(rule) ? 'hit' : 'miss'}"><td>${xml(rule.rule)}</td><td>${xml(rule.layer)}</td><td>${rule.mode}</td><td>${rule.examples}</td><td>${rule.tests}</td>${live}</tr>`;
  });
  const live = traffic === null ? '' : '<th>recorded calls</th>';
  return `<h2>Rules of packs</h2>
<table><tr><th>rule</th><th>layer</th><th>mode</th><th>examples</th><th>calls of tests</th>${live}</tr>
${rows.join('\n')}</table>`;
}

function trafficHtml({ tapes, decided, calls, hooks, unseen, rules }: Traffic): string {
  const idle = hooks.filter(({ matched }) => matched === 0).map(({ hook }) => xml(hook));
  const tools = unseen.map((each) => `${xml(each.tool)} (${each.calls})`);
  return `<h2>Recorded traffic</h2>
<p>${tapes} tapes with ${decided} decisions and ${calls} tool calls; ${rules.hit} of ${rules.all} rules fired.</p>
${idle.length === 0 ? '' : `<p>Hooks that never ran: ${idle.join(', ')}.</p>`}
${tools.length === 0 ? '' : `<p>Calls that no guard and no rule looked at: ${tools.join(', ')}.</p>`}`;
}
