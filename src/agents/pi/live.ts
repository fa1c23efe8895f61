/** How pi is run without a person against a model on loopback. */
import { join } from 'node:path';
import type { LiveRecipe } from '../live/recipe.ts';
import { oursOf } from '../live/registration-copy.ts';
import { installer, piHome } from './install.ts';

export const live: LiveRecipe = {
  call: (command) => ({ name: 'bash', args: { command } }),
  argv: (prompt) => [
    ...['-p', '--mode', 'json', '--offline', '--no-session', '--provider', 'scripted', '--model', 'scripted'],
    prompt,
  ],
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  files: ({ place, url, textOf }) => {
    const scripted = {
      ...{ baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'dummy' },
      models: [{ id: 'scripted' }],
    };
    return [
      ...oursOf(installer.registered(place, textOf), textOf),
      { path: join(piHome(place), 'models.json'), text: JSON.stringify({ providers: { scripted } }) },
    ];
  },
};
