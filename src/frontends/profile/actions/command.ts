/**
 * `command`: a command of the profile's author decides, where the operator of the machine has agreed to run such
 * commands. Where not, the hook fails each time it is asked, and so blocks what it should have guarded.
 */
import { HarnessError } from '../../../base/errors.ts';
import { commandBody } from '../../command/body.ts';
import { git } from '../../command/contract.ts';
import { programPower } from '../../command/program-power.ts';
import { allowsCommands, COMMAND_SWITCH } from '../operator.ts';
import { COMMAND_MS } from '../schema.ts';
import type { Action } from './action.ts';

export const command: Action<'command'> = ({ fields, path, folder, place, machine }) => {
  const { command: line = '', timeoutMs = COMMAND_MS } = fields.data;
  if (!allowsCommands(machine)) {
    const message = `${path}: command hooks do not run here: the operator allows them with ${COMMAND_SWITCH}=1`;
    fields.wrong('COMMAND_HOOKS_OFF', message, fields.get('action')!.start);
    return null;
  }
  const runs = commandBody({
    contract: git,
    program: { shell: line },
    cwd: folder,
    env: { HARNESS_PROFILE_DIR: folder },
  });
  return {
    description: line.replace(/\s+/g, ' '),
    timeoutMs,
    condition: null,
    power: programPower(folder, { shell: line }, place),
    body: (seen, call) => {
      // The environment of the run counts: what is asked here is on the record.
      if (allowsCommands(call.host)) return runs(seen, call);
      const message = `command hooks do not run here: the operator allows them with ${COMMAND_SWITCH}=1`;
      throw new HarnessError('COMMAND_HOOKS_OFF', message);
    },
  };
};
