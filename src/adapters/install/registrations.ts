/**
 * What is registered for each event of an agent: a line that runs the launcher and answers for it if it cannot, with limits
 * inside those of the agent. Everything in the line is an absolute path: the agent may start it anywhere, with any PATH.
 */
import type { Adapter, EventRow } from '../adapter.ts';
import { denyAnswer } from '../deny.ts';
import { type GuardLineOptions, guardLine, type NativeClient } from '../guard-line.ts';
import type { Installer, Place, Registration } from './installer.ts';
import { markerOf } from './operation.ts';

/** How long an agent waits for the line. */
const AGENT_MS = 15_000;
/** The line answers by itself before that; what is left is for starting and ending it. */
const SHARE = 2 / 3;

export interface Launcher {
  readonly node: string;
  readonly entry: string;
  /** What starts it. */
  readonly starter?: string;
  /** The client in front of it, if it is wanted. */
  readonly native?: NativeClient;
}

export function registrationsOf(
  adapter: Adapter,
  installer: Installer,
  place: Place,
  launcher: Launcher,
): Registration[] {
  const file = installer.settingsFile(place);
  return adapter.events.map((row) => {
    const timeoutMs = Math.min(AGENT_MS, installer.timeoutMs?.(row) ?? AGENT_MS);
    const deadlineMs = timeoutMs * SHARE;
    const { stdout, exitCode } = fallback(adapter, row, file);
    const call = { ...launcher, agent: adapter.agent, event: row.native, scope: scopeOf(place), deadlineMs };
    const line = guardLine({ ...call, deny: stdout, denyExit: exitCode });
    return {
      row,
      timeoutMs,
      deadlineMs,
      line: `${line} # ${markerOf(adapter.agent)}`,
      argv: launchArgv(call),
    };
  });
}

interface Call extends Launcher {
  readonly agent: string;
  readonly event: string;
  readonly scope: GuardLineOptions['scope'];
  readonly deadlineMs: number;
}

function scopeOf({ scope, userFolder }: Place): GuardLineOptions['scope'] {
  return 'dir' in scope && userFolder !== undefined ? { ...scope, user: userFolder } : scope;
}

/** The same call that is inside the line, as words. */
function launchArgv({ node, entry, agent, event, scope, deadlineMs }: Call): string[] {
  const at = [
    'dir' in scope ? ['--dir', scope.dir] : [],
    scope.user === undefined ? [] : ['--user', scope.user],
  ].flat();
  return [node, entry, agent, event, ...at, '--deadline', String(Math.floor(deadlineMs * 0.75)), '--mark'];
}

/** What is said in the launcher's place: a block where the agent honours one, else nothing. */
export function fallback(
  adapter: Adapter,
  row: EventRow,
  file: string,
): { stdout: string; exitCode: number } {
  return denyAnswer(adapter, row, `Blocked: the policy engine did not answer. It is registered in ${file}.`);
}
