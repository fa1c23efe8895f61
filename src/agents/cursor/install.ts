/** Cursor: entries in hooks.json, seconds, `failClosed` where a block is honoured. From its documentation; never run here. */
import { join } from 'node:path';
import { hookListInstaller } from '../install/hook-lists.ts';
import { isManaged, rootOf, systemFile, trustSteps } from '../install/installer.ts';

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
  // No file tells whether a workspace is trusted.
  advice: (place) => trustSteps(place, { program: 'cursor', folder: '.cursor', isTrusted: () => false }),
});
