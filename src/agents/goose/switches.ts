/** Switches of Goose, whose hooks only watch. */
import { harmlessFlag, type Switch } from '../switches.ts';

export const switches: readonly Switch[] = [
  harmlessFlag('GOOSE_MODE=auto'),
  {
    ...harmlessFlag('extensions with tools of their own', 'their calls are watched like its own'),
    documented: true,
  },
];
