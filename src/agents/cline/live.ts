/** How Cline is run without a person against a model on loopback. */
import { join } from 'node:path';
import type { LiveRecipe } from '../live/recipe.ts';
import { oursOf } from '../live/registration-copy.ts';
import { installer } from './install.ts';

export const live: LiveRecipe = {
  refusalEndsRun: true,
  call: (command) => ({ name: 'run_commands', args: { commands: [command] } }),
  argv: (prompt, { cwd }) => [
    ...['--json', '-t', '50', '-c', cwd, '-P', 'openai-compatible', '-m', 'scripted', prompt],
  ],
  env: () => ({ CLINE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', CLINE_NO_AUTO_UPDATE: '1' }),
  files: ({ place, url, textOf }) => {
    const settings = {
      ...{ provider: 'openai-compatible', apiKey: 'dummy', model: 'scripted' },
      baseUrl: `${url}/v1`,
    };
    const provider = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' };
    const providers = { 'openai-compatible': provider };
    const file = join(place.home, '.cline', 'data', 'settings', 'providers.json');
    return [
      ...oursOf(installer.registered(place, textOf), textOf),
      {
        path: file,
        text: JSON.stringify({ version: 1, lastUsedProvider: 'openai-compatible', modes: {}, providers }),
      },
    ];
  },
};
