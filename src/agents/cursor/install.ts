/** Cursor: entries in hooks.json, seconds, `failClosed` where a block is honoured. From its documentation; never run here. */
import { join } from 'node:path';
import { hookListInstaller } from '../install/hook-lists.ts';
import { isManaged, isUser, rootOf, systemFile } from '../install/installer.ts';

export const installer = hookListInstaller({
  agent: 'cursor',
  hasSystemPlace: true,
  file: (place) =>
    isManaged(place)
      ? systemFile(place, 'cursor', 'hooks.json')
      : join(rootOf(place), '.cursor', 'hooks.json'),
  defaults: () => [{ path: ['version'], value: 1 }],
  entry: ({ row, line, timeoutMs }) => ({
    command: line,
    timeout: timeoutMs / 1000,
    ...(row.honours.block && { failClosed: true }),
  }),
  advice: (place) =>
    isUser(place)
      ? []
      : [
          `Cursor runs the hooks of a project only in a workspace it trusts: open ${rootOf(place)} once and trust it`,
        ],
});
