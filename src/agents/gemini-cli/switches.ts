/** What keeps hooks of Gemini CLI from running, and of Qwen Code, which grew out of it. */
import { dirname, join } from 'node:path';
import type { Json } from '../../base/index.ts';
import { systemFolder } from '../../policy/index.ts';
import { type InstallTarget, isManaged, type ReadText, rootOf } from '../install/installer.ts';
import { jsonAt } from '../install/json-edit.ts';
import {
  harmlessFlag,
  is,
  isFalse,
  NO_HOOK,
  NO_QUESTIONS,
  type SettingSwitch,
  type Switch,
} from '../switches.ts';

/** A variable may put the file of the system elsewhere. */
export const systemSettings = (agent: string, variable: string) => (place: Pick<InstallTarget, 'env'>) =>
  place.env(variable) || join(systemFolder(agent), 'settings.json');

export const settingsFiles =
  (folder: string, system: (place: InstallTarget) => string) =>
  (place: InstallTarget): string[] => [
    join(rootOf(place), folder, 'settings.json'),
    join(place.home, folder, 'settings.json'),
    system(place),
    join(dirname(system(place)), 'system-defaults.json'),
  ];

/** By the name that `install` gives its hooks. */
const namesOurs = (value: Json) =>
  Array.isArray(value) && value.some((name) => typeof name === 'string' && name.startsWith('harness-'));

/** What the settings of the machine say counts before what others say. */
export const unlessMachine =
  (system: (place: InstallTarget) => string, path: readonly string[], isOn: (value: Json) => boolean) =>
  (value: Json, place: InstallTarget, textOf: ReadText): boolean => {
    const word = jsonAt(textOf(system(place)) ?? '', path);
    return isOn(value) && (word === undefined || isOn(word));
  };

/** The hooks of the machine stand in a file that a variable may put elsewhere. */
export function systemFileSwitch(variable: string): Switch {
  return {
    name: variable,
    does: 'the settings of the machine are read elsewhere, and hooks of the machine do not run',
    seen: 'environment',
    reaches: isManaged,
    isOn: (value) => value !== '',
  };
}

export function configSwitches(
  files: SettingSwitch['files'],
  system: (place: InstallTarget) => string,
): Switch[] {
  return [
    {
      name: 'hooksConfig.enabled = false',
      does: NO_HOOK,
      seen: 'settings',
      path: ['hooksConfig', 'enabled'],
      files,
      isOn: unlessMachine(system, ['hooksConfig', 'enabled'], isFalse),
    },
    {
      name: 'hooksConfig.disabled',
      does: 'the hooks of ours that it names do not run',
      leaves: 'some',
      seen: 'settings',
      path: ['hooksConfig', 'disabled'],
      files,
      isOn: namesOurs,
    },
  ];
}

const VARIABLE = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH';
const system = systemSettings('gemini-cli', VARIABLE);
const files = settingsFiles('.gemini', system);

export const switches: readonly Switch[] = [
  ...configSwitches(files, system),
  systemFileSwitch(VARIABLE),
  harmlessFlag('--yolo'),
  {
    name: 'general.defaultApprovalMode = "yolo"',
    does: NO_QUESTIONS,
    leaves: 'all',
    documented: true,
    seen: 'settings',
    path: ['general', 'defaultApprovalMode'],
    files,
    isOn: is('yolo'),
  },
];
