/** Goose: a plugin folder with groups of handlers, seconds. It runs a call whatever a hook says, so it can only be watched. */
import { join } from 'node:path';
import { group, hookListInstaller } from '../install/hook-lists.ts';
import { type InstallTarget, rootOf } from '../install/installer.ts';
import { markerOf } from '../install/operation.ts';

const folder = (place: InstallTarget) => join(rootOf(place), '.agents', 'plugins', 'harness');

const MANIFEST = `${JSON.stringify(
  { name: 'harness', version: '1.0.0', description: `Puts what happens on the tape (${markerOf('goose')})` },
  null,
  2,
)}\n`;

const PLUGIN = { kind: 'whole', text: MANIFEST, executable: false } as const;

export const installer = hookListInstaller({
  agent: 'goose',
  file: (place) => join(folder(place), 'hooks', 'hooks.json'),
  // A matcher of `*` is not valid there and would switch the group off.
  entry: ({ line, timeoutMs }) => group({ type: 'command', command: line, timeout: timeoutMs / 1000 }, null),
  more: (place, registrations) => [
    {
      file: join(folder(place), 'plugin.json'),
      within: rootOf(place),
      container: null,
      operations: () => (registrations.length === 0 ? [] : [PLUGIN]),
      leftovers: () => [PLUGIN],
    },
  ],
});
