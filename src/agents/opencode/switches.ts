/** What keeps the plugin from being loaded in OpenCode. */
import type { Switch } from '../switches.ts';

const NO_PLUGIN = 'no plugin is loaded';

export const switches: readonly Switch[] = [
  { name: 'OPENCODE_PURE', does: NO_PLUGIN, seen: 'environment' },
  {
    name: 'OPENCODE_DISABLE_PROJECT_CONFIG',
    does: 'the plugin of the project is not loaded',
    seen: 'environment',
    reaches: ({ scope }) => 'dir' in scope,
  },
  { name: '--pure', does: NO_PLUGIN, seen: 'nowhere', words: ['--pure'] },
];
