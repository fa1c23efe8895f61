/** Qwen Code grew out of Gemini CLI: its settings have the same form. */
import { settingsInstaller } from '../gemini-cli/install.ts';

export const installer = settingsInstaller({
  agent: 'qwen-code',
  folder: '.qwen',
  program: 'qwen',
  trusts: true,
  on: { path: ['disableAllHooks'], value: false },
  reachable: 'hooks in the settings of both user and project, --bare, or QWEN_CODE_SYSTEM_SETTINGS_PATH',
});
