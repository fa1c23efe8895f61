/** How Claude Code is run without a person against a model on loopback. */
import { join } from 'node:path';
import { rootOf } from '../install/installer.ts';
import { jsonAt } from '../install/json-edit.ts';
import { type LiveRecipe, presentFiles } from '../live/recipe.ts';
import { jsonPart } from '../live/registration-copy.ts';
import { claudeHome } from './install.ts';

export const live: LiveRecipe = {
  call: (command) => ({ name: 'Bash', args: { command, description: 'A harmless check' } }),
  argv: (prompt) => ['-p', prompt, '--output-format', 'json', '--max-turns', '5', '--allowedTools', 'Bash'],
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_MODEL: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  }),
  files: ({ place, cwd, textOf }) => {
    const folders = [...new Set([claudeHome(place), join(rootOf(place), '.claude')])];
    const settings = folders.flatMap((folder) =>
      ['settings.json', 'settings.local.json'].map((name) =>
        jsonPart(join(folder, name), textOf, 'claude-code', [
          ['disableAllHooks'],
          ['env', 'CLAUDE_CODE_SIMPLE'],
          ['env', 'CLAUDE_CODE_SAFE_MODE'],
        ]),
      ),
    );
    const own = join(place.env('CLAUDE_CONFIG_DIR') || place.home, '.claude.json');
    const accepted = jsonAt(textOf(own) ?? '', ['projects', cwd, 'hasTrustDialogAccepted']);
    const projects = { [cwd]: { hasTrustDialogAccepted: accepted === true } };
    return presentFiles([
      ...settings,
      { path: own, text: JSON.stringify({ hasCompletedOnboarding: true, projects }) },
    ]);
  },
};
