/**
 * `harness validate`: every problem of a project at once, in its hooks, its tools and its settings.
 */
import { loadAgent } from '../agent/config/load-agent.ts';
import type { Problem } from '../base/errors.ts';
import { checkPolicy } from '../policy/check-policy.ts';
import type { Policy } from '../policy/open-policy.ts';
import type { Run } from './command.ts';
import { countOf, renderProblem } from './problems.ts';
import { openPolicyAt } from './project-dir.ts';
import { noteUntrusted } from './trusting.ts';
import { printTarget, reportOn, targetsOf } from './validate-targets.ts';

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
  const target = args.value('target');
  const adapters = target === undefined ? [] : await targetsOf(target);
  // What a script says is known if it is looked into.
  const policy = await openPolicyAt(dir, { coverage: adapters.length > 0 });
  const targets = adapters.map((adapter) => reportOn(adapter, policy));
  const strict = args.has('strict');
  const agent = await loadAgent(policy);
  const found = { hooks: policy.authored, tools: agent.tools.length, agents: agent.agents.length };
  const checked = [...(await packProblems(policy)), ...(await checkPolicy(policy, found))];
  const problems = [...agent.problems, ...checked].map((problem) =>
    strict ? { ...problem, severity: 'error' as const } : problem,
  );
  const lost = targets.reduce((sum, each) => sum + each.lost, 0);
  const inFiles = problems.filter((problem) => problem.severity === 'error').length;
  const errors = inFiles + (strict ? lost : 0);
  const warnings = problems.length - inFiles + (strict ? 0 : lost);
  const { hooks, tools } = found;

  // No problem of the files: whether they are trusted is a matter of this machine.
  for (const folder of policy.trust) if (folder.by === null) noteUntrusted(folder, output);
  if (args.has('json')) {
    output.line(
      JSON.stringify({
        ...{ ok: errors === 0, hooks, tools, errors, warnings, problems },
        ...(targets.length > 0 && { targets }),
      }),
    );
    return errors > 0 ? 1 : 0;
  }
  for (const problem of problems) {
    output.line(renderProblem(problem, output.paint));
    output.line();
  }
  for (const report of targets) printTarget(report, output);
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
  return errors > 0 ? 1 : 0;
};
