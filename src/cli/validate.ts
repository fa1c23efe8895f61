/**
 * `harness validate`: every problem of a project at once, in its hooks, its tools and its settings.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type AgentProject, loadAgent } from '../agent/config/load-agent.ts';
import { readEvals } from '../agent/evals/eval-file.ts';
import type { Problem } from '../base/errors.ts';
import { didYouMean } from '../base/spelling.ts';
import { byPlace } from '../frontends/project.ts';
import { checkPolicy } from '../policy/check-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { testsOf } from '../policy/testing/run-tests.ts';
import { untestedGuards } from '../policy/testing/untested.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { quote } from './options.ts';
import type { Output } from './output.ts';
import { githubLine, PROBLEM_FORMATS, type ProblemFormat, sarifOf } from './problem-formats.ts';
import { countOf, renderProblem } from './problems.ts';
import { openPolicyAt } from './project-dir.ts';
import { noteUntrusted } from './trusting.ts';
import { type ScriptStudy, studyScripts } from './validate-scripts.ts';
import { printTarget, reportOn, type TargetReport, targetsOf } from './validate-targets.ts';

/** Rules are held to their own examples, and what they suggest to every rule in force. */
async function packProblems({ packs: { packs } }: Policy): Promise<Problem[]> {
  if (packs.length === 0) return [];
  const { exampleFaults } = await import('../frontends/packs/examples.ts');
  const enabled = packs.flatMap(({ modes }) =>
    [...modes].filter(([, mode]) => mode === 'ask' || mode === 'enforce').map(([rule]) => rule),
  );
  const faults = await exampleFaults([...new Set(packs.map(({ pack }) => pack))], new Set(enabled));
  return faults.map(({ rule, message }) => ({
    severity: 'error',
    code: 'PACK_EXAMPLE',
    message: `the rule ${rule} ${message}`,
    position: null,
  }));
}

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const format = formatOf(args);
  if (!args.has('watch')) return report(await validate(dir, args), format, output);
  if (format !== 'text')
    throw new UsageError('--watch prints for a person; use it without --json and --format');
  const { watchPolicy } = await import('./watch.ts');
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

interface Validation {
  readonly policy: Policy;
  readonly agent: AgentProject;
  readonly problems: readonly Problem[];
  readonly targets: readonly TargetReport[];
  readonly errors: number;
  readonly warnings: number;
}

/** A folder looked into: what holds there, and every problem. */
export async function validateFolder(
  dir: string,
): Promise<Pick<Validation, 'policy' | 'agent' | 'problems'>> {
  const study = studyScripts();
  // What a script says is known if it is looked into.
  const policy = await openPolicyAt(dir, { coverage: true, check: study.check });
  const { agent, problems } = await problemsIn(policy, study, () => openPolicyAt(dir, { trust: 'no code' }));
  return { policy, agent, problems: [...problems, ...(await packProblems(policy))] };
}

/** Of the files of a policy that was opened with `coverage` and the study's check: each alone, and what they make together. */
export async function problemsIn(
  policy: Policy,
  study: ScriptStudy,
  sandboxed: () => Promise<Policy>,
): Promise<Pick<Validation, 'agent' | 'problems'>> {
  const agent = await loadAgent(policy, study.check);
  const counted = { hooks: policy.authored, tools: agent.tools.length, agents: agent.agents.length };
  const evals = await evaluations(policy.root, sandboxed);
  const inTests = [...testsOf(policy).problems, ...evals.problems];
  const untested = await untestedGuards(policy, sandboxed, evals.ran);
  const inScripts = [...agent.problems, ...(await study.together(agent)), ...inTests, ...untested];
  return { agent, problems: [...inScripts.sort(byPlace), ...(await checkPolicy(policy, counted))] };
}

/** Evaluation files of AI Harness: what is wrong with them, and the hooks that ran in them; null if there are none. */
async function evaluations(dir: string, sandboxed: () => Promise<Policy>) {
  const { evals, problems } = readEvals(dir);
  if (evals.length === 0) return { ran: null, problems };
  const { runEvals } = await import('../agent/evals/eval-run.ts');
  return runEvals(await sandboxed());
}

async function validate(dir: string, args: Arguments): Promise<Validation> {
  const target = args.value('target');
  const adapters = target === undefined ? [] : await targetsOf(target);
  const { policy, agent, problems: all } = await validateFolder(dir);
  const targets = adapters.map((adapter) => reportOn(adapter, policy));
  const strict = args.has('strict');
  const problems = strict ? all.map((problem) => ({ ...problem, severity: 'error' as const })) : all;
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
  for (const folder of policy.trust) if (folder.by === null) noteUntrusted(folder, output);
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
