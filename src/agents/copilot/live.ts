/** How Copilot CLI is run without a person against a model on loopback. */
import { join } from 'node:path';
import { isUser, rootOf } from '../install/installer.ts';
import { type LiveRecipe, presentFiles } from '../live/recipe.ts';
import { jsonPart } from '../live/registration-copy.ts';
import { copilotHome } from './install.ts';

export const live: LiveRecipe = {
  call: (command) => ({
    name: 'bash',
    args: { command, description: 'A harmless check', initial_wait: 5, mode: 'sync' },
  }),
  argv: (prompt) => ['-p', prompt, '--allow-all-tools', '--no-auto-update', '--output-format', 'json'],
  env: (url) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'scripted',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  files: ({ place, textOf }) => {
    const home = copilotHome(place);
    const folder = isUser(place) ? home : join(rootOf(place), '.github');
    return presentFiles([
      jsonPart(join(folder, 'hooks', 'harness.json'), textOf, 'copilot', [['version'], ['disableAllHooks']]),
      jsonPart(join(home, 'config.json'), textOf, 'copilot', [['trustedFolders'], ['trusted_folders']]),
      jsonPart(join(home, 'settings.json'), textOf, 'copilot', [['disableAllHooks']]),
    ]);
  },
};
