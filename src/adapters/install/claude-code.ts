/** Claude Code: groups of handlers in its settings, seconds, `onFailure: "block"` where a block is honoured. */
import { join } from 'node:path';
import { group, hookListInstaller, isToolEvent } from './hook-lists.ts';
import { isUser, type Place, rootOf } from './installer.ts';
import { jsonAt } from './json-edit.ts';

function folder(place: Place): string {
  if (!isUser(place)) return join(rootOf(place), '.claude');
  return place.env('CLAUDE_CONFIG_DIR') || join(place.home, '.claude');
}

export const claudeCode = hookListInstaller({
  agent: 'claude-code',
  file: (place) => join(folder(place), 'settings.json'),
  entry: ({ row, line, timeoutMs }) =>
    group(
      {
        type: 'command',
        command: line,
        timeout: timeoutMs / 1000,
        ...(row.honours.block && { onFailure: 'block' }),
      },
      isToolEvent(row) ? '*' : null,
    ),
  switchedOff: (place, textOf) => {
    const user = place.env('CLAUDE_CONFIG_DIR') || join(place.home, '.claude');
    const files = [...new Set([folder(place), user])].flatMap((dir) => [
      join(dir, 'settings.json'),
      join(dir, 'settings.local.json'),
    ]);
    return files
      .filter((file) => jsonAt(textOf(file) ?? '', ['disableAllHooks']) === true)
      .map((file) => `${file}: disableAllHooks is true, so that no hook runs`);
  },
});
