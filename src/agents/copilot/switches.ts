/** What keeps hooks of Copilot CLI from running. */
import { join } from 'node:path';
import type { Json } from '../../base/index.ts';
import { systemFolder } from '../../policy/index.ts';
import { type InstallTarget, isUser, rootOf } from '../install/installer.ts';
import { harmlessFlag, isTrue, NO_HOOK, notMachine, type Switch } from '../switches.ts';
import { copilotHome } from './install.ts';

const userSettings = (place: InstallTarget) => [join(copilotHome(place), 'settings.json')];

function files(place: InstallTarget): string[] {
  const folder = isUser(place) ? copilotHome(place) : join(rootOf(place), '.github');
  const settings = isUser(place) ? [] : ['settings.json', 'settings.local.json'];
  return [
    join(folder, 'hooks', 'harness.json'),
    ...userSettings(place),
    ...settings.map((name) => join(folder, 'copilot', name)),
  ];
}

export const switches: readonly Switch[] = [
  {
    name: 'disableAllHooks',
    does: NO_HOOK,
    seen: 'settings',
    reaches: notMachine,
    path: ['disableAllHooks'],
    files,
    isOn: isTrue,
  },
  {
    name: 'disabledHooks',
    does: 'the hooks that it names by their digests do not run, which may be ours',
    documented: true,
    seen: 'settings',
    path: ['disabledHooks'],
    reaches: notMachine,
    files: userSettings,
    isOn: (value: Json) => Array.isArray(value) && value.length > 0,
  },
  {
    name: 'allowManagedHooksOnly',
    does: 'only hooks of its policy folder run',
    seen: 'settings',
    path: ['allowManagedHooksOnly'],
    reaches: notMachine,
    files: () => [join(systemFolder('copilot'), 'managed-settings.json')],
    isOn: isTrue,
  },
  harmlessFlag('--allow-all-tools'),
  harmlessFlag('--allow-all', 'its own questions about tools, paths and addresses are gone'),
  harmlessFlag('--yolo', 'its own questions about tools, paths and addresses are gone'),
];
