/** What keeps hooks of Qwen Code from running. */
import { join } from 'node:path';
import {
  configSwitches,
  settingsFiles,
  systemFileSwitch,
  systemSettings,
  unlessMachine,
} from '../gemini-cli/switches.ts';
import { isManaged } from '../install/installer.ts';
import { harmlessFlag, is, isTrue, NO_HOOK, NO_QUESTIONS, type Switch } from '../switches.ts';

const VARIABLE = 'QWEN_CODE_SYSTEM_SETTINGS_PATH';
const system = systemSettings('qwen-code', VARIABLE);
const files = settingsFiles('.qwen', system);

export const switches: readonly Switch[] = [
  {
    name: 'disableAllHooks',
    does: NO_HOOK,
    seen: 'settings',
    path: ['disableAllHooks'],
    files,
    isOn: unlessMachine(system, ['disableAllHooks'], isTrue),
  },
  {
    name: 'hooks',
    does: 'in a project that has hooks too, these two take the place of those of the machine',
    seen: 'settings',
    path: ['hooks'],
    reaches: isManaged,
    files: (place) => [join(place.home, '.qwen', 'settings.json')],
    isOn: () => true,
  },
  systemFileSwitch(VARIABLE),
  { name: 'QWEN_CODE_SIMPLE', does: NO_HOOK, seen: 'environment' },
  // Of versions that are nearer to Gemini CLI.
  ...configSwitches(files, system).map((one): Switch => ({ ...one, documented: true })),
  { name: '--bare', does: NO_HOOK, seen: 'nowhere', words: ['--bare'] },
  { name: '--safe-mode', does: NO_HOOK, seen: 'nowhere', words: ['--safe-mode'], documented: true },
  harmlessFlag('--yolo'),
  {
    name: 'tools.approvalMode = "yolo"',
    does: NO_QUESTIONS,
    leaves: 'all',
    documented: true,
    seen: 'settings',
    path: ['tools', 'approvalMode'],
    files,
    isOn: is('yolo'),
  },
];
