/**
 * `harness` without a command: what this folder has, and what to type next.
 */
import { NO_AGENT, type Status, statusOf } from '../project/index.ts';
import { countOf, type Output } from '../terminal/index.ts';
import { ownName } from './own-name.ts';

type Step = readonly [command: string, about: string];

export async function printNextStep(output: Output): Promise<void> {
  const status = await statusOf('.');
  const { here, steps } = nextSteps(status);
  const me = ownName();
  output.line(`${output.paint('bold', status.dir)}: ${here}`);
  output.line();
  const rows = [...steps, ['help', 'list all commands'] as const];
  const width = Math.max(...rows.map(([command]) => command.length));
  for (const [command, about] of rows) {
    output.line(`  ${me} ${command.padEnd(width)}  ${output.paint('dim', about)}`);
  }
}

function nextSteps({ policy, agents, servers, off }: Status): { here: string; steps: readonly Step[] } {
  if (policy.digest === null) {
    return {
      here: 'no policy here or in a folder above.',
      steps: [
        ['init', 'write a policy to start from'],
        ['demo', 'watch a governed agent at work first'],
      ],
    };
  }
  const hooks = countOf(policy.hooks, 'hook');
  if (agents.length + servers.length === 0) {
    return {
      here: `a policy of ${hooks}, connected to no agent.`,
      steps: [
        ['install claude-code', 'connect it to an agent; install --help lists all'],
        ['test', 'run the tests of the policy'],
      ],
    };
  }
  const connected = [...agents.map(({ agent }) => agent), ...servers.map(({ server }) => server)];
  const where = `a policy of ${hooks}, connected to ${[...new Set(connected)].join(', ')}`;
  const inactive = off.filter((sentence) => sentence !== NO_AGENT);
  if (inactive.length > 0) {
    return {
      here: `${where}; ${countOf(inactive.length, 'guard')} not active.`,
      steps: [
        ['status', 'which guards are off, and why'],
        ['doctor', 'try every guard'],
      ],
    };
  }
  return {
    here: `${where}.`,
    steps: [
      ['report', 'what was stopped in recorded sessions'],
      ['ui', 'sessions, decisions and policy in a browser'],
      ['doctor', 'prove that the guards hold'],
    ],
  };
}
