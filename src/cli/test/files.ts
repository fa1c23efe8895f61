/**
 * The files that `harness test` writes for other programs: JUnit for CI, lcov and an HTML page for coverage.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { replaceFile } from '../../base/own-file.ts';
import {
  type Coverage,
  type HookCoverage,
  type LibraryCoverage,
  percent,
} from '../../policy/testing/coverage.ts';
import type { CaseResult } from '../../policy/testing/run-tests.ts';
import { type Arguments, UsageError } from '../command.ts';
import type { TestRun } from '../test.ts';

export function writeReports(result: TestRun, args: Arguments): void {
  write(args.value('junit'), () => junit(result));
  const { coverage } = result;
  if (coverage === null) return;
  write(args.value('lcov'), () => lcov(coverage));
  write(args.value('html'), () => html(coverage));
}

function write(path: string | undefined, content: () => string): void {
  if (path === undefined) return;
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true });
    replaceFile(path, content(), { mode: 0o644 });
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${(error as Error).message}`);
  }
}

function junit({ results, problems, ms }: TestRun): string {
  const failed = results.filter(({ status }) => status === 'failed' || status === 'fixed').length;
  const skipped = results.filter(({ status }) => status === 'todo').length;
  const cases = results.map(caseXml);
  const errors = problems.map(
    ({ code, message, position }) =>
      `    <testcase classname="policy" name="${xml(`${position?.file ?? 'policy'}: ${code}`)}"><error message="${xml(message)}"/></testcase>`,
  );
  const counts = `tests="${results.length + problems.length}" failures="${failed}" errors="${problems.length}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="harness" ${counts} time="${(ms / 1000).toFixed(3)}">`,
    `  <testsuite name="policy" ${counts}>`,
    ...errors,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseXml({ test, status, problem, steps }: CaseResult): string {
  const open = `    <testcase classname="${xml(test.source)}" name="${xml(test.hook === null ? test.name : `${test.hook}: ${test.name}`)}" file="${xml(test.source)}" line="${test.line}"`;
  if (status === 'passed') return `${open}/>`;
  if (status === 'todo') return `${open}><skipped message="${xml(test.todo ?? '')}"/></testcase>`;
  const said = steps.flatMap(({ step, mismatches }) =>
    mismatches.map(
      ({ what, wanted, got }) =>
        `${test.source}:${step.line}: ${what}: want ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`,
    ),
  );
  const lines = problem === null ? said : [problem, ...said];
  const message = status === 'fixed' ? 'passes although it is marked todo' : (lines[0] ?? 'failed');
  return `${open}><failure message="${xml(message)}">${xml(lines.join('\n'))}</failure></testcase>`;
}

/** Characters that XML 1.0 cannot hold are shown as what they are. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function lcov({ hooks, libraries }: Coverage): string {
  const shared = libraries.map((library) => ({ ...library, decisions: [] }));
  const byFile = new Map<string, Lines[]>();
  for (const hook of [...hooks, ...shared])
    byFile.set(fileOf(hook), [...(byFile.get(fileOf(hook)) ?? []), hook]);
  return [...byFile]
    .map(([file, parts]) => {
      const lines = linesOf(parts);
      const branches = parts.flatMap((part, block) =>
        part.decisions.map(({ line, count }, at) => `BRDA:${line},${block},${at},${count}`),
      );
      const hit = lines.filter(([, count]) => count > 0).length;
      return [
        `SF:${relative('.', file)}`,
        ...branches,
        ...lines.map(([line, count]) => `DA:${line},${count}`),
        `LF:${lines.length}`,
        `LH:${hit}`,
        'end_of_record',
        '',
      ].join('\n');
    })
    .join('');
}

type Lines = Pick<HookCoverage, 'dir' | 'source' | 'lines' | 'decisions'>;

function fileOf({ dir, source }: Pick<HookCoverage, 'dir' | 'source'>): string {
  return join(dir, source);
}

function linesOf(parts: readonly Pick<HookCoverage, 'lines'>[]): [number, number][] {
  return parts.flatMap(({ lines }) => [...lines]).sort(([a], [b]) => a - b);
}

function html({ hooks, libraries, lines, decisions, reached }: Coverage): string {
  const summary = [
    ['lines', lines],
    ['decisions', decisions],
    ['hooks', reached],
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
${[...hooks.map(hookHtml), ...libraries.map(libraryHtml)].join('\n')}
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

function sourceLines(hook: LibraryCoverage): string[] {
  try {
    return readFileSync(fileOf(hook), 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
