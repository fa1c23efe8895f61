/**
 * `harness pause`: lets agents work unguarded for a while, by a person at a terminal. It is written down, said by every call
 * that passes, and over by itself.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { stateAt } from '../agents/index.ts';
import { isManaged, machineHost } from '../machine/index.ts';
import {
  appendPauseLog,
  currentPause,
  LONGEST_PAUSE_MS,
  openFolder,
  pauseFile,
  pauseText,
} from '../policy/index.ts';
import {
  type Arguments,
  askForWord,
  atTerminal,
  demandPerson,
  quote,
  type Run,
  UsageError,
} from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  demandPerson('pause');
  const state = stateAt();
  if (args.has('off')) {
    const paused = currentPause(machineHost);
    rmSync(pauseFile(state), { force: true });
    if (paused !== null) appendPauseLog(state, { time: machineHost.now(), what: 'ended' });
    output.line(paused === null ? 'There was no pause: guards are on.' : 'The pause is over: guards are on.');
    return 0;
  }
  const [length, reason] = [lengthOf(args), reasonOf(args)];
  if (isManaged()) {
    throw new UsageError('this machine has a managed policy in /etc/harness, which a pause does not reach');
  }
  if ((await askForWord('let agents work unguarded', atTerminal)) !== 'yes') {
    output.line('Nothing was paused: guards are on.');
    return 1;
  }
  const now = machineHost.now();
  const pause = { since: now, until: now + length, reason };
  const problem = openFolder(state);
  if (problem !== null) throw new UsageError(problem);
  const beside = `${pauseFile(state)}.${process.pid}`;
  writeFileSync(beside, pauseText(pause), { mode: 0o600 });
  // Written down before it holds.
  appendPauseLog(state, { time: now, what: 'paused', until: pause.until, reason: pause.reason });
  renameSync(beside, pauseFile(state));
  const until = new Date(pause.until).toISOString();
  if (args.has('json')) output.line(JSON.stringify({ ...pause, file: pauseFile(state) }));
  else {
    output.line(`${output.paint('yellow', 'PAUSED')} until ${until}: agents of this user are not guarded.`);
    output.line('It ends by itself, or now with `harness pause --off`.');
  }
  return 0;
};

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function lengthOf(args: Arguments): number {
  const text = args.value('for');
  if (text === undefined) throw new UsageError('pause needs --for TIME, such as 10m, or --off');
  const parts = /^(\d{1,6})([smh])$/.exec(text);
  const length = parts === null ? 0 : Number(parts[1]) * UNITS[parts[2]!]!;
  if (length <= 0 || length > LONGEST_PAUSE_MS) {
    throw new UsageError(`--for wants a time such as 30s, 10m or 2h, at most 8h, got ${quote(text)}`);
  }
  return length;
}

function reasonOf(args: Arguments): string {
  const reason = args.value('reason')?.trim() ?? '';
  if (reason === '') throw new UsageError('pause needs --reason TEXT: it is written down');
  return reason.slice(0, 500);
}
