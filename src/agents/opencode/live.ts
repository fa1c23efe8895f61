/** How OpenCode is run without a person against a model on loopback. */
import { join } from 'node:path';
import type { JsonObject } from '../../base/index.ts';
import { isUser, rootOf } from '../install/installer.ts';
import { type LiveRecipe, presentFiles } from '../live/recipe.ts';
import { listOf, oursOf } from '../live/registration-copy.ts';
import { installer, openCodeHome } from './install.ts';

export const live: LiveRecipe = {
  call: (command) => ({ name: 'bash', args: { command, description: 'A harmless check' } }),
  argv: (prompt) => ['run', prompt, '--format', 'json'],
  env: (url) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify(openCodeSettings(url)),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
  files: ({ place, textOf }) => {
    const names = ['opencode.json', 'opencode.jsonc'].map((name) => join(rootOf(place), name));
    const named = names.map((file) =>
      listOf(file, textOf, 'plugin', (item) => item.includes('/.harness-guard/opencode.js')),
    );
    // It would install its own package there when it starts, and wait for a network that is not there.
    const packages = ['package.json', 'package-lock.json', 'bun.lock'].map((name) => {
      const path = join(openCodeHome(place), name);
      const text = textOf(path);
      return text === null ? null : { path, text };
    });
    // Otherwise it reads the list of all models there are, which takes longer than all the rest.
    const cache = place.env('XDG_CACHE_HOME') || join(place.home, '.cache');
    const models = { path: join(cache, 'opencode', 'models.json'), text: '{}' };
    return presentFiles([
      ...oursOf(installer.registered(place, textOf), textOf),
      ...(isUser(place) ? [] : named),
      ...packages,
      models,
    ]);
  },
  keeps: (place) => [join(openCodeHome(place), 'node_modules')],
};

function openCodeSettings(url: string): JsonObject {
  const models = {
    scripted: { name: 'scripted', tool_call: true, limit: { context: 100_000, output: 4000 } },
  };
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    permission: { bash: 'allow' },
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'scripted',
        options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
        models,
      },
    },
  };
}
