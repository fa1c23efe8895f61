/**
 * `harness doctor`: are the guards of this folder there, do they hold, and do they leave ordinary work alone? It looks at what is
 * registered, sends a canary through it for every event and through copies in which something is broken, and judges ordinary calls
 * by the policy in force. Exits 1 if a guard is off, has a hole, or is in the way though Harness ships it.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ALL_AGENTS,
  agentVersion,
  type CodingAgent,
  dirPlace,
  heartbeat,
  type InstallTarget,
  isManaged,
  managedPlace,
  namedAgents,
  refuseWindows,
  unjudgedSessions,
  unjudgedText,
  userPlace,
} from '../agents/index.ts';
import { daemonStatus } from '../launcher/index.ts';
import { findSandbox, machineHost } from '../machine/index.ts';
import { currentPause } from '../policy/index.ts';
import {
  type CanaryResult,
  type Inspection,
  idleIn,
  inspect,
  judgeOrdinary,
  type LiveResult,
  mcpProblem,
  mcpServers,
  NO_AGENT,
  type OrdinaryReport,
  type OrdinaryRequest,
  ordinaryWords,
  proveLive,
  runCanaries,
  sandboxData,
  sandboxWords,
  shippedTestProblems,
  storeProblems,
  unregisteredHooks,
} from '../project/index.ts';
import {
  type Arguments,
  countOf,
  type Output,
  openPolicyAt,
  type Run,
  UsageError,
} from '../terminal/index.ts';
import { daemonWords } from './daemon.ts';
import { TEMPLATES } from './init/scaffold.ts';

interface Report extends Inspection {
  readonly canaries: readonly CanaryResult[];
  /** What became of ordinary calls. */
  readonly ordinary: OrdinaryReport;
  /** With `--live`: what became of the agent itself. */
  readonly live?: LiveResult;
  readonly version: string | null;
}

export const run: Run = async (args, output) => {
  refuseWindows();
  if (args.has('watch')) return watch(args, output);
  const named = args.positionals.length > 0;
  const agents = named ? namedAgents(args.positionals) : ALL_AGENTS;
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
  const tried = agents
    .map(({ adapter }) => adapter)
    .filter((adapter) =>
      reports.some(({ agent, registered }) => agent === adapter.agent && registered.length > 0),
    );
  const policy = args.has('live') ? null : await openPolicyAt(args.value('dir') ?? '.');
  const idle = policy === null ? NOTHING_IDLE : await idleIn(policy, tried);
  const general = [
    ...(pause === null ? [] : [`paused until ${new Date(pause.until).toISOString()}: ${pause.reason}`]),
    ...(reports.length + servers.length === 0 ? [NO_AGENT] : []),
    ...servers.flatMap((server) => mcpProblem(server) ?? []),
    ...storeProblems(placesOf(args).map(runsOf), machineHost),
    ...idle.off,
    ...(policy === null ? [] : unregisteredHooks(reports, policy)),
    ...(policy === null ? [] : await shippedTestProblems(policy, SHIPPED)),
  ];
  const daemon = await daemonStatus();
  const sandbox = await findSandbox(machineHost, process.cwd());
  const bad = general.length > 0 || reports.some((report) => !isGood(report));
  if (args.has('json'))
    output.line(
      JSON.stringify({
        ok: !bad,
        problems: general,
        notes: idle.notHere,
        daemon,
        sandbox: sandboxData(sandbox),
        agents: reports.map(dataOf),
        servers,
      }),
    );
  else {
    print(reports, general, output);
    for (const note of idle.notHere) output.line(`${output.paint('dim', 'note')}     ${note}`);
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
function placesOf(args: Arguments): InstallTarget[] {
  if (args.has('managed')) return [managedPlace()];
  if (args.has('dir') && args.has('user')) throw new UsageError('want --dir or --user, got both');
  if (args.has('user')) return [userPlace()];
  const dir = args.value('dir');
  return dir === undefined ? [dirPlace('.'), userPlace(), managedPlace()] : [dirPlace(dir)];
}

/** The folder of tapes of a place. */
function runsOf(place: InstallTarget): string {
  const { scope } = isManaged(place) ? userPlace() : place;
  return 'dir' in scope ? join(scope.dir, '.harness', 'runs') : join(scope.user, 'runs');
}

function absent(agent: CodingAgent, place: InstallTarget, tried: boolean): Report {
  const seen = inspect(agent, place);
  const problem = `it is not installed here; run \`harness install ${seen.agent}\``;
  const gone: LiveResult = { verdict: 'broken', causes: [problem], facts: null, program: null, limits: [] };
  return {
    ...seen,
    problems: [problem],
    canaries: [],
    ordinary: NOT_JUDGED,
    version: null,
    ...(tried && { live: gone }),
  };
}

/** With `--live` only proof counts. */
function isGood({ problems, live: result }: Pick<Report, 'problems' | 'live'>): boolean {
  return problems.length === 0 && (result === undefined || result.verdict === 'proved');
}

async function live(agent: CodingAgent, place: InstallTarget, seen: Inspection): Promise<Report> {
  const version = agentVersion(agent, machineHost.env('PATH') ?? '');
  const result = await proveLive(agent, seen, place, SHIPPED);
  return { ...seen, live: result, problems: result.causes, canaries: [], ordinary: NOT_JUDGED, version };
}

async function examine(
  agent: CodingAgent,
  place: InstallTarget,
  seen: Inspection,
  paused: boolean,
): Promise<Report> {
  const { adapter, installer } = agent;
  const { registered, settingsFile } = seen;
  const canaries = paused ? [] : await runCanaries({ adapter, installer, registered, place });
  const ordinary = paused
    ? NOT_JUDGED
    : await judgeOrdinary({ adapter, ...placeOf(place), host: machineHost, shipped: SHIPPED });
  const stops = ordinaryWords(ordinary);
  const failed = canaries.filter(({ problem }) => problem !== null);
  const version = agentVersion(agent, machineHost.env('PATH') ?? '');
  const tested = adapter.versions.join(', ');
  const other = version !== null && !adapter.versions.includes(version);
  return {
    ...seen,
    canaries,
    ordinary,
    version,
    problems: [
      ...seen.problems,
      ...failed.slice(0, MOST_TOLD).map((result) => `${result.event}, ${result.case}: ${result.problem}`),
      ...(failed.length > MOST_TOLD ? [`and ${failed.length - MOST_TOLD} more canaries did not hold`] : []),
      ...stops.problems,
      ...unguarded(adapter.agent, place, settingsFile),
    ],
    notes: [
      ...seen.chosen,
      ...seen.notes,
      ...stops.notes,
      ...(other ? [`version ${version} is installed; the tables were tested with ${tested}`] : []),
      ...(installer.advice?.(place) ?? []),
    ],
  };
}

/** Hooks that `init` writes. */
const SHIPPED: ReadonlySet<string> = new Set(TEMPLATES.keys());
const NOTHING_IDLE = { off: [], notHere: [] };
const NOT_JUDGED: OrdinaryReport = { calls: [], notTried: [] };

/** Whose policy a registered line asks, and where the agent then works. */
function placeOf(place: InstallTarget): Pick<OrdinaryRequest, 'scope' | 'cwd'> {
  const { scope } = place;
  if (isManaged(place)) return { scope: { dir: null, user: null, managed: true }, cwd: process.cwd() };
  if ('dir' in scope) return { scope: { dir: scope.dir, user: null }, cwd: scope.dir };
  return { scope: { dir: null, user: scope.user }, cwd: process.cwd() };
}

/** Sessions of the agent after it was installed that are on no tape. */
function unguarded(agent: string, place: InstallTarget, settingsFile: string): string[] {
  const missing = unjudgedSessions(agent, place, settingsFile);
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
        args.has('json') ? JSON.stringify(one) : `${output.paint('red', 'problem')}  ${unjudgedText(one)}`,
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
    const place =
      scope === 'machine' ? 'for everybody here' : scope === 'user' ? 'for the user' : `in ${dir}`;
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
    const { calls } = report.ordinary;
    const passed = calls.filter(({ outcome }) => outcome === 'passed').length;
    if (calls.length > 0) output.line(`  ${passed} of ${countOf(calls.length, 'ordinary call')} passed`);
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
    if (facts?.ordinaryRan) output.line('  an ordinary command ran');
  }
  for (const cause of causes) output.line(`  ${output.paint(style, 'cause')}    ${cause}`);
  for (const limit of limits) output.line(`  ${output.paint('dim', 'note')}     ${limit}`);
}

function dataOf({ registered, ...report }: Report) {
  const guarded = isGood(report) && report.watched === null;
  return { ...report, events: registered.map(({ event }) => event), guarded };
}
