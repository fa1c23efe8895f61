/** What keeps hooks of Claude Code from running. */
import { join } from 'node:path';
import type { Json } from '../../base/index.ts';
import { filesIn } from '../import/own-sessions.ts';
import { type Place, rootOf } from '../install/installer.ts';
import { isTrue, isTruthy, NO_HOOK, type Switch } from '../switches.ts';

const MANAGED = '/etc/claude-code';

function managed(): string[] {
  const parts = filesIn(join(MANAGED, 'managed-settings.d')).filter((file) => file.endsWith('.json'));
  return [join(MANAGED, 'managed-settings.json'), ...parts];
}

const userFolder = (place: Place) => place.env('CLAUDE_CONFIG_DIR') || join(place.home, '.claude');

function settings(place: Place): string[] {
  const folders = [join(rootOf(place), '.claude'), userFolder(place)];
  return [
    ...folders.flatMap((dir) => [join(dir, 'settings.json'), join(dir, 'settings.local.json')]),
    ...managed(),
  ];
}

const ONLY_MANAGED = 'only hooks of managed settings run';
const NO_SURFACE = (value: Json) => value === true || (Array.isArray(value) && value.includes('hooks'));

export const switches: readonly Switch[] = [
  {
    name: 'disableAllHooks',
    does: NO_HOOK,
    seen: 'settings',
    path: ['disableAllHooks'],
    files: settings,
    isOn: isTrue,
  },
  // In the settings of a project it has no effect: the agent does not pass it on to itself.
  ...['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE'].flatMap((name): Switch[] => [
    { name, does: NO_HOOK, seen: 'environment' },
    {
      name: `env.${name}`,
      does: NO_HOOK,
      seen: 'settings',
      path: ['env', name],
      files: (place) => [join(userFolder(place), 'settings.json'), ...managed()],
      isOn: isTruthy,
    },
  ]),
  {
    name: 'allowManagedHooksOnly',
    does: ONLY_MANAGED,
    seen: 'settings',
    path: ['allowManagedHooksOnly'],
    files: managed,
    isOn: isTrue,
  },
  {
    name: 'strictPluginOnlyCustomization',
    does: ONLY_MANAGED,
    seen: 'settings',
    path: ['strictPluginOnlyCustomization'],
    files: managed,
    isOn: NO_SURFACE,
  },
  { name: '--bare', does: NO_HOOK, seen: 'tapes' },
  { name: '--safe-mode', does: NO_HOOK, seen: 'tapes' },
  { name: '--settings', does: 'what it says of hooks counts, `disableAllHooks` too', seen: 'tapes' },
  { name: '--setting-sources', does: 'hooks of a source that is left out do not run', seen: 'tapes' },
];
