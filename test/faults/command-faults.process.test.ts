/**
 * Every way a command hook can go wrong, with a real process: the configured policy is what happens, at the deadline at the latest,
 * no process stays behind, and the trace says which fault it was.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingsProject, sh } from '../support/settings-project.ts';
import { afterTime, until } from '../support/until.ts';

const CALL = { name: 'Bash', args: { command: 'ls' } };
/** For those that are not late: a busy machine must not make them so. */
const LONG_MS = 100_000;

interface Fault {
  readonly name: string;
  readonly script: string;
  readonly code: string;
  readonly kind?: string;
  readonly mode?: number;
  readonly path?: string;
  readonly timeout?: number;
  /** The processes that are on record before its time is up. */
  readonly witnesses?: number;
}

/** A file beside the script tells which processes to look for afterwards. */
const WITNESS = 'echo $$ >> pids';
const ON_RECORD = 'while [ ! -s pids ]; do sleep 0.02; done';

const FAULTS: readonly Fault[] = [
  { name: 'exits with 1', script: sh(`${WITNESS}; echo broken >&2; exit 1`), code: 'COMMAND_EXIT' },
  { name: 'exits with 49', script: sh(`${WITNESS}; exit 49`), code: 'COMMAND_EXIT' },
  { name: 'is killed by a signal', script: sh(`${WITNESS}; kill -9 $$`), code: 'COMMAND_SIGNAL' },
  {
    name: 'is not executable',
    script: sh('exit 0'),
    mode: 0o644,
    path: 'hooks/guard',
    code: 'COMMAND_NOT_EXECUTABLE',
  },
  {
    name: 'lacks its interpreter',
    script: '#!/usr/bin/env nosuchthing\n',
    path: 'hooks/guard',
    code: 'COMMAND_NO_INTERPRETER',
  },
  { name: 'is a file that is not there', script: '', path: 'hooks/other.sh', code: 'COMMAND_MISSING' },
  {
    name: 'hangs',
    script: sh(`${WITNESS}; exec sleep 3600`),
    code: 'HOOK_TIMEOUT',
    kind: 'timeout',
    timeout: 400,
    witnesses: 1,
  },
  {
    name: 'hangs with grandchildren that hold the pipe open',
    script: sh(`${WITNESS}; (sh -c "echo \\$\\$ >> pids; sleep 3600" &) ; sleep 3600`),
    code: 'HOOK_TIMEOUT',
    kind: 'timeout',
    timeout: 600,
    witnesses: 2,
  },
  {
    name: 'hangs and ignores SIGTERM',
    script: sh(`trap "" TERM HUP INT; ${WITNESS}; while :; do sleep 1; done`),
    code: 'HOOK_TIMEOUT',
    kind: 'timeout',
    timeout: 400,
    witnesses: 1,
  },
  {
    name: 'prints 100 MB',
    script: sh(`${WITNESS}; head -c 100000000 /dev/zero`),
    code: 'COMMAND_OUTPUT_TOO_LARGE',
  },
  {
    name: 'prints half a JSON object',
    script: sh(`echo '{"decision": "bl'`),
    code: 'COMMAND_BAD_JSON',
    kind: 'invalid_return',
  },
  {
    name: 'prints two JSON objects',
    script: sh(`echo '{"decision":"block"}'; echo '{"continue":true}'`),
    code: 'COMMAND_BAD_JSON',
    kind: 'invalid_return',
  },
  {
    name: 'prints invalid UTF-8',
    script: sh(`printf '{"decision":"bl\\377"}'`),
    code: 'COMMAND_BAD_UTF8',
    kind: 'invalid_return',
  },
  {
    name: 'changes the type of its answer',
    script: sh(`echo '{"decision": ["block"]}'`),
    code: 'HOOK_INVALID_RETURN',
    kind: 'invalid_return',
  },
  {
    name: 'prints a decision nobody knows',
    script: sh(`echo '{"decision": "blocked"}'`),
    code: 'HOOK_INVALID_RETURN',
    kind: 'invalid_return',
  },
  {
    name: 'tries to rewrite the call',
    script: sh(`echo '{"hookSpecificOutput": {"updatedInput": {"command": "true"}}}'`),
    code: 'HOOK_INVALID_RETURN',
    kind: 'invalid_return',
  },
];

function projectOf(
  fault: Pick<Fault, 'script' | 'mode' | 'path' | 'timeout'>,
  entry: object = {},
): SettingsProject {
  const path = fault.path ?? 'hooks/guard.sh';
  const timeout = fault.timeout ?? LONG_MS;
  const project = new SettingsProject({ hooks: { PreToolUse: [{ path, timeout, ...entry }] } });
  if (fault.script !== '') project.write(path, fault.script, fault.mode);
  return project;
}

/** The processes a script put on record; the file is there a moment before its first line is. */
function onRecord({ dir }: SettingsProject): string[] {
  const file = join(dir, 'pids');
  return existsSync(file) ? (readFileSync(file, 'utf8').match(/^\d+$/gm) ?? []) : [];
}

/** The processes on record that are still running. */
async function survivors(project: SettingsProject): Promise<string[]> {
  const pids = onRecord(project);
  // One that was killed is gone when it has had its turn.
  await until(() => !pids.some(isAlive)).catch(() => {});
  return pids.filter(isAlive);
}

/** With its time over as soon as all it starts is there. */
function decide(project: SettingsProject, { timeout, witnesses }: Fault) {
  const decided = () => project.decide('tool.pre', CALL);
  if (timeout === undefined) return decided();
  return afterTime(timeout, () => onRecord(project).length === witnesses, decided);
}

function isAlive(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

describe.each(FAULTS)('a command hook that $name', (fault) => {
  const kind = fault.kind ?? 'error';

  it('lets the operation go on, as its front end says, and the trace says why [C030] [C034]', async () => {
    const project = projectOf(fault);
    const outcome = await decide(project, fault);
    expect(outcome.action).toBe('allow');
    expect(outcome.payload).toMatchObject(CALL);
    expect(outcome.trace).toHaveLength(1);
    expect(outcome.trace[0]).toMatchObject({ onFailure: 'allowed', failure: { kind, code: fault.code } });
    expect(await survivors(project)).toEqual([]);
  });

  it('blocks the operation where its entry asks for that [C031]', async () => {
    const project = projectOf(fault, { on_error: 'block' });
    const outcome = await decide(project, fault);
    expect(outcome.action).toBe('block');
    expect(outcome.trace[0]).toMatchObject({ onFailure: 'blocked', failure: { kind, code: fault.code } });
    expect(await survivors(project)).toEqual([]);
  });
});

describe('a command hook that is odd but has answered', () => {
  it('exit 2 is a block, not a fault [C124]', async () => {
    const outcome = await projectOf({ script: sh('echo "not here" >&2; exit 2') }).decide('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', reason: 'not here' });
    expect(outcome.trace[0]).toMatchObject({ failure: null, warnings: ['exit code 2'] });
  });

  it('closing stdin at once is no fault [C127]', async () => {
    const project = projectOf({
      script: sh('exec 0<&-; echo "{\\"decision\\":\\"block\\",\\"message\\":\\"no\\"}"'),
    });
    const args = { command: 'x'.repeat(2_000_000) };
    expect(await project.decide('tool.pre', { ...CALL, args })).toMatchObject({
      action: 'block',
      reason: 'no',
    });
  });

  it('a flood before exit 2 does not hide the block', async () => {
    const project = projectOf({ script: sh('head -c 2000000 /dev/zero; echo "too much" >&2; exit 2') });
    expect(await project.decide('tool.pre', CALL)).toMatchObject({ action: 'block', reason: 'too much' });
  });

  it('a grandchild that holds the pipe open does not hold up the answer, and ends', async () => {
    const project = projectOf({
      script: sh(`sh -c "echo \\$\\$ >> pids; exec sleep 3600" & ${ON_RECORD}; echo no >&2; exit 2`),
    });
    const outcome = await project.decide('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', reason: 'no' });
    expect(outcome.trace[0]!.warnings.join()).toContain('left a process running');
    expect(await survivors(project)).toEqual([]);
  });

  it('a daemon it forks, in a session of its own and without pipes, ends with it', async () => {
    const daemon = 'setsid sh -c "echo \\$\\$ >> pids; exec sleep 60" </dev/null >/dev/null 2>&1 &';
    const project = projectOf({ script: sh(`${daemon}\n${ON_RECORD}; exit 0`) });
    const outcome = await project.decide('tool.pre', CALL);
    expect(outcome.action).toBe('allow');
    expect(readFileSync(join(project.dir, 'pids'), 'utf8').trim()).not.toBe('');
    expect(await survivors(project)).toEqual([]);
  });

  it('an abort ends it, with everything it started [C036] [C128]', async () => {
    const project = projectOf({ script: sh(`${WITNESS}; sh -c "echo \\$\\$ >> pids; sleep 60" & sleep 60`) });
    const controller = new AbortController();
    const waiting = project.decide('tool.pre', CALL, controller.signal);
    await until(() => onRecord(project).length === 2);
    controller.abort();
    const outcome = await waiting;
    expect(outcome.trace[0]).toMatchObject({ failure: { kind: 'aborted', code: 'HOOK_ABORTED' } });
    expect(await survivors(project)).toEqual([]);
  });

  it('its payload never stays in a file', async () => {
    const project = projectOf({ script: sh('ls -l /proc/self/fd/0 >&2; exit 2') });
    const outcome = await project.decide('tool.pre', CALL);
    expect(outcome.reason).toContain('(deleted)');
    expect(readdirSync(project.dir).sort()).toEqual(['.harness', 'hooks']);
  });
});
