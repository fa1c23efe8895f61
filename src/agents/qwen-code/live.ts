/** How Qwen Code is run without a person against a model on loopback. */

import { settingsRecipe } from '../gemini-cli/live.ts';
import type { LiveRecipe } from '../live/recipe.ts';

export const live: LiveRecipe = {
  ...settingsRecipe('qwen-code', '.qwen', 'openai'),
  argv: (prompt) => ['-p', prompt, '--yolo', '--output-format', 'json'],
  env: (url) => ({
    OPENAI_API_KEY: 'dummy',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'scripted',
    QWEN_CODE_NO_RELAUNCH: '1',
  }),
};
