/**
 * `harness doctor`: are the guards of this folder there, and do they hold? It looks at what is registered, then sends a canary
 * through it for every event, and through copies in which something is broken. Exits 1 if a guard is off or has a hole.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { INSTALLERS } from '../adapters/install/agents.ts';
import { type Place, rootOf } from '../adapters/install/installer.ts';
import { machineHost } from '../base/host.ts';
import { currentPause } from '../policy/pause.ts';
import { lookForSandbox } from '../sandbox/offer.ts';
import {
  dirPlace,
  type NamedAgent,
  namedAgents,
  refuseWindows,
  textOnDisk,
  userPlace,
} from './agents-place.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { seeDaemon } from './daemon/reach.ts';
import { daemonWords } from './daemon.ts';
import { agentVersion } from './doctor/agent-version.ts';
import { type CanaryResult, runCanaries } from './doctor/canaries.ts';
import { heartbeat, unjudged, unjudgedWords } from './doctor/heartbeat.ts';
import { type Inspection, inspect } from './doctor/inspect.ts';
import type { LiveResult } from './doctor/live/prove.ts';
import { mcpProblem, mcpServers } from './doctor/mcp-servers.ts';
import { sandboxData, sandboxWords } from './doctor/sandbox.ts';
import type { Output } from './output.ts';
import { countOf } from './problems.ts';
import { NO_AGENT } from './status.ts';

interface Report extends Inspection {
  readonly canaries: readonly CanaryResult[];
  /** With `--live`: what became of the agent itself. */
  readonly live?: LiveResult;
  readonly version: string | null;
}

export const run: Run = async (args, output) => {
  refuseWindows();
  if (args.has('watch')) return watch(args, output);
  const named = args.positionals.length > 0;
  const agents = await namedAgents(named ? args.positionals : [...INSTALLERS.keys()]);
  const pause = currentPause(machineHost);
  const reports: Report[] = [];
  for (const agent of agents) {
    const found = placesOf(args)
      .map((place) => ({ place, seen: inspect(agent, place) }))
      .filter(({ seen }) => seen.registered.length > 0 || seen.recorded);
    for (const { place, seen } of found) {
      reports.push(
        args.has('live') ? await live(agent, place, seen) : await examine(agent, place, seen, pause !== null),
      );
    }
    if (named && found.length === 0) {
      reports.push(absent(agent, placesOf(args)[0]!, args.has('live')));
    }
  }
  // Servers are not a matter of one agent, and not what an agent is started for.
  const servers = named || args.has('live') ? [] : mcpServers(placesOf(args));
  const general = [
    ...(pause === null ? [] : [`paused until ${new Date(pause.until).toISOString()}: ${pause.reason}`]),
    ...(reports.length + servers.length === 0 ? [NO_AGENT] : []),
    ...servers.flatMap((server) => mcpProblem(server) ?? []),
  ];
  const daemon = await seeDaemon();
  const sandbox = await lookForSandbox(machineHost, process.cwd());
  const bad = general.length > 0 || reports.some((report) => !isGood(report));
  if (args.has('json'))
    output.line(
      JSON.stringify({
        ok: !bad,
        problems: general,
        daemon,
        sandbox: sandboxData(sandbox),
        agents: reports.map(dataOf),
        servers,
      }),
    );
  else {
    print(reports, general, output);
    for (const { server, client } of servers.filter((one) => one.problem === null))
      output.line(
        `${output.paint('bold', server)}  ${output.paint('green', 'behind the proxy')} in ${client}`,
      );
    // One that does not answer costs time and nothing else.
    output.line(`${output.paint('dim', 'daemon')}   ${daemonWords(daemon)}`);
    for (const line of sandboxWords(sandbox)) output.line(`${output.paint('dim', 'sandbox')}  ${line}`);
  }
  return bad ? 1 : 0;
};

/** Here and for the user, if none is asked for. */
function placesOf(args: Arguments): Place[] {
  if (args.has('dir') && args.has('user')) throw new UsageError('want --dir or --user, got both');
  if (args.has('user')) return [userPlace()];
  const dir = args.value('dir');
  return dir === undefined ? [dirPlace('.'), userPlace()] : [dirPlace(dir)];
}

function absent(agent: NamedAgent, place: Place, tried: boolean): Report {
  const seen = inspect(agent, place);
  const problem = `it is not installed here; run \`harness install ${seen.agent}\``;
  const gone: LiveResult = { verdict: 'broken', causes: [problem], facts: null, program: null, limits: [] };
  return { ...seen, problems: [problem], canaries: [], version: null, ...(tried && { live: gone }) };
}

/** With `--live` only proof counts. */
function isGood({ problems, live: result }: Pick<Report, 'problems' | 'live'>): boolean {
  return problems.length === 0 && (result === undefined || result.verdict === 'proved');
}

async function live({ adapter }: NamedAgent, place: Place, seen: Inspection): Promise<Report> {
  const { proveLive } = await import('./doctor/live/prove.ts');
  const version = agentVersion(adapter.agent, machineHost.env('PATH') ?? '');
  const result = await proveLive(seen, place);
  return { ...seen, live: result, problems: result.causes, canaries: [], version };
}

async function examine(
  { adapter, installer }: NamedAgent,
  place: Place,
  seen: Inspection,
  paused: boolean,
): Promise<Report> {
  const { registered, settingsFile } = seen;
  // Canaries are for the lines of this folder.
  const canaries =
    paused || seen.asks !== null
      ? []
      : await runCanaries({ adapter, registered, settingsFile, cwd: rootOf(place), textOf: textOnDisk });
  const failed = canaries.filter(({ problem }) => problem !== null);
  const version = agentVersion(adapter.agent, machineHost.env('PATH') ?? '');
  const tested = adapter.versions.join(', ');
  const other = version !== null && !adapter.versions.includes(version);
  return {
    ...seen,
    canaries,
    version,
    problems: [
      ...seen.problems,
      ...failed.slice(0, MOST_TOLD).map((result) => `${result.event}, ${result.case}: ${result.problem}`),
      ...(failed.length > MOST_TOLD ? [`and ${failed.length - MOST_TOLD} more canaries did not hold`] : []),
      ...unguarded(adapter.agent, place, settingsFile),
    ],
    notes: [
      ...seen.notes,
      ...(other ? [`version ${version} is installed; the tables were tested with ${tested}`] : []),
      ...(installer.advice?.(place) ?? []),
    ],
  };
}

/** Sessions of the agent after it was installed that are on no tape. */
function unguarded(agent: string, place: Place, settingsFile: string): string[] {
  const missing = unjudged(agent, place, settingsFile);
  return missing
    .slice(0, MOST_TOLD)
    .map(({ session, file }) => `session ${session} is on no tape: nothing guarded it (${file})`)
    .concat(
      missing.length > MOST_TOLD
        ? [`and ${countOf(missing.length - MOST_TOLD, 'more session')} on no tape`]
        : [],
    );
}

/** Until it is interrupted. Exits 1 if something was raised. */
async function watch(args: Arguments, output: Output): Promise<number> {
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => over.abort());
  if (!args.has('json')) output.note('comparing the transcripts of agents with tapes; Ctrl-C ends');
  const raised = new Set<string>();
  while (!over.signal.aborted && !output.closed) {
    for (const one of heartbeat().filter(({ file }) => !raised.has(file))) {
      raised.add(one.file);
      output.line(
        args.has('json') ? JSON.stringify(one) : `${output.paint('red', 'problem')}  ${unjudgedWords(one)}`,
      );
    }
    await sleep(BEAT_MS, undefined, { signal: over.signal }).catch(() => {});
  }
  return raised.size > 0 ? 1 : 0;
}

const BEAT_MS = 2000;
/** Of one kind; the rest is a number. */
const MOST_TOLD = 5;

function print(reports: readonly Report[], general: readonly string[], output: Output): void {
  for (const report of reports) {
    const { agent, scope, dir, registered, canaries, problems, notes, version } = report;
    const place = scope === 'user' ? 'for the user' : `in ${dir}`;
    const title = `${output.paint('bold', agent)}${version === null ? '' : ` ${version}`}`;
    if (report.live !== undefined) {
      printLive(report.live, `${title}  `, place, output);
      continue;
    }
    const good = problems.length === 0;
    const held =
      report.watched === null ? output.paint('green', 'guarded') : output.paint('yellow', 'RECORDED ONLY');
    const word = good ? held : output.paint('red', 'NOT SAFE');
    output.line(`${title}  ${word} ${place}`);
    const answered = canaries.filter(({ problem }) => problem === null).length;
    output.line(
      `  ${countOf(registered.length, 'event')} registered, ${answered} of ${countOf(canaries.length, 'canary')} held`.replace(
        'canarys',
        'canaries',
      ),
    );
    for (const problem of problems) output.line(`  ${output.paint('red', 'problem')}  ${problem}`);
    for (const note of notes) output.line(`  ${output.paint('dim', 'note')}     ${note}`);
  }
  for (const problem of general) output.line(`${output.paint('red', 'problem')}  ${problem}`);
}

const LIVE_WORDS = {
  proved: ['green', 'PROVED', 'it was stopped'],
  broken: ['red', 'NOT SAFE', 'it was not stopped as it must be'],
  unproved: ['yellow', 'COULD NOT PROVE', 'nothing is known'],
} as const;

function printLive(
  { verdict, causes, limits, facts }: LiveResult,
  title: string,
  place: string,
  output: Output,
): void {
  const [style, word, about] = LIVE_WORDS[verdict];
  output.line(`${title}${output.paint(style, word)} ${place}: ${about}`);
  if (verdict === 'proved') {
    const read = facts?.reasonSeen ? ', the model read the reason' : '';
    output.line(`  the tool did not run, the tape has the block${read}`);
  }
  for (const cause of causes) output.line(`  ${output.paint(style, 'cause')}    ${cause}`);
  for (const limit of limits) output.line(`  ${output.paint('dim', 'note')}     ${limit}`);
}

function dataOf({ registered, ...report }: Report) {
  const guarded = isGood(report) && report.watched === null;
  return { ...report, events: registered.map(({ event }) => event), guarded };
}
