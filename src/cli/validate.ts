/**
 * `harness validate`: every problem of a project at once, in its hooks, its tools and its settings.
 */

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { didYouMean, type Problem } from '../base/index.ts';
import type { Policy } from '../policy/index.ts';
import {
  type FolderProblems,
  idleProblems,
  installedIn,
  neverMatching,
  printTarget,
  reportOn,
  type TargetReport,
  targetsOf,
  validateFolder,
} from '../project/index.ts';
import {
  type Arguments,
  countOf,
  githubLine,
  noteUntrusted,
  type Output,
  PROBLEM_FORMATS,
  type ProblemFormat,
  quote,
  type Run,
  renderProblem,
  sarifOf,
  UsageError,
  watchPolicy,
} from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const format = formatOf(args);
  if (!args.has('watch')) return report(await validate(dir, args), format, output);
  if (format !== 'text')
    throw new UsageError('--watch prints for a person; use it without --json and --format');
  return watchPolicy(dir, output, async () => {
    report(await validate(dir, args), format, output);
  });
};

function formatOf(args: Arguments): ProblemFormat {
  const given = args.value('format') ?? (args.has('json') ? 'json' : 'text');
  const format = PROBLEM_FORMATS.find((each) => each === given);
  if (format !== undefined) return format;
  const hint = `${didYouMean(given, PROBLEM_FORMATS)}; want ${PROBLEM_FORMATS.join(', ')}`;
  throw new UsageError(`unknown format ${quote(given)}${hint}`);
}

interface Validation extends FolderProblems {
  readonly targets: readonly TargetReport[];
  readonly errors: number;
  readonly warnings: number;
}

async function validate(dir: string, args: Arguments): Promise<Validation> {
  const target = args.value('target');
  const adapters = target === undefined ? [] : targetsOf(target);
  const { policy, agent, problems: all } = await validateFolder(dir);
  const tools = new Set(agent.tools.map(({ name }) => name));
  const targets = adapters.map((adapter) => reportOn(adapter, policy, tools));
  const strict = args.has('strict');
  // Without a target: what no agent that is installed here can meet.
  const idle = target === undefined ? idleProblems(installedIn(policy.root), policy, tools) : [];
  const isNew = ({ position }: Problem) =>
    !all.some(({ code, position: at }) => code === 'TOOL_UNKNOWN' && at?.file === position?.file);
  const everything = [...all, ...targets.flatMap(neverMatching), ...idle.filter(isNew)];
  const problems = strict
    ? everything.map((problem) => ({ ...problem, severity: 'error' as const }))
    : everything;
  const lost = targets.reduce((sum, each) => sum + each.lost, 0);
  const found = problems.filter((problem) => problem.severity === 'error').length;
  const errors = found + (strict ? lost : 0);
  const warnings = problems.length - found + (strict ? 0 : lost);
  return { policy, agent, problems, targets, errors, warnings };
}

function report(validation: Validation, format: ProblemFormat, output: Output): number {
  const { policy, agent, problems, targets, errors, warnings } = validation;
  const hooks = policy.authored;
  const tools = agent.tools.length;
  const code = errors > 0 ? 1 : 0;
  // No problem of the files: whether they are trusted is a matter of this machine.
  for (const folder of policy.trust) if (folder.by === null) noteUntrusted(folder, output, { counted: true });
  if (format === 'json') {
    output.line(
      JSON.stringify({
        ...{ ok: errors === 0, hooks, tools, errors, warnings, problems },
        ...(targets.length > 0 && { targets }),
      }),
    );
    return code;
  }
  if (format === 'sarif') {
    output.line(JSON.stringify(sarifOf(problems.map(fromHere(policy)))));
    return code;
  }
  if (format === 'github') {
    for (const problem of problems.map(fromHere(policy))) output.line(githubLine(problem));
    return code;
  }
  for (const problem of problems) {
    output.line(renderProblem(problem, output.paint));
    output.line();
  }
  for (const each of targets) printTarget(each, output);
  const counts = [
    countOf(hooks, 'hook'),
    // A policy for an agent elsewhere has no tools, and need not be told so.
    ...(tools > 0 ? [countOf(tools, 'tool')] : []),
    ...(agent.agents.length > 0 ? [countOf(agent.agents.length, 'sub-agent')] : []),
    countOf(errors, 'error'),
    countOf(warnings, 'warning'),
  ];
  const summary = counts.join(', ');
  output.line(output.paint(errors > 0 ? 'red' : warnings > 0 ? 'yellow' : 'green', summary));
  return code;
}

/** Programs that note problems in a repository want paths from where the command ran. */
function fromHere({ layers, root }: Policy): (problem: Problem) => Problem {
  const folders = [root, ...layers.map(({ dir }) => dir)];
  return (problem) => {
    if (problem.position === null) return problem;
    const { file } = problem.position;
    const folder = folders.find((each) => existsSync(join(each, file))) ?? root;
    return { ...problem, position: { ...problem.position, file: relative('.', join(folder, file)) } };
  };
}
