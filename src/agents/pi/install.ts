/** pi: an extension of ours, which it finds in its folder of extensions. */
import { join } from 'node:path';
import { inProcessInstaller } from '../install/in-process.ts';
import { isUser, rootOf } from '../install/installer.ts';
import { piExtension } from './extension.ts';

export const installer = inProcessInstaller({
  agent: 'pi',
  events: [
    ...['session_start', 'input', 'tool_call', 'tool_result', 'turn_end', 'session_shutdown'],
    ...['session_before_compact', 'session_compact'],
  ],
  file: (place) =>
    isUser(place)
      ? join(place.env('PI_CODING_AGENT_DIR') || join(place.home, '.pi', 'agent'), 'extensions', 'harness.ts')
      : join(rootOf(place), '.pi', 'extensions', 'harness.ts'),
  source: piExtension,
});
