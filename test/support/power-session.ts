/**
 * Sessions of an agent for the tests of power loss: launchers run as an agent runs them, and what has to hold of the files that are there
 * afterwards.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, vi } from 'vitest';
import { CLI_FILE, HOOK_FILE } from '../../scripts/build-cli.mjs';
import type { Answer } from '../../src/agents/adapter.ts';
import { ADAPTERS } from '../../src/agents/load-adapter.ts';
import type { DecisionContext } from '../../src/launcher/decision-context.ts';
import { type HookOptions, parseHookOptions } from '../../src/launcher/hook-options.ts';
import { launch as launchHere, ownContext } from '../../src/launcher/launch.ts';
import { tryLock } from '../../src/machine/file-lock.ts';
import { syncFile } from '../../src/machine/own-file.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { command, decisionIn, hook, launch, SAMPLES } from '../adapters/launched.ts';
import { takesCalls } from '../daemon/daemon.ts';
import { until } from './until.ts';

const RULE = hook(
  'tool.pre',
  'if "bad" in payload["args"]["command"]:',
  '  return block("no bad things")',
  'return allow()',
);
const LIMIT = hook(
  'tool.pre',
  'if "counted" in payload["args"]["command"]:',
  '  got = rate.limit("counted", 1000, per="1h")',
  '  if not got:',
  '    return block("too many")',
  'return allow()',
);
const LATER = hook(
  'tool.pre',
  'return block("not later") if "later" in payload["args"]["command"] else allow()',
);
/** What hooks keep over the calls of a session: a value over several pages. */
const REMEMBERS = hook(
  'tool.pre',
  'cache.set("seen", (cache.get("seen") or "") + "x" * 900)',
  'return allow()',
);

/** Where it is at work. */
export interface PowerSession {
  readonly home: string;
  readonly dir: string;
}

export interface AtWork {
  /** Of the launchers, and of the daemon. */
  readonly env?: Readonly<Record<string, string>>;
  /** A daemon decides; by default each launcher does. */
  readonly withDaemon?: boolean;
  /** A call was answered: what it was promised has to be there from here on. */
  readonly onAnswer: (call: string) => void | Promise<void>;
  /** The rule `LATER` was added to the policy, and an editor has it on the disk. */
  readonly onRule?: (path: string, text: string) => void;
}

function policyOf(sync: boolean): Readonly<Record<string, string>> {
  return {
    'harness.md': `---\nname: p\nstrict: true\ntape:\n  sync: ${sync}\n---\n`,
    'hooks/limit.md': LIMIT,
    'hooks/remembers.md': REMEMBERS,
    'hooks/rule.md': RULE,
  };
}

/** A project in a home folder, with its policy. */
export function placeSession(home: string, sync: boolean): PowerSession {
  const dir = join(home, 'project');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [path, text] of Object.entries(policyOf(sync))) write(join(dir, '.harness', path), text);
  // No launcher starts a daemon of its own.
  write(join(home, '.config/harness/harness.md'), '---\ndaemon: off\n---\n');
  return { home, dir };
}

const daemonOf = (home: string) => join(home, '.local/state/harness/daemon');

/** A daemon that takes calls. `kill` ends it as a loss of power does, and resolves to the number of calls it answered. */
async function startDaemon(home: string, env: Readonly<Record<string, string>>) {
  const command = (...words: readonly string[]) => [CLI_FILE, 'daemon', ...words];
  const around = { cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home, ...env } };
  const daemon = spawn(process.execPath, command('serve'), { ...around, stdio: 'ignore' });
  const ended = new Promise((resolve) => daemon.on('close', resolve));
  await until(() => takesCalls(join(daemonOf(home), 'socket')));
  return {
    kill: async (): Promise<number> => {
      const status = command('status', '--json');
      const { stdout } = spawnSync(process.execPath, status, { ...around, encoding: 'utf8' });
      daemon.kill('SIGKILL');
      await ended;
      return (JSON.parse(stdout) as { says: { answered: number } }).says.answered;
    },
  };
}

function inputOf(dir: string, session: string, text: string, id: string): string {
  return JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, session_id: session, ...command(text, id) });
}

/** Two sessions, calls one after the other and at once, a policy that changes between them. */
export async function work(
  { home, dir }: PowerSession,
  { env = {}, withDaemon = false, onAnswer, onRule }: AtWork,
): Promise<void> {
  const daemon = withDaemon ? await startDaemon(home, env) : null;
  let calls = 0;
  const call = async (session: string, text: string, id: string): Promise<Answer> => {
    const args = ['claude-code', 'PreToolUse', '--dir', dir, '--deadline', '120000'];
    const around = { env: { ...(withDaemon && { HARNESS_DAEMON: '' }), ...env } };
    const answer = await launch(args, inputOf(dir, session, text, id), home, HOOK_FILE, around);
    calls++;
    await onAnswer(id);
    return answer;
  };
  const silent = async (session: string, id: string) =>
    expect(await call(session, `counted ${id}`, id)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  for (const id of ['a1', 'a2', 'a3']) await silent('a', id);
  expect(decisionIn(await call('a', 'bad', 'a4'))).toBe('deny');
  await Promise.all([silent('a', 'a5'), silent('b', 'b1'), silent('a', 'a6')]);
  const rule = join(dir, '.harness/hooks/later.md');
  writeFileSync(rule, LATER);
  for (const path of [rule, dirname(rule)]) syncFile(path);
  onRule?.(rule, LATER);
  for (const id of ['a7', 'b2', 'b3']) await silent(id[0]!, id);
  if (daemon !== null) expect(await daemon.kill()).toBe(calls);
}

/** For what runs in this process: the home folder of the session, and the version that the build puts in. */
export function asLauncher({ home }: PowerSession): void {
  vi.stubGlobal('HARNESS_VERSION', 'of a test');
  vi.stubEnv('HOME', home);
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'HARNESS_TRUST']) vi.stubEnv(name, undefined);
}

/** What is decided: `allowed`, the answer, or the problem. */
export type Decide = (session: PowerSession, name: string, text: string, id: string) => Promise<string>;

/** A launcher leaves its files to the end of its process: where thousands of decisions are made in one, they have to be closed. */
function closable(own: DecisionContext) {
  const open: { close(): void }[] = [];
  const noted = <Store extends { close(): void } | undefined>(store: Store): Store => {
    if (store !== undefined) open.push(store);
    return store;
  };
  const context: DecisionContext = {
    ...own,
    store: (...args) => noted(own.store(...args)),
    limits: (...args) => noted(own.limits(...args)),
    tapes: (...args) => noted(own.tapes(...args)),
  };
  const close = () => {
    for (const store of open) store.close();
  };
  return { context, close };
}

/** In this process. */
export const decideHere: Decide = async ({ dir }, session, text, id) => {
  const { adapter } = await ADAPTERS['claude-code']!();
  const options = parseHookOptions(['claude-code', 'PreToolUse', '--dir', dir]) as HookOptions;
  const nobody = { event: () => {}, session: () => {} };
  const { context, close } = closable(ownContext());
  try {
    const answer = await launchHere(adapter, options, inputOf(dir, session, text, id), nobody, context);
    return 'problem' in answer ? `problem: ${answer.problem}` : answer.stdout || 'allowed';
  } finally {
    close();
  }
};

/** By a launcher of its own, after the machine was started again. */
export const decideThere: Decide = async ({ home, dir }, session, text, id) => {
  const args = ['claude-code', 'PreToolUse', '--dir', dir];
  const env = { NODE_OPTIONS: `--require=${new URL('other-boot.cjs', import.meta.url).pathname}` };
  const input = inputOf(dir, session, text, id);
  const { exitCode, stdout, stderr } = await launch(args, input, home, HOOK_FILE, { env });
  return stdout || (exitCode === 0 ? 'allowed' : stderr);
};

/** Sessions that go on after the loss, in turns: those that were at work, and one that begins. */
export const NAMES = [['a'], ['b'], ['new'], ['a', 'b']];

/** What is wrong with the state that is there; empty if nothing is. */
export async function check(
  session: PowerSession,
  decide: Decide,
  names: readonly string[],
  answered: readonly string[],
  sync: boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const name of names) {
    const said = await decide(session, name, 'counted', `${name} after`);
    if (said !== 'allowed') wrong.push(`session ${name}: a call that is allowed got ${said}`);
    if (name === names[0]) {
      const refused = await decide(session, name, 'bad', `${name} bad`);
      if (!refused.includes('no bad things')) wrong.push(`session ${name}: a blocked call got ${refused}`);
    }
    const tape = join(session.dir, `.harness/runs/${name}.jsonl`);
    const { ok, problem } = verifyTape(tape);
    if (!ok) wrong.push(`the tape of ${name} ${problem}`);
    if (!sync) continue;
    const calls = new Set(
      [...readTape(tape).entries].map(({ record }) =>
        record.type === 'decision' && 'event' in record.in ? record.in.callId : undefined,
      ),
    );
    const lost = answered.filter((id) => id.startsWith(name) && !calls.has(id));
    if (lost.length > 0) wrong.push(`the tape of ${name} lost ${lost.join(', ')}`);
  }
  const lock = existsSync(daemonOf(session.home)) ? tryLock(join(daemonOf(session.home), 'daemon')) : null;
  if (lock !== null && 'heldBy' in lock) wrong.push(`the daemon is locked out by ${lock.heldBy}`);
  else lock?.release();
  const limits = readFileSync(join(session.home, '.local/state/harness/run/user.jsonl'), 'utf8');
  const granted = limits.split('\n').filter((line) => line.startsWith('["kept"')).length;
  const wanted = answered.filter((id) => id !== 'a4').length + names.length;
  if (sync && granted < wanted) wrong.push(`${granted} grants are counted of ${wanted}`);
  return wrong;
}
