/**
 * `harness validate`: every problem of a project at once.
 */
import type { Run } from './command.ts';
import { countOf, renderProblem } from './problems.ts';
import { countHooks, openProject } from './project-dir.ts';

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const project = await openProject(dir);
  const strict = args.has('strict');
  const problems = project.problems.map((problem) =>
    strict ? { ...problem, severity: 'error' as const } : problem,
  );
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const warnings = problems.length - errors;
  const hooks = countHooks(project);

  if (args.has('json')) {
    output.line(JSON.stringify({ ok: errors === 0, hooks, errors, warnings, problems }));
    return errors > 0 ? 1 : 0;
  }
  for (const problem of problems) {
    output.line(renderProblem(problem, output.paint));
    output.line();
  }
  const summary = `${countOf(hooks, 'hook')}, ${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  output.line(output.paint(errors > 0 ? 'red' : warnings > 0 ? 'yellow' : 'green', summary));
  return errors > 0 ? 1 : 0;
};
