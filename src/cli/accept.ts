/**
 * `harness accept`: a person takes a policy change that a running session left waiting, by the session or the question, or is shown
 * what waits.
 */
import { machineHost } from '../machine/index.ts';
import { type Entry, openQueue, POLICY_CHANGE } from '../policy/index.ts';
import {
  askForWord,
  atTerminal,
  demandNoAgent,
  demandPerson,
  quote,
  type Run,
  UsageError,
} from '../terminal/index.ts';
import { described } from './approvals/describe.ts';

export const run: Run = async (args, output) => {
  demandNoAgent('accept');
  const queue = openQueue(machineHost);
  if (queue === null) throw new UsageError('want HOME or XDG_STATE_HOME to be set');
  const problem = queue.problem();
  if (problem !== null) throw new UsageError(problem);
  const [wanted = ''] = args.positionals;
  const waiting = queue.list().filter((entry) => isWaiting(entry) && isMeant(entry, wanted));
  if (args.has('json')) {
    output.line(JSON.stringify(waiting));
    return 0;
  }
  if (waiting.length === 0) {
    if (wanted !== '') throw new UsageError(`no session ${quote(wanted)} has a policy change that waits`);
    output.line('No session has a policy change that waits.');
    return 0;
  }
  for (const entry of waiting) for (const line of described(entry, output)) output.line(line);
  const [only, ...others] = waiting;
  if (others.length > 0) {
    output.line(`${waiting.length} sessions wait. Accept one with: harness accept SESSION`);
    return 1;
  }
  demandPerson('accept');
  if ((await askForWord('put this policy in force in that session', atTerminal)) !== 'yes') {
    output.line('Nothing was accepted: the session continues under its own policy.');
    return 1;
  }
  const { id, digest } = only!.question;
  const { receipt } = queue.answer(id, { approved: true, by: 'terminal', digest });
  output.line(
    receipt === 'taken' ? 'Accepted: in force from the next event.' : `Nothing was changed: ${receipt}.`,
  );
  return receipt === 'taken' ? 0 : 1;
};

function isWaiting({ question, state }: Entry): boolean {
  return question.tool === POLICY_CHANGE && state === 'open';
}

function isMeant({ question }: Entry, wanted: string): boolean {
  return question.session.startsWith(wanted) || question.id.startsWith(wanted);
}
