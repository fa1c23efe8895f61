/**
 * What the operator of a machine says about the hooks of a profile, through the environment: a profile comes from
 * elsewhere and must not be able to say it itself.
 */

import { type AllowList, type Host, parseAllowList } from '../../machine/index.ts';

export type Environment = Pick<Host, 'env'>;

/** Our own name first, then the one the format was introduced with. */
const OPERATOR_NAMES = {
  disable: ['HARNESS_DISABLE_HOOKS', 'OWNWARE_DISABLE_HOOKS'],
  commands: ['HARNESS_ALLOW_COMMAND_HOOKS', 'OWNWARE_ALLOW_COMMAND_HOOKS'],
  webhooks: ['HARNESS_HOOK_WEBHOOK_ALLOWLIST', 'OWNWARE_HOOK_WEBHOOK_ALLOWLIST'],
} as const;

/** All of them, for the record of what a decision depended on. */
export const OPERATOR_VARIABLES: readonly string[] = Object.values(OPERATOR_NAMES).flat();

export const COMMAND_SWITCH = OPERATOR_NAMES.commands[0];
export const WEBHOOK_LIST = OPERATOR_NAMES.webhooks[0];

/** The variable that switches the hooks of profiles off, or null. */
export function disabledBy(machine: Environment): string | null {
  return OPERATOR_NAMES.disable.find((name) => machine.env(name) === '1') ?? null;
}

/** Exactly `1`: what reads as a yes to a person may not be one. */
export function allowsCommands(machine: Environment): boolean {
  return OPERATOR_NAMES.commands.some((name) => machine.env(name) === '1');
}

/** Null if the operator keeps no list: then every secure address will do. */
export function webhookAllowList(machine: Environment): AllowList | null {
  for (const name of OPERATOR_NAMES.webhooks) {
    const written = machine.env(name);
    if (written !== undefined && written.trim() !== '') return parseAllowList(written);
  }
  return null;
}
