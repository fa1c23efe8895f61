/** What keeps the extension from being loaded in pi. */
import type { Switch } from '../switches.ts';

const NO_EXTENSION = 'no extension is loaded';

export const switches: readonly Switch[] = [
  { name: '--no-extensions', does: NO_EXTENSION, seen: 'nowhere', words: ['--no-extensions'] },
  { name: '-ne', does: NO_EXTENSION, seen: 'nowhere', words: ['-ne'] },
];
