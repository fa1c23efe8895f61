/** What keeps hooks of Claude Code from running. */
import { join } from 'node:path';
import type { Json } from '../../base/index.ts';
import { systemFolder } from '../../policy/index.ts';
import { filesIn } from '../import/own-sessions.ts';
import { type InstallTarget, isManaged, rootOf } from '../install/installer.ts';
import {
  harmlessFlag,
  is,
  isTrue,
  isTruthy,
  NO_HOOK,
  NO_QUESTIONS,
  notMachine,
  type Switch,
} from '../switches.ts';
import { claudeHome } from './install.ts';

function managed(): string[] {
  const folder = systemFolder('claude-code');
  const parts = filesIn(join(folder, 'managed-settings.d')).filter((file) => file.endsWith('.json'));
  return [join(folder, 'managed-settings.json'), ...parts];
}

function settings(place: InstallTarget): string[] {
  const folders = [join(rootOf(place), '.claude'), claudeHome(place)];
  return [
    ...folders.flatMap((dir) => [join(dir, 'settings.json'), join(dir, 'settings.local.json')]),
    ...managed(),
  ];
}

const userSettings = (place: InstallTarget) => [join(claudeHome(place), 'settings.json'), ...managed()];

const ONLY_MANAGED = 'only hooks of managed settings run';
const NO_SURFACE = (value: Json) => value === true || (Array.isArray(value) && value.includes('hooks'));

export const switches: readonly Switch[] = [
  {
    name: 'disableAllHooks',
    does: NO_HOOK,
    seen: 'settings',
    path: ['disableAllHooks'],
    files: (place) => (isManaged(place) ? managed() : settings(place)),
    isOn: isTrue,
  },
  // In the settings of a project it has no effect: the agent does not pass it on to itself.
  ...['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE'].flatMap((name): Switch[] => [
    { name, does: NO_HOOK, reaches: notMachine, seen: 'environment' },
    {
      name: `env.${name}`,
      does: NO_HOOK,
      reaches: notMachine,
      seen: 'settings',
      path: ['env', name],
      files: userSettings,
      isOn: isTruthy,
    },
  ]),
  {
    name: 'allowManagedHooksOnly',
    does: ONLY_MANAGED,
    seen: 'settings',
    path: ['allowManagedHooksOnly'],
    reaches: notMachine,
    files: managed,
    isOn: isTrue,
  },
  {
    name: 'strictPluginOnlyCustomization',
    does: ONLY_MANAGED,
    seen: 'settings',
    path: ['strictPluginOnlyCustomization'],
    reaches: notMachine,
    files: managed,
    isOn: NO_SURFACE,
  },
  { name: '--bare', does: NO_HOOK, seen: 'tapes', reaches: notMachine, words: ['--bare'] },
  { name: '--safe-mode', does: NO_HOOK, seen: 'tapes', reaches: notMachine, words: ['--safe-mode'] },
  { name: '--settings', does: 'what it says of hooks counts, `disableAllHooks` too', seen: 'tapes' },
  { name: '--setting-sources', does: 'hooks of a source that is left out do not run', seen: 'tapes' },
  {
    name: 'permissions.defaultMode = "bypassPermissions"',
    does: NO_QUESTIONS,
    leaves: 'all',
    seen: 'settings',
    path: ['permissions', 'defaultMode'],
    files: settings,
    isOn: is('bypassPermissions'),
  },
  harmlessFlag('--dangerously-skip-permissions'),
  {
    ...harmlessFlag('its extensions for editors', 'the same program runs, with the same settings'),
    documented: true,
  },
];
