/**
 * Reads test cases: `.harness/tests/*.yaml`, and those that hooks carry in their front matter. A file that cannot be read,
 * or a case that cannot be understood, is a problem: a test that is silently not run is as bad as a guard that is silently
 * not there.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compileRegex, type Json, type MapNode, type Problem, type Tree } from '../../base/index.ts';
import { resolveEvent } from '../../engine/index.ts';
import {
  checkFields,
  codeOf,
  FileReport,
  parseYaml,
  readArtifact,
  reason,
  stepLines,
  TEST_FILE,
  type WrittenCase,
} from '../../files/index.ts';
import type { HookTest } from '../../frontends/index.ts';
import { DEFAULT_CLOCK, type TestCase, type TestStep } from './test-case.ts';

export interface ReadTests {
  readonly cases: readonly TestCase[];
  readonly problems: readonly Problem[];
}

/** `folder` is the tests folder, relative to `dir`. A missing folder has no tests. */
export function readTestFolder(dir: string, folder: string): ReadTests {
  let names: string[];
  try {
    names = readdirSync(join(dir, folder)).sort();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return { cases: [], problems: [] };
    const report = new FileReport(folder, '');
    report.error('FILE_UNREADABLE', `the folder ${folder} cannot be read: ${reason(thrown)}`, 0);
    return { cases: [], problems: report.problems };
  }
  const read = names
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .map((name) => readTestFile(dir, `${folder}/${name}`));
  return { cases: read.flatMap(({ cases }) => cases), problems: read.flatMap(({ problems }) => problems) };
}

export function readTestFile(dir: string, path: string): ReadTests {
  const read = readArtifact(dir, path);
  const report = new FileReport(path, read.ok ? read.text : '');
  if (!read.ok) {
    report.error(read.code, `${path} ${read.message}`, 0);
    return { cases: [], problems: report.problems };
  }
  const root = parseYaml({ yaml: read.text, yamlStart: 0, body: '' }, report, `parse ${path}`);
  const cases = root === null ? [] : casesIn({ dir, path, report }, root);
  return { cases, problems: report.problems };
}

/** The case of a hook, which has been checked with the hook. */
export function hookCase(test: HookTest, dir: string, report: FileReport): TestCase | null {
  const { hook, event, source, line, written } = test;
  return caseOf(
    { dir, path: source, report },
    {},
    { ...written, event, hook },
    { line, steps: test.stepLines },
  );
}

interface TestFile {
  readonly dir: string;
  readonly path: string;
  readonly report: FileReport;
}

/** Where a case stands, and its steps. */
interface CaseLocation {
  readonly line: number;
  readonly steps: readonly number[];
}

function casesIn(file: TestFile, root: MapNode): TestCase[] {
  const fields = checkFields(root, TEST_FILE, { report: file.report, path: '' });
  const { cases = [], ...shared } = fields.data;
  const places = fields.list('cases')?.items ?? [];
  return cases.flatMap((written, at) => caseOf(file, shared, written, placeOf(file, places[at]!)) ?? []);
}

function placeOf({ report }: TestFile, tree: Tree): CaseLocation {
  return { line: report.lineOf(tree.start), steps: stepLines(tree, report) };
}

type Shared = Partial<Omit<WrittenCase, 'name'>>;

function caseOf(file: TestFile, shared: Shared, written: WrittenCase, place: CaseLocation): TestCase | null {
  const { report, dir, path } = file;
  const mistakes: string[] = [];
  const title = JSON.stringify(written.name);
  if (written.steps !== undefined && (written.payload !== undefined || written.expect !== undefined)) {
    mistakes.push(`case ${title} has steps: its payload and expect belong into them`);
  }
  const event = written.event ?? shared.event ?? 'tool.pre';
  const steps = (written.steps ?? [written]).map((step, at) =>
    stepOf(step, event, place.steps[at] ?? place.line, mistakes),
  );
  if (steps.every((step) => step.expect === null)) mistakes.push(`case ${title} expects nothing`);
  const time = written.clock ?? shared.clock;
  const clock = time === undefined ? DEFAULT_CLOCK : Date.parse(time);
  if (Number.isNaN(clock)) {
    mistakes.push(`clock: want a time such as 2026-01-01T12:00:00Z, got ${JSON.stringify(time)}`);
  }
  for (const message of mistakes) report.at('TEST_INVALID', message, { line: place.line, col: 1 });
  if (mistakes.length > 0) return null;
  return {
    name: written.name,
    source: path,
    dir,
    line: place.line,
    hook: written.hook ?? null,
    steps,
    clock,
    http: [...(written.http ?? []), ...(shared.http ?? [])],
    commands: [...(written.commands ?? []), ...(shared.commands ?? [])],
    env: { ...shared.env, ...written.env },
    todo: written.todo ?? null,
  };
}

function stepOf(
  step: Pick<WrittenCase, 'event' | 'payload' | 'expect'>,
  event: string,
  line: number,
  mistakes: string[],
): TestStep {
  const resolved = resolveEvent(step.event ?? event);
  if (!resolved.ok) mistakes.push(resolved.message + resolved.hint);
  const expect = typeof step.expect === 'string' ? { action: step.expect } : (step.expect ?? null);
  const pattern = expect?.reason_matches;
  const compiled = pattern === undefined ? null : compileRegex(pattern);
  if (compiled?.ok === false) mistakes.push(`reason_matches is no RE2 pattern: ${compiled.message}`);
  return {
    event: resolved.ok ? resolved.event : event,
    payload: (step.payload ?? null) as Json,
    expect,
    line,
  };
}
