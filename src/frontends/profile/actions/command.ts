/**
 * `command`: a command of the profile's author decides, where the operator of the machine has agreed to run such
 * commands. Where not, the hook fails each time it is asked, and so blocks what it should have guarded.
 */
import { HarnessError } from '../../../base/index.ts';
import { machineHost, thisMachine } from '../../../machine/index.ts';
import { commandBody } from '../../command/body.ts';
import { readCommandLine } from '../../command/command-line.ts';
import { git } from '../../command/contract.ts';
import { programCapability } from '../../command/program-capability.ts';
import { allowsCommands, COMMAND_SWITCH } from '../operator.ts';
import { COMMAND_MS } from '../schema.ts';
import type { Action } from './action.ts';

export const command: Action<'command'> = async ({
  fields,
  path,
  snapshot,
  folder,
  place,
  report,
  machine,
}) => {
  const { command: line = '', timeoutMs = COMMAND_MS } = fields.data;
  const off = !allowsCommands(machine);
  if (off) {
    const message = `${path}: command hooks do not run here: the operator allows them with ${COMMAND_SWITCH}=1`;
    fields.wrong('COMMAND_HOOKS_OFF', message, fields.get('action')!.start);
  }
  const { program, problem } = await readCommandLine(line, undefined, folder, thisMachine(machineHost.env));
  if (problem !== null)
    report.error(problem.code, `${path}.command: ${problem.message}`, fields.get('command')!.start);
  if (off) return null;
  const runs = commandBody({
    contract: git,
    program,
    cwd: folder,
    env: { HARNESS_PROFILE_DIR: folder },
  });
  return {
    description: line.replace(/\s+/g, ' '),
    timeoutMs,
    condition: null,
    capability: programCapability(snapshot, folder, program, place),
    body: (seen, call) => {
      // The environment of the run counts: what is asked here is on the record.
      if (allowsCommands(call.host)) return runs(seen, call);
      const message = `command hooks do not run here: the operator allows them with ${COMMAND_SWITCH}=1`;
      throw new HarnessError('COMMAND_HOOKS_OFF', message);
    },
  };
};
