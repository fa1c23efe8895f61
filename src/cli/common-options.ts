/**
 * Options that several commands have, said once.
 */
import type { OptionSpec } from '../terminal/index.ts';

export const JSON_OPTION: OptionSpec = { name: 'json', about: 'Print data as JSON' };

export const SIGN = {
  name: 'sign',
  value: 'KEY',
  about: "Sign the tape with the private key in KEY (default: `tape.key` of the user's harness.md)",
} as const;

export const ALLOW_EMPTY = { name: 'allow-empty', about: 'Go on where no policy is found' } as const;

export const ACTOR_OPTION = {
  name: 'actor',
  value: 'ACTOR',
  about: 'Whom it is for: an id, or JSON such as {"id":"ann","tenant":"acme","scopes":["read"]}',
} as const;
export const PLACE_OPTIONS: readonly OptionSpec[] = [
  { name: 'dir', short: 'd', value: 'DIR', about: 'The folder whose policy is to hold (default: here)' },
  { name: 'user', about: 'In every folder the user works in' },
];
export const MANAGED_OPTION: OptionSpec = {
  name: 'managed',
  about: 'For everybody on this machine, in places that only root writes',
};
export const PRINT_OPTION: OptionSpec = {
  name: 'print',
  about: 'Show what would change as a diff, and write nothing',
};
export const OBSERVE_OPTION: OptionSpec = {
  name: 'observe-only',
  about: 'Also install an agent that cannot be stopped: it is only recorded',
};
