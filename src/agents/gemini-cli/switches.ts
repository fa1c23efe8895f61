/** What keeps hooks of Gemini CLI from running, and of Qwen Code, which grew out of it. */
import { join } from 'node:path';
import type { Json } from '../../base/index.ts';
import { type Place, rootOf } from '../install/installer.ts';
import { isFalse, NO_HOOK, type SettingSwitch, type Switch } from '../switches.ts';

export const settingsFiles =
  (folder: string, system: string, variable: string) =>
  (place: Place): string[] => [
    join(rootOf(place), folder, 'settings.json'),
    join(place.home, folder, 'settings.json'),
    place.env(variable) || `${system}/settings.json`,
    `${system}/system-defaults.json`,
  ];

/** By the name that `install` gives its hooks. */
const namesOurs = (value: Json) =>
  Array.isArray(value) && value.some((name) => typeof name === 'string' && name.startsWith('harness-'));

export function configSwitches(files: SettingSwitch['files']): Switch[] {
  return [
    {
      name: 'hooksConfig.enabled = false',
      does: NO_HOOK,
      seen: 'settings',
      path: ['hooksConfig', 'enabled'],
      files,
      isOn: isFalse,
    },
    {
      name: 'hooksConfig.disabled',
      does: 'the hooks of ours that it names do not run',
      seen: 'settings',
      path: ['hooksConfig', 'disabled'],
      files,
      isOn: namesOurs,
    },
  ];
}

export const switches: readonly Switch[] = [
  ...configSwitches(settingsFiles('.gemini', '/etc/gemini-cli', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH')),
  { name: '--yolo', does: 'its own questions are gone', seen: 'holds' },
];
