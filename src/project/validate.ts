/**
 * Every problem of a policy folder: of each file alone, of the scripts together, of tests, rules and evaluations.
 */

import { type AgentProject, loadAgent, readEvals, runEvals } from '../agent/index.ts';
import type { Problem } from '../base/index.ts';
import { byPlace } from '../frontends/index.ts';
import { exampleFaults, isShipped } from '../packs/index.ts';
import { checkPolicy, type Policy, testsOf, untestedGuards } from '../policy/index.ts';
import { missingPolicyOf, openPolicyAt } from '../terminal/index.ts';
import { unfinishedInit } from './unfinished-init.ts';
import { type ScriptStudy, studyScripts } from './validate-scripts.ts';

export interface FolderProblems {
  readonly policy: Policy;
  readonly agent: AgentProject;
  readonly problems: readonly Problem[];
}

/** A folder looked into: what holds there, and every problem. */
export async function validateFolder(dir: string): Promise<FolderProblems> {
  const study = studyScripts();
  // What a script says is known if it is looked into.
  const policy = await openPolicyAt(dir, { coverage: true, check: study.check });
  const { agent, problems } = await problemsIn(policy, study, () => openPolicyAt(dir, { trust: 'no code' }));
  const all = [
    ...missingPolicyOf(policy),
    ...unfinishedInit(policy.root),
    ...problems,
    ...(await packProblems(policy)),
  ];
  return { policy, agent, problems: all };
}

/** Of the files of a policy that was opened with `coverage` and the study's check: each alone, and what they make together. */
export async function problemsIn(
  policy: Policy,
  study: ScriptStudy,
  sandboxed: () => Promise<Policy>,
): Promise<Omit<FolderProblems, 'policy'>> {
  const agent = await loadAgent(policy, study.check);
  const counted = { hooks: policy.authored, tools: agent.tools.length, agents: agent.agents.length };
  const evals = await evaluations(policy.root, sandboxed);
  const inTests = [...testsOf(policy).problems, ...evals.problems];
  const untested = await untestedGuards(policy, sandboxed, evals.ran);
  const inScripts = [...agent.problems, ...study.together(agent), ...inTests, ...untested];
  return { agent, problems: [...inScripts.sort(byPlace), ...(await checkPolicy(policy, counted))] };
}

/** Evaluation files of AI Harness: what is wrong with them, and the hooks that ran in them; null if there are none. */
async function evaluations(dir: string, sandboxed: () => Promise<Policy>) {
  const { evals, problems } = readEvals(dir);
  if (evals.length === 0) return { ran: null, problems };
  return runEvals(await sandboxed());
}

/**
 * Rules are held to their own examples, and what they suggest to every rule in force. The packs that ship are held to all of that by
 * their own tests, all rules in force: there is something to find only where a pack from elsewhere is beside them.
 */
async function packProblems({ packs: { packs } }: Policy): Promise<Problem[]> {
  if (packs.every(({ pack }) => isShipped(pack))) return [];
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
