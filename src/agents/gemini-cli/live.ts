/** How Gemini CLI is run without a person against a model on loopback; Qwen Code is run much the same. */
import { join } from 'node:path';
import { rootOf } from '../install/installer.ts';
import { type LiveRecipe, presentFiles } from '../live/recipe.ts';
import { jsonPart } from '../live/registration-copy.ts';

/** Gemini CLI and Qwen Code, which grew out of it. */
export function settingsRecipe(
  agent: string,
  folder: string,
  auth: string,
): Pick<LiveRecipe, 'files' | 'call'> {
  const kept = [['hooksConfig'], ['disableAllHooks'], ['security', 'folderTrust']];
  return {
    call: (command) => ({
      name: 'run_shell_command',
      args: {
        command,
        description: 'A harmless check',
        ...(agent === 'qwen-code' && { is_background: false }),
      },
    }),
    files: ({ place, textOf }) => {
      const user = join(place.home, folder, 'settings.json');
      const project = join(rootOf(place), folder, 'settings.json');
      const more = {
        security: { auth: { selectedType: auth } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      };
      const trusted = join(place.home, folder, 'trustedFolders.json');
      const trustedText = textOf(trusted);
      return presentFiles([
        jsonPart(user, textOf, agent, kept, false, more) ?? { path: user, text: JSON.stringify(more) },
        user === project ? null : jsonPart(project, textOf, agent, kept),
        trustedText === null ? null : { path: trusted, text: trustedText },
      ]);
    },
  };
}

export const live: LiveRecipe = {
  ...settingsRecipe('gemini-cli', '.gemini', 'gemini-api-key'),
  argv: (prompt) => ['-p', prompt, '--yolo', '--output-format', 'json', '-m', 'gemini-2.5-flash'],
  env: (url) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: 'true' }),
};
