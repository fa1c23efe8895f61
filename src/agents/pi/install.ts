/** pi: an extension of ours, which it finds in its folder of extensions. */
import { join } from 'node:path';
import { inProcessInstaller } from '../install/in-process.ts';
import { isUser, rootOf } from '../install/installer.ts';
import { piExtension } from './extension.ts';
import { adapter } from './index.ts';

export const installer = inProcessInstaller({
  adapter,
  file: (place) =>
    isUser(place)
      ? join(place.env('PI_CODING_AGENT_DIR') || join(place.home, '.pi', 'agent'), 'extensions', 'harness.ts')
      : join(rootOf(place), '.pi', 'extensions', 'harness.ts'),
  source: piExtension,
});
