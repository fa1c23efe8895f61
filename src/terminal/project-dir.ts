/**
 * The folder a command works on, and the policy that holds there. A folder that does not exist is wrong usage; a gate
 * command that finds no policy anywhere is too, so that the wrong folder never looks like a harmless one.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ErrorCode, Problem } from '../base/index.ts';
import { HARNESS_PATHS } from '../frontends/index.ts';
import { missingPolicy, openPolicy, type Policy, type PolicyOptions } from '../policy/index.ts';
import { type Arguments, UsageError } from './command.ts';
import { quote } from './options.ts';
import type { Output } from './output.ts';
import { renderProblem } from './problems.ts';

export interface OpenOptions
  extends Pick<PolicyOptions, 'switches' | 'store' | 'coverage' | 'check' | 'trust' | 'places'> {
  /** The command acts on what is decided: without a policy it must not go on. */
  readonly gate?: Arguments;
}

export async function openPolicyAt(dir: string, { gate, ...options }: OpenOptions = {}): Promise<Policy> {
  requireFolder(dir);
  const allowEmpty = gate === undefined || gate.has('allow-empty');
  const policy = await openPolicy(resolve(dir), { ...options, allowEmpty });
  if (policy.empty && !allowEmpty) {
    const { message } = missingPolicy(dir, policy.problems);
    throw new UsageError(`${message} To go on without a policy, pass --allow-empty.`);
  }
  return policy;
}

/** For commands that are no gates: without a policy there is nothing to report on, and that must not look like a clean report. */
export function missingPolicyOf({ dir, empty, problems }: Policy): Problem[] {
  return empty ? [missingPolicy(dir, problems)] : [];
}

/** For commands that try a policy out: what makes their answer say less than it seems to. */
export function notePolicyDoubts(policy: Policy, output: Output): void {
  const { dir, problems } = policy;
  const say = (text: string) => output.note(`${output.paintNote('yellow', 'warning')}: ${text}`);
  for (const { message } of missingPolicyOf(policy)) say(message);
  if (problems.some(({ severity }) => severity === 'error'))
    say(`the policy of ${dir} has errors; what cannot be loaded blocks: see \`harness validate\``);
}

function requireFolder(dir: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(dir).isDirectory();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      code === 'ENOENT' ? `no such folder: ${quote(dir)}` : `cannot read ${quote(dir)}: ${code}`,
    );
  }
  if (!isFolder) throw new UsageError(`${quote(dir)} is not a folder`);
}

/** What must be said on stderr before anything is decided: a guard that is not there looks like one that agrees. */
const NOTED: readonly ErrorCode[] = [
  'PROJECT_EMPTY',
  'FILE_STRAY',
  'LAYER_REFUSED',
  'LAYER_BROKEN',
  'SANDBOX_UNAVAILABLE',
];

/** Returns what it has said. */
export function noteMissing({ problems }: Policy, output: Output): readonly Problem[] {
  const said = problems.filter((problem) => NOTED.includes(problem.code) || isIgnoredSetting(problem));
  for (const problem of said) output.note(renderProblem(problem, output.paintNote));
  return said;
}

/** `sanbox: true`: the person who wrote it believes that it counts. */
function isIgnoredSetting(problem: Problem): boolean {
  return problem.code === 'FIELD_UNKNOWN' && isInHarnessFile(problem);
}

export function isInHarnessFile({ position }: Problem): boolean {
  return HARNESS_PATHS.some((path) => position?.file.endsWith(path));
}
