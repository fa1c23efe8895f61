/** Switches of Cursor, from its documentation. */
import { harmlessFlag, type Switch } from '../switches.ts';

export const switches: readonly Switch[] = [
  {
    name: 'a workspace that is not trusted',
    does: 'hooks of the project do not run; those of the user and of the system do',
    documented: true,
    seen: 'nowhere',
  },
  { ...harmlessFlag('--force, --yolo'), documented: true },
  { ...harmlessFlag('Auto-Run in its editor'), documented: true },
  {
    name: 'background agents in the cloud',
    does: 'hooks of this machine do not run there; those of a project do',
    documented: true,
    seen: 'nowhere',
  },
];
