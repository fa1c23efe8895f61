/**
 * Sends a canary through what an agent has registered, as the agent would, and holds the answer against the one that must
 * come, byte by byte. Then once more through copies of the line in which something is broken: they must refuse as well.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Adapter,
  ANSWERED,
  CANARY_VARIABLE,
  canaryAnswer,
  canaryPayload,
  denyAnswer,
  type EventRow,
  GUARD,
  goOnAnswer,
  guardPath,
  type Installer,
  type InstallTarget,
  isManaged,
  isUnreadable,
  isUser,
  missingIn,
  NO_WHOLE_ANSWER,
  notInstalledText,
  projectEnvironment,
  quoted,
  type Registered,
  type Registration,
  registrationsOf,
  rootOf,
  textOnDisk,
  unguardedAnswer,
} from '../../agents/index.ts';
import { machineHost, type Program } from '../../machine/index.ts';

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
  readonly installer: Installer;
  readonly registered: readonly Registered[];
  readonly place: InstallTarget;
}

export async function runCanaries(request: CanaryRequest): Promise<CanaryResult[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'harness-doctor-'));
  try {
    const worlds = brokenWorlds(scratch, textOnDisk(guardPath(request.place)), isManaged(request.place));
    const known = registrationsOf(request.adapter, request.installer, request.place, () => true);
    const jobs = request.registered.flatMap((one) => jobsFor(request, one, known, worlds));
    return await inTurns(jobs);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Job = () => Promise<CanaryResult>;

function jobsFor(
  { adapter, place }: CanaryRequest,
  one: Registered,
  known: readonly Registration[],
  worlds: readonly BrokenWorld[],
): Job[] {
  const row = adapter.events.find(({ native }) => native === one.event);
  if (row === undefined) return [];
  const cwd = rootOf(place);
  const payload = canaryPayload(adapter, row, cwd);
  const call = adapter.read(payload, row.native);
  const problem = isUnreadable(call) ? call.problem : null;
  if (problem !== null || isUnreadable(call)) {
    return [async () => ({ event: one.event, case: 'answer', problem: `no canary: ${problem}` })];
  }
  const token = machineHost.uuid();
  const input = JSON.stringify(payload);
  const run = (name: string, { expected, ...trial }: Omit<Trial, 'input' | 'token'>): Job => {
    // The file in such an agent runs the guard itself: no line turns the code of an answer into 0.
    const isBare = adapter.channel === 'plugin' && expected.exitCode === 0;
    const wanted = isBare ? { ...expected, exitCode: ANSWERED } : expected;
    return () => compare(one.event, name, { input, token, expected: wanted, ...trial });
  };
  const answer = run('answer', {
    program: one.run,
    expected: canaryAnswer(adapter, call, token),
    env: isUser(place) ? {} : projectEnvironment(adapter.agent, cwd),
    cwd,
  });
  if (!row.honours.block) return [answer];
  const isKnown =
    !('shell' in one.run) || known.some(({ line }) => line === (one.run as { shell: string }).shell);
  if (!isKnown) {
    const words = 'not tried: the line is not one that this version writes';
    return [answer, async () => ({ event: one.event, case: 'faults', problem: words })];
  }
  const { line } = known.find((each) => each.row === row)!;
  const broken = worlds
    .filter(({ guard }) => guard || adapter.channel !== 'plugin')
    .map((world) =>
      run(world.name, {
        ...inWorld(adapter, row, place, line, world),
        expected: world.expected(adapter, row),
      }),
    );
  return [answer, ...broken];
}

/** A project or user folder in which something of ours is missing. */
interface BrokenWorld {
  readonly name: string;
  readonly folder: string;
  /** Whether the guard is there. */
  readonly guard: boolean;
  expected(adapter: Adapter, row: EventRow): Expected;
}

function brokenWorlds(scratch: string, guard: string | null, managed: boolean): BrokenWorld[] {
  const missing = missingIn(guard ?? '') ?? 'refuse';
  const notInstalled = missing === 'warn' ? goOnAnswer : denyAnswer;
  const world = (name: string, text: string | null, engine: boolean) => {
    const folder = join(scratch, name.replaceAll(' ', '-'));
    for (const each of ['bin', '.git', '.harness', '.clinerules/hooks']) {
      mkdirSync(join(folder, each), { recursive: true });
    }
    for (const program of ['sh', 'sleep']) {
      const found = ['/bin', '/usr/bin'].map((bin) => join(bin, program)).find((path) => existsSync(path));
      if (found !== undefined) symlinkSync(found, join(folder, 'bin', program));
    }
    if (text !== null) for (const at of ['guard', GUARD]) writeFileSync(join(folder, at), text);
    if (engine) {
      const dist = join(folder, 'node_modules/harness-hooks/dist/cli');
      const copies = ['.local/state/harness/engine', 'engine'].map((at) =>
        join(folder, at, 'current/dist/cli'),
      );
      for (const at of [dist, ...copies]) {
        mkdirSync(at, { recursive: true });
        writeFileSync(join(at, 'hook.cjs'), '');
      }
      writeFileSync(join(folder, 'bin/node'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
    }
    return { name, folder, guard: text !== null };
  };
  return [
    {
      ...world('guard missing', null, false),
      expected: (adapter, row) => {
        const { stdout, exitCode } = unguardedAnswer(adapter, row);
        return { stdout: stdout === '' ? '' : `${stdout}\n`, exitCode };
      },
    },
    {
      ...world('engine missing', guard ?? '', false),
      expected: (adapter, row) => notInstalled(adapter, row, notInstalledText(adapter.agent, managed)),
    },
    {
      ...world('engine killed', guard ?? '', true),
      expected: (adapter, row) => denyAnswer(adapter, row, NO_WHOLE_ANSWER),
    },
  ];
}

/** The registered line as the agent would run it there. */
function inWorld(
  adapter: Adapter,
  { native }: EventRow,
  place: InstallTarget,
  line: string,
  { folder }: BrokenWorld,
): Pick<Trial, 'program' | 'env' | 'cwd'> {
  const env = {
    ...projectEnvironment(adapter.agent, folder),
    ...{ PATH: join(folder, 'bin'), HOME: folder, XDG_STATE_HOME: '' },
  };
  const guard = join(folder, isUser(place) ? 'guard' : GUARD);
  if (adapter.channel === 'plugin') {
    return { program: { argv: ['/bin/sh', guard, adapter.agent, native] }, env, cwd: folder };
  }
  const moved = isUser(place) ? line.replace(quoted(guardPath(place)), () => quoted(guard)) : line;
  if (adapter.channel === 'command') return { program: { shell: moved }, env, cwd: folder };
  const file = join(folder, '.clinerules/hooks', native);
  writeFileSync(file, `${moved}\n`);
  return { program: { argv: ['/bin/sh', file] }, env, cwd: folder };
}

interface Trial {
  readonly program: Program;
  readonly expected: Expected;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly token: string;
  readonly cwd: string;
}

async function compare(
  event: string,
  name: string,
  { program, expected, env: around, input, token, cwd }: Trial,
): Promise<CanaryResult> {
  const env = { ...around, [CANARY_VARIABLE]: token };
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
