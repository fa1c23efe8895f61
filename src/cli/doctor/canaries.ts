/**
 * Sends a canary through what an agent has registered, as the agent would, and holds the answer against the one that must
 * come, byte by byte. Then once more through copies of the line in which something is broken: they must refuse as well.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Adapter, EventRow } from '../../adapters/adapter.ts';
import { CANARY_VARIABLE, canaryAnswer, canaryPayload } from '../../adapters/canary.ts';
import { MARK, quoted } from '../../adapters/guard-line.ts';
import type { ReadText, Registered } from '../../adapters/install/installer.ts';
import { fallback } from '../../adapters/install/registrations.ts';
import { isUnreadable } from '../../adapters/read-native.ts';
import { machineHost, type Program } from '../../base/host.ts';

export interface CanaryResult {
  readonly event: string;
  /** `answer`, or the fault that was put into the line. */
  readonly case: string;
  readonly problem: string | null;
}

interface Expected {
  readonly stdout: string;
  readonly exitCode: number;
}

/** More than any registered line takes. */
const LIMIT_MS = 30_000;
const AT_ONCE = 4;

export interface CanaryRequest {
  readonly adapter: Adapter;
  readonly registered: readonly Registered[];
  /** Named by the refusal of a line whose launcher is gone. */
  readonly settingsFile: string;
  readonly cwd: string;
  readonly textOf: ReadText;
}

export async function runCanaries(request: CanaryRequest): Promise<CanaryResult[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'harness-doctor-'));
  try {
    const killer = join(scratch, 'killed');
    writeFileSync(killer, '#!/bin/sh\nkill -9 $$\n');
    chmodSync(killer, 0o755);
    const jobs = request.registered.flatMap((one) => jobsFor(request, one, killer));
    return await inTurns(jobs);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Job = () => Promise<CanaryResult>;

function jobsFor(request: CanaryRequest, one: Registered, killer: string): Job[] {
  const { adapter, settingsFile, cwd } = request;
  const row = adapter.events.find(({ native }) => native === one.event);
  if (row === undefined) return [];
  const payload = canaryPayload(adapter, row, cwd);
  const call = adapter.read(payload, row.native);
  const problem = isUnreadable(call) ? call.problem : null;
  if (problem !== null || isUnreadable(call)) {
    return [async () => ({ event: one.event, case: 'answer', problem: `no canary: ${problem}` })];
  }
  const token = machineHost.uuid();
  const { stdout, exitCode } = canaryAnswer(adapter, call, token);
  const marked = adapter.channel === 'plugin' ? MARK : '';
  const run = (name: string, program: Program, expected: Expected): Job => {
    return () => compare(one.event, name, program, { expected, input: JSON.stringify(payload), token, cwd });
  };
  const refusal = fallback(adapter, row, settingsFile);
  return [
    run('answer', one.run, { stdout: stdout + marked, exitCode }),
    ...(isUnknownLine(adapter, one, row, request.textOf)
      ? [
          async () => ({
            event: one.event,
            case: 'faults',
            problem: 'not tried: the line is not one that this version writes',
          }),
        ]
      : []),
    ...brokenLines(one, row, killer, request.textOf).map(([name, line]) =>
      run(name, { shell: line }, refusal),
    ),
  ];
}

const WORD = String.raw`(?:'(?:[^']|'\\'')*'|[^\s'()]+)`;
const LAUNCH = new RegExp(String.raw`o=\$\(\{ (?:/bin/sh ${WORD} )?(${WORD}) (${WORD}) `);
const NATIVE = new RegExp(String.raw`a=\$\((${WORD}) --folder `);
const FOLDER = new RegExp(` --folder ${WORD} `);

function lineIn(one: Registered, textOf: ReadText): string {
  return 'shell' in one.run ? one.run.shell : (textOf(one.file) ?? '');
}

/** Of such a line nothing is known when something breaks. */
function isUnknownLine({ channel }: Adapter, one: Registered, row: EventRow, textOf: ReadText): boolean {
  return channel !== 'plugin' && row.honours.block && !LAUNCH.test(lineIn(one, textOf));
}

/** Copies of the line in which the launcher cannot be reached. An agent that calls from inside answers for itself. */
function brokenLines(one: Registered, row: EventRow, killer: string, textOf: ReadText): [string, string][] {
  const line = lineIn(one, textOf);
  const found = LAUNCH.exec(line);
  if (found === null || !row.honours.block) return [];
  const [, node, entry] = found as unknown as [string, string, string];
  // Without a daemon: it would answer for what is broken.
  const alone = line.replace(FOLDER, ' --folder /nonexistent ');
  const copy = (first: string, second: string) =>
    alone.replaceAll(`${node} ${entry} `, () => `${first} ${second} `);
  const missing = quoted('/nonexistent/harness/hook.cjs');
  const native = NATIVE.exec(line)?.[1];
  return [
    ...(native === undefined
      ? []
      : ([
          ['native client killed', line.replaceAll(native, () => quoted(killer))],
          ['no daemon and launcher missing', copy(node, missing)],
        ] satisfies [string, string][])),
    ['launcher missing', copy(node, missing)],
    ['node missing', copy(quoted('/nonexistent/node'), entry)],
    ['launcher killed', copy(quoted(killer), entry)],
  ];
}

interface Trial {
  readonly expected: Expected;
  readonly input: string;
  readonly token: string;
  readonly cwd: string;
}

async function compare(
  event: string,
  name: string,
  program: Program,
  { expected, input, token, cwd }: Trial,
): Promise<CanaryResult> {
  const env = { [CANARY_VARIABLE]: token };
  const result = await machineHost.run({ program, cwd, env, stdin: input, timeoutMs: LIMIT_MS }, null);
  const same = result.stdout === expected.stdout && result.exitCode === expected.exitCode;
  return { event, case: name, problem: same ? null : wordsOn(result, expected) };
}

function wordsOn(
  { startError, timedOut, exitCode, stdout, stderr }: Awaited<ReturnType<typeof machineHost.run>>,
  expected: Expected,
): string {
  if (startError !== null) return `it could not be started: ${startError.message}`;
  if (timedOut) return `no answer within ${LIMIT_MS / 1000} s`;
  const got = stdout === '' ? 'nothing' : stdout.slice(0, 300);
  const want = expected.stdout === '' ? 'silence' : expected.stdout.slice(0, 300);
  const words = stderr.trim().replaceAll(/\s+/g, ' ');
  const said = words === '' ? '' : `; it said: ${words.slice(0, 200)}`;
  return `want ${want} (exit ${expected.exitCode}), got ${got} (exit ${exitCode})${said}`;
}

async function inTurns(jobs: readonly Job[]): Promise<CanaryResult[]> {
  const results: CanaryResult[] = [];
  for (let at = 0; at < jobs.length; at += AT_ONCE) {
    results.push(...(await Promise.all(jobs.slice(at, at + AT_ONCE).map((job) => job()))));
  }
  return results;
}
