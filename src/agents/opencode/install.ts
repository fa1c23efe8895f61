/** OpenCode: a plugin of ours. For a project it stands in a folder of its own and is named in opencode.json. */
import { join } from 'node:path';
import { inProcessInstaller } from '../install/in-process.ts';
import { isUser, rootOf } from '../install/installer.ts';
import { openCodePlugin } from './plugin.ts';

export const installer = inProcessInstaller({
  agent: 'opencode',
  events: [
    ...['chat.message', 'tool.execute.before', 'tool.execute.after', 'experimental.session.compacting'],
    ...['session.created', 'session.idle', 'session.compacted', 'session.error'],
  ],
  file: (place) =>
    isUser(place)
      ? join(place.env('XDG_CONFIG_HOME') || join(place.home, '.config'), 'opencode', 'plugin', 'harness.js')
      : join(rootOf(place), '.harness-guard', 'opencode.js'),
  named: (place, textOf) => {
    if (isUser(place)) return null;
    const [plain, commented] = ['opencode.json', 'opencode.jsonc'].map((name) => join(rootOf(place), name));
    const file = textOf(plain!) === null && textOf(commented!) !== null ? commented! : plain!;
    return { file, list: ['plugin'] };
  },
  source: openCodePlugin,
});
