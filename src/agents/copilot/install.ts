/**
 * GitHub Copilot CLI: a file of its own in .github/hooks, seconds. It skips the hooks of a folder that it does not trust
 * without a word, so the folder is put into the list of trusted ones that the agent keeps.
 */
import { join } from 'node:path';
import { hookListInstaller } from '../install/hook-lists.ts';
import { type InstallTarget, isManaged, isUser, rootOf, systemFile } from '../install/installer.ts';

export function copilotHome(place: InstallTarget): string {
  return place.env('COPILOT_HOME') || join(place.home, '.copilot');
}

function hooksFile(place: InstallTarget): string {
  if (isManaged(place)) return systemFile(place, 'copilot', 'policy.d/harness.json');
  const folder = isUser(place) ? copilotHome(place) : join(rootOf(place), '.github');
  return join(folder, 'hooks', 'harness.json');
}

export const installer = hookListInstaller({
  agent: 'copilot',
  hasSystemPlace: true,
  file: hooksFile,
  defaults: () => [{ path: ['version'], value: 1 }],
  entry: ({ line, timeoutMs }) => ({ type: 'command', bash: line, timeoutSec: timeoutMs / 1000 }),
  more: (place, registrations) =>
    isUser(place)
      ? []
      : [
          {
            file: join(copilotHome(place), 'config.json'),
            within: copilotHome(place),
            container: null,
            operations: () =>
              registrations.length === 0
                ? []
                : [{ kind: 'member', path: ['trustedFolders'], value: rootOf(place) }],
          },
        ],
});
