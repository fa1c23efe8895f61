/** `harness daemon`: begins, ends and shows the user's daemon; `serve` is that process. */

import { setTimeout as sleep } from 'node:timers/promises';
import { launcher, refuseWindows, unjudgedText } from '../agents/index.ts';
import { didYouMean } from '../base/index.ts';
import {
  clearSocket,
  type DaemonState,
  type DaemonStatus,
  daemonEnvironment,
  daemonFolder,
  daemonLock,
  daemonStatus,
  type ServeOptions,
  sendOperation,
  serve,
  spawnDaemon,
} from '../launcher/index.ts';
import { lockHolder, machineHost } from '../machine/index.ts';
import { openFolder } from '../policy/index.ts';
import { type Arguments, type Output, quote, type Run, UsageError } from '../terminal/index.ts';

const IDLE_MS = 30 * 60 * 1000;
const BEAT_MS = 5 * 60 * 1000;
const START_MS = 10_000;
const STOP_MS = 4000;

type Step = (args: Arguments, output: Output) => Promise<number>;

const STEPS: Readonly<Record<string, Step>> = {
  start: async (args, output) => {
    const before = await daemonStatus();
    if (before.state === 'silent')
      throw new UsageError(`${silent(before)}; end it with \`harness daemon stop\``);
    if (before.state === 'answers' && !before.says.stale) return show(before, args, output);
    const folder = placeOfDaemon();
    const problem = openFolder(folder);
    if (problem !== null) throw new UsageError(problem);
    const given = ['idle', 'http', 'beat'].flatMap((name) => {
      const value = args.value(name);
      return value === undefined ? [] : [`--${name}`, value];
    });
    // A caller over HTTP brings no environment: then that of the person counts who starts the daemon.
    const { http } = serveOptions(args);
    const env = http === null ? daemonEnvironment(machineHost) : machineHost.variables();
    const started = await spawnDaemon(folder, process.argv[1]!, given, env);
    if (typeof started === 'string') throw new UsageError(`the daemon could not be started: ${started}`);
    for (let waited = 0; waited < START_MS; waited += 20) {
      const seen = await daemonStatus();
      if (seen.state === 'answers' && !seen.says.stale) return show(seen, args, output);
      await sleep(20);
    }
    throw new UsageError(`the daemon did not answer within ${START_MS / 1000} s; see ${folder}/log`);
  },
  stop: async (args, output) => {
    const folder = placeOfDaemon();
    const holder = lockHolder(daemonLock(folder));
    const { said } = await sendOperation(folder, 'stop');
    // One that is stopped or hangs hears nothing; the lock tells which process it is, and that it is still the same.
    if (said === null && holder !== null && lockHolder(daemonLock(folder)) === holder) {
      process.kill(holder, 'SIGKILL');
    }
    for (let waited = 0; waited < STOP_MS && lockHolder(daemonLock(folder)) !== null; waited += 20)
      await sleep(20);
    const ended = lockHolder(daemonLock(folder)) === null;
    // One that was killed left its socket.
    clearSocket(folder);
    const ran = said !== null || holder !== null;
    if (args.has('json')) output.line(JSON.stringify({ ran, ended }));
    else
      output.line(!ran ? 'No daemon runs.' : ended ? 'The daemon has ended.' : 'The daemon is still there.');
    return ended ? 0 : 1;
  },
  status: async (args, output) => show(await daemonStatus(), args, output),
  serve: async (args, output) => {
    const { entry } = launcher();
    const openPages: ServeOptions['openPages'] = async (...about) => {
      const { DaemonPages } = await import('../page/index.ts');
      return new DaemonPages(...about);
    };
    const problem = await serve({ folder: placeOfDaemon(), entry, openPages, ...serveOptions(args) });
    if (problem === null) return 0;
    output.note(`harness daemon: ${problem}`);
    return 1;
  },
};

export const run: Run = async (args, output) => {
  refuseWindows();
  const [word = '', ...rest] = args.positionals;
  const step = Object.hasOwn(STEPS, word) ? STEPS[word] : undefined;
  if (step === undefined || rest.length > 0) {
    const names = Object.keys(STEPS);
    throw new UsageError(
      `unknown action ${quote(args.positionals.join(' '))}${didYouMean(word, names)}\nKnown: ${names.join(', ')}`,
    );
  }
  return step(args, output);
};

function placeOfDaemon(): string {
  const folder = daemonFolder(machineHost);
  if (folder === null) throw new UsageError('want HOME or XDG_STATE_HOME to be set');
  return folder;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_IDLE_MS = 7 * 24 * UNITS.h!;

function serveOptions(args: Arguments): Pick<ServeOptions, 'idleMs' | 'beatMs' | 'http'> {
  const port = args.value('http');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw new UsageError(`--http: want a port, or 0 for any, got ${quote(port)}`);
  // An agent that calls a URL where nobody listens may go on unguarded.
  const idle = port === undefined ? IDLE_MS : LONGEST_IDLE_MS;
  return {
    idleMs: timeOf(args, 'idle') ?? idle,
    beatMs: timeOf(args, 'beat') ?? BEAT_MS,
    http: port === undefined ? null : Number(port),
  };
}

function timeOf(args: Arguments, name: string): number | null {
  const given = args.value(name);
  if (given === undefined) return null;
  const found = /^(\d+(?:\.\d+)?)([smh])$/.exec(given);
  const ms = found === null ? 0 : Number(found[1]) * UNITS[found[2]!]!;
  if (ms > 0 && ms <= LONGEST_IDLE_MS) return ms;
  throw new UsageError(`--${name}: want a time such as 30s, 10m or 2h, at most 168h, got ${quote(given)}`);
}

function show(seen: DaemonStatus, args: Arguments, output: Output): number {
  const good = seen.state === 'answers' && !seen.says.stale;
  if (args.has('json')) output.line(JSON.stringify(seen));
  else output.line(daemonWords(seen));
  return good ? 0 : 1;
}

/** As `status` and `doctor` say it. */
export function daemonWords(seen: DaemonStatus): string {
  if (seen.state === 'absent') return 'no daemon runs: the launcher decides by itself';
  return seen.state === 'silent' ? silent(seen) : answers(seen.says);
}

function silent({ pid, why }: DaemonStatus & { readonly state: 'silent' }): string {
  return `the daemon (process ${pid}) does not answer: ${why}`;
}

function answers(state: DaemonState): string {
  const { pid, version, since, answered, refused, policies, stale, http, unjudged } = state;
  const begun = new Date(since).toISOString().replace('T', ' ').slice(0, 19);
  const counts = `${answered} answered, ${refused} left to the launcher, ${policies} policies open`;
  const old = stale ? '; another build is installed: it refuses requests and ends' : '';
  const url = http === null ? '' : `; on ${http}`;
  const raised = unjudged.map((one) => `\n  NOT JUDGED  ${unjudgedText(one)}`).join('');
  return `daemon ${version}, process ${pid} since ${begun}: ${counts}${url}${old}${raised}`;
}
