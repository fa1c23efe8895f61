/** The answer while a person has paused the guards: the call goes on, and that is said and written down. */
import { type Adapter, type Answer, goOnAnswer } from '../agents/index.ts';
import type { Host } from '../machine/index.ts';
import { appendPauseLog, currentPause, stateFolder } from '../policy/index.ts';
import type { HookOptions } from './hook-options.ts';

/** Null: the guards are not paused. The payload is not looked at: a pause is the way out where nothing can be read. */
export function pausedAnswer(adapter: Adapter, { agent, event }: HookOptions, host: Host): Answer | null {
  const pause = currentPause(host);
  if (pause === null) return null;
  try {
    const state = stateFolder(host);
    const entry = { time: host.now(), what: 'passed', agent, event: event ?? '' };
    if (state !== null) appendPauseLog(state, entry);
  } catch {
    // The pause itself is on record.
  }
  const stderr = `harness: GUARD PAUSED until ${new Date(pause.until).toISOString()}: ${pause.reason}`;
  const row = adapter.events.find(({ native }) => native === event);
  const answer = row === undefined ? { stdout: '', exitCode: 0 } : goOnAnswer(adapter, row, stderr);
  return { ...answer, stderr: `${stderr}\n` };
}
