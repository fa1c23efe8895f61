/** Qwen Code grew out of Gemini CLI: its settings have the same form. */
import { settingsInstaller } from '../gemini-cli/install.ts';

export const installer = settingsInstaller('qwen-code', '.qwen', 'qwen', true, {
  path: ['disableAllHooks'],
  value: false,
});
