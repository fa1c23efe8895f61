/** OpenCode: a plugin of ours. For a project it stands in a folder of its own and is named in opencode.json. */
import { join } from 'node:path';
import { inProcessInstaller } from '../install/in-process.ts';
import { type InstallTarget, isUser, rootOf } from '../install/installer.ts';
import { adapter } from './index.ts';
import { openCodePlugin } from './plugin.ts';

export function openCodeHome({ env, home }: InstallTarget): string {
  return join(env('XDG_CONFIG_HOME') || join(home, '.config'), 'opencode');
}

export const installer = inProcessInstaller({
  adapter,
  file: (place) =>
    isUser(place)
      ? join(openCodeHome(place), 'plugin', 'harness.js')
      : join(rootOf(place), '.harness-guard', 'opencode.js'),
  named: (place, textOf) => {
    if (isUser(place)) return null;
    const [plain, commented] = ['opencode.json', 'opencode.jsonc'].map((name) => join(rootOf(place), name));
    const file = textOf(plain!) === null && textOf(commented!) !== null ? commented! : plain!;
    return { file, list: ['plugin'] };
  },
  source: openCodePlugin,
});
