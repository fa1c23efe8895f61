/** Switches of Cline. */
import { harmlessFlag, type Switch } from '../switches.ts';

export const switches: readonly Switch[] = [
  harmlessFlag('--auto-approve'),
  {
    name: '--config',
    does: 'hooks of the user are looked for in another folder; those of a project run',
    documented: true,
    seen: 'nowhere',
    words: ['--config'],
  },
  {
    name: 'its extension for VS Code: Enable Hooks',
    does: 'no hook runs where its setting is off, which only the editor knows',
    documented: true,
    seen: 'nowhere',
  },
];
