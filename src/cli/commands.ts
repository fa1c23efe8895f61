/**
 * The table of commands, in the order of the help: the one place that says what the command line offers. Nothing here loads a command's
 * code.
 */
import type { CommandSpec } from '../terminal/index.ts';
import { AGENTS_COMMANDS } from './commands/agents.ts';
import { EVIDENCE_COMMANDS } from './commands/evidence.ts';
import { FLEET_COMMANDS } from './commands/fleet.ts';
import { POLICY_COMMANDS } from './commands/policy.ts';
import { SERVERS_COMMANDS } from './commands/servers.ts';
import { SESSION_COMMANDS } from './commands/session.ts';
import { WRITING_COMMANDS } from './commands/writing.ts';

export const COMMANDS: readonly CommandSpec[] = [
  ...POLICY_COMMANDS,
  ...EVIDENCE_COMMANDS,
  ...SESSION_COMMANDS,
  ...AGENTS_COMMANDS,
  ...SERVERS_COMMANDS,
  ...FLEET_COMMANDS,
  ...WRITING_COMMANDS,
];
