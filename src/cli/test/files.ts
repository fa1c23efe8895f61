/**
 * The files that `harness test` writes for other programs: JUnit for CI, lcov and an HTML page for coverage.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { replaceFile } from '../../machine/index.ts';
import type { CaseResult, Coverage, HookCoverage, RuleCoverage } from '../../policy/index.ts';
import type { TestRun } from '../../project/index.ts';
import { type Arguments, UsageError } from '../../terminal/index.ts';
import type {} from '../test.ts';
import { coverageHtml, xml } from './coverage-page.ts';
import { isShown } from './print-coverage.ts';

export function writeReports(result: TestRun, args: Arguments): void {
  write(args.value('junit'), () => junit(result));
  const { coverage, traffic } = result;
  if (coverage === null) return;
  write(args.value('lcov'), () => lcov(coverage));
  write(args.value('html'), () => coverageHtml(coverage, traffic));
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
  const skipped = results.filter(({ status }) => status === 'todo' || status === 'skipped').length;
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
  if (status === 'skipped') return `${open}><skipped message="${xml(problem ?? '')}"/></testcase>`;
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

/** A rule of a pack is a function of the file whose `use:` puts it in force: called as often as something showed it to hold. */
function ruleLines(rules: readonly RuleCoverage[]): string[] {
  if (rules.length === 0) return [];
  return [
    ...rules.map(({ rule, line }) => `FN:${line},${rule}`),
    ...rules.map(({ rule, examples, tests }) => `FNDA:${examples + tests},${rule}`),
    `FNF:${rules.length}`,
    `FNH:${rules.filter(isShown).length}`,
  ];
}

function lcov({ hooks, libraries, byRule }: Coverage): string {
  const shared = libraries.map((library) => ({ ...library, decisions: [] }));
  const byFile = new Map<string, Lines[]>(byRule.map((rule) => [fileOf(rule), []]));
  for (const hook of [...hooks, ...shared])
    byFile.set(fileOf(hook), [...(byFile.get(fileOf(hook)) ?? []), hook]);
  return [...byFile]
    .map(([file, parts]) => {
      const rules = byRule.filter((rule) => fileOf(rule) === file);
      const lines = linesOf(parts);
      const branches = parts.flatMap((part, block) =>
        part.decisions.map(({ line, count }, at) => `BRDA:${line},${block},${at},${count}`),
      );
      const hit = lines.filter(([, count]) => count > 0).length;
      return [
        `SF:${relative('.', file)}`,
        ...ruleLines(rules),
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
