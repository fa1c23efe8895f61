/** Claude Code: groups of handlers in its settings, seconds, `onFailure: "block"` where a block is honoured. */
import { join } from 'node:path';
import { group, hookListInstaller, isToolEvent } from '../install/hook-lists.ts';
import { type InstallTarget, isManaged, isUser, rootOf, systemFile } from '../install/installer.ts';

const AGENT = 'claude-code';

export function claudeHome({ env, home }: Pick<InstallTarget, 'env' | 'home'>): string {
  return env('CLAUDE_CONFIG_DIR') || join(home, '.claude');
}

export const installer = hookListInstaller({
  agent: AGENT,
  hasSystemPlace: true,
  // For a machine a file of our own beside the settings that its administrator wrote.
  file: (place) =>
    isManaged(place)
      ? systemFile(place, AGENT, 'managed-settings.d/harness.json')
      : join(isUser(place) ? claudeHome(place) : join(rootOf(place), '.claude'), 'settings.json'),
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
});
