/** What keeps hooks of Qwen Code from running. */
import { configSwitches, settingsFiles } from '../gemini-cli/switches.ts';
import { isTrue, NO_HOOK, type Switch } from '../switches.ts';

const files = settingsFiles('.qwen', '/etc/qwen-code', 'QWEN_CODE_SYSTEM_SETTINGS_PATH');

export const switches: readonly Switch[] = [
  {
    name: 'disableAllHooks',
    does: NO_HOOK,
    seen: 'settings',
    path: ['disableAllHooks'],
    files,
    isOn: isTrue,
  },
  ...configSwitches(files),
  { name: '--bare', does: NO_HOOK, seen: 'nowhere' },
  { name: '--safe-mode', does: NO_HOOK, seen: 'nowhere' },
  { name: '--yolo', does: 'its own questions are gone', seen: 'holds' },
];
