/**
 * The results of tests as people and programs read them: failures with what was wanted and what came out, then one line
 * of counts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, Position } from '../../base/index.ts';
import { describeOutcome, type Failure } from '../../engine/index.ts';
import type { CaseResult, Mismatch, Policy } from '../../policy/index.ts';
import type { TestRun } from '../../project/index.ts';
import { countOf, type Output, quote, renderProblem } from '../../terminal/index.ts';
import type {} from '../test.ts';
import { coverageData, trafficData } from './print-coverage.ts';

export function printResults(
  { policy, results, problems, written, filter, ms }: TestRun,
  output: Output,
): void {
  for (const problem of problems) output.line(`${renderProblem(problem, output.paint)}\n`);
  let file = '';
  for (const result of results) {
    const { test, status } = result;
    if (test.source !== file) {
      file = test.source;
      output.line(output.paint('bold', file));
    }
    output.line(`  ${markOf(result, output)} ${titleOf(result)}`);
    if (status === 'failed' || status === 'fixed') printFailure(result, policy, output);
  }
  if (results.length > 0) output.line();
  for (const path of written) output.line(`wrote ${path}`);
  output.line(summary(results, filter, output, ms));
}

const MARKS = {
  passed: ['green', '✓'],
  failed: ['red', '✗'],
  todo: ['yellow', '…'],
  skipped: ['yellow', '-'],
  fixed: ['red', '✗'],
} as const;

function markOf({ status }: CaseResult, output: Output): string {
  const [style, mark] = MARKS[status];
  return output.paint(style, mark);
}

function titleOf({ test, status, problem }: CaseResult): string {
  const by = test.hook === null ? '' : `${test.hook}: `;
  return `${by}${test.name}${status === 'todo' ? ` (todo: ${test.todo})` : status === 'skipped' ? ` (skipped: ${problem})` : ''}`;
}

/** Where a hook crashed, with the line. */
function printCrash(hook: string, { message, position }: Failure, policy: Policy, output: Output): void {
  const at = position === undefined ? '' : ` at ${position.file}:${position.line}`;
  output.line(`      ${output.paint('red', `${hook} crashed${at}`)}: ${message}`);
  const line = position === undefined ? undefined : lineIn(policy, position);
  if (line !== undefined) output.line(output.paint('dim', `        ${position!.line} | ${line.trimEnd()}`));
}

function lineIn({ layers }: Policy, { file, line }: Position): string | undefined {
  const path = layers.map(({ dir }) => join(dir, file)).find((each) => existsSync(each));
  return path === undefined ? undefined : readFileSync(path, 'utf8').split('\n')[line - 1];
}

function printFailure({ test, status, problem, steps }: CaseResult, policy: Policy, output: Output): void {
  const at = (line: number) => output.paint('dim', `${test.source}:${line}`);
  if (problem !== null) output.line(`      ${problem}  ${at(test.line)}`);
  if (status === 'fixed')
    output.line(`      passes although it is marked todo: take the mark away  ${at(test.line)}`);
  for (const { step, outcome, mismatches } of steps) {
    const crashes = mismatches.some(({ what, wanted }) => what === 'failure' && wanted === null);
    for (const { hook, failure } of crashes ? outcome.trace : [])
      if (failure !== null) printCrash(hook, failure, policy, output);
    for (const mismatch of mismatches) {
      if (mismatch.what === 'failure' && mismatch.wanted === null) continue;
      output.line(`      ${mismatch.what}  ${at(step.line)}`);
      output.line(output.paint('green', `        wanted  ${text(mismatch.wanted)}`));
      output.line(output.paint('red', `        got     ${text(mismatch.got)}`));
    }
    if (mismatches.length > 0 && outcome.hook !== null) {
      const { place } = describeOutcome(outcome);
      const where = place === null ? '' : `  ${output.paint('dim', place)}`;
      output.line(`        by      ${outcome.hook}${where}`);
    }
  }
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function summary(
  results: readonly CaseResult[],
  filter: string | undefined,
  output: Output,
  ms: number,
): string {
  const wanted = filter === undefined ? '' : ` with ${quote(filter)} in their name, hook or file`;
  if (results.length === 0) return output.paint('yellow', `no tests found${wanted}`);
  const count = (status: CaseResult['status']) => results.filter((each) => each.status === status).length;
  const failed = count('failed') + count('fixed');
  const parts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${count('passed')} passed`,
    ...(count('todo') > 0 ? [`${count('todo')} todo`] : []),
    ...(count('skipped') > 0 ? [`${count('skipped')} SKIPPED`] : []),
  ];
  const line = `${parts.join(', ')} of ${countOf(results.length, 'test')}`;
  const style = failed > 0 ? 'red' : count('skipped') > 0 ? 'yellow' : 'green';
  return `${output.paint(style, line)} ${output.paint('dim', `in ${Math.round(ms)} ms`)}`;
}

/** A run of which everything was skipped proves as little as one without tests. */
export function showsAnything({ results }: Pick<TestRun, 'results'>): boolean {
  return results.some(({ status }) => status !== 'skipped');
}

export function resultsData({
  policy,
  results,
  problems,
  coverage,
  traffic,
  ms,
}: TestRun): Record<string, unknown> {
  const count = (status: CaseResult['status']) => results.filter((each) => each.status === status).length;
  return {
    ok: problems.length === 0 && showsAnything({ results }) && count('failed') + count('fixed') === 0,
    policy: policy.digest.digest,
    passed: count('passed'),
    failed: count('failed') + count('fixed'),
    todo: count('todo'),
    skipped: count('skipped'),
    ms: Math.round(ms),
    tests: results.map(caseData),
    problems,
    ...(coverage !== null && { coverage: coverageData(coverage) }),
    ...(traffic !== null && { traffic: trafficData(traffic) }),
  };
}

function caseData({ test, status, problem, steps }: CaseResult): Record<string, unknown> {
  return {
    name: test.name,
    hook: test.hook,
    source: test.source,
    line: test.line,
    status,
    ...(problem !== null && { problem }),
    steps: steps.map(({ step, outcome, mismatches }) => ({
      event: step.event,
      line: step.line,
      action: outcome.action,
      reason: outcome.reason,
      hook: outcome.hook,
      mismatches: mismatches as readonly Mismatch[],
    })),
  };
}
