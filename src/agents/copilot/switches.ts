/** What keeps hooks of Copilot CLI from running. */
import { join } from 'node:path';
import { isUser, type Place, rootOf } from '../install/installer.ts';
import { isTrue, NO_HOOK, type Switch } from '../switches.ts';

function files(place: Place): string[] {
  const home = place.env('COPILOT_HOME') || join(place.home, '.copilot');
  const folder = isUser(place) ? home : join(rootOf(place), '.github');
  const settings = isUser(place) ? [] : ['settings.json', 'settings.local.json'];
  return [
    join(folder, 'hooks', 'harness.json'),
    join(home, 'settings.json'),
    ...settings.map((name) => join(folder, 'copilot', name)),
  ];
}

export const switches: readonly Switch[] = [
  {
    name: 'disableAllHooks',
    does: NO_HOOK,
    seen: 'settings',
    path: ['disableAllHooks'],
    files,
    isOn: isTrue,
  },
  { name: '--allow-all-tools', does: 'its own questions are gone', seen: 'holds' },
];
