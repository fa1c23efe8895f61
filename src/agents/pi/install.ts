/** pi: an extension of ours, which it finds in its folder of extensions. */
import { join } from 'node:path';
import { inProcessInstaller } from '../install/in-process.ts';
import { type InstallTarget, isUser, rootOf } from '../install/installer.ts';
import { piExtension } from './extension.ts';
import { adapter } from './index.ts';

export function piHome({ env, home }: InstallTarget): string {
  return env('PI_CODING_AGENT_DIR') || join(home, '.pi', 'agent');
}

export const installer = inProcessInstaller({
  adapter,
  file: (place) =>
    isUser(place)
      ? join(piHome(place), 'extensions', 'harness.ts')
      : join(rootOf(place), '.pi', 'extensions', 'harness.ts'),
  source: piExtension,
});
