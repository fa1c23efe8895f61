/** The fault matrix: its cells, made from the adapters' tables, and how one is run with real processes. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import type { Adapter, Answer, EventRow, NativeCall } from '../../src/agents/adapter.ts';
import { denyAnswer, goOnAnswer } from '../../src/agents/deny.ts';
import { GUARD, guardLine, projectEnvironment, unguardedAnswer } from '../../src/agents/guard-line.ts';
import { NO_WHOLE_ANSWER, notInstalledText } from '../../src/agents/install/guard-script.ts';
import { guardText } from '../../src/agents/install/registrations.ts';
import { ADAPTERS } from '../../src/agents/load-adapter.ts';
import { isUnreadable } from '../../src/agents/read-native.ts';
import { blockOf } from '../../src/agents/verdict.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { requireEvent } from '../../src/engine/describe.ts';
import { FAULTS, type Fault, type Required, writePolicy } from './faults.ts';

export interface Cell {
  readonly adapter: Adapter;
  readonly row: EventRow;
  readonly fault: Fault;
  readonly fail: 'open' | 'closed';
}

/** Seconds: enough on a busy machine. */
const LIMIT = 15;

/** Where nothing fails or the launcher does not answer, its fail mode makes no difference; a policy's block shows that it makes none. */
const FAIL_MODES: Readonly<Record<Required, readonly Cell['fail'][]>> = {
  ...{ policy: ['closed', 'open'], launcher: ['closed', 'open'] },
  ...{ pass: ['closed'], guard: ['closed'], missing: ['closed'], line: ['closed'] },
};

const GATES: readonly string[] = ['tool.pre', 'turn.start'];
/** At every event for one agent: the others share all but their dialect, which their own tests hold. */
const EVERYWHERE = 'claude-code';

/** The part that `test:whole` plays; `test:slow` plays the rest. */
export function isQuick({ adapter, fault: { quick }, fail, row: { event } }: Cell): boolean {
  if (quick === undefined) return false;
  if (fail === 'open') return adapter.agent === EVERYWHERE && event === 'tool.pre';
  return GATES.includes(event) || (quick === 'everywhere' && adapter.agent === EVERYWHERE);
}

export async function cells(): Promise<readonly Cell[]> {
  const loaded = await Promise.all(Object.values(ADAPTERS).map((load) => load()));
  // Those that live inside the agent's process have no line.
  const adapters = loaded.map(({ adapter }) => adapter).filter(({ channel }) => channel !== 'plugin');
  const all = adapters.flatMap((adapter) =>
    adapter.events
      .filter(isTried)
      .flatMap((row) =>
        FAULTS.filter((fault) => applies(fault, adapter, row)).flatMap((fault) =>
          FAIL_MODES[fault.required].map((fail) => ({ adapter, row, fault, fail })),
        ),
      ),
  );
  return [...new Map(all.map((cell) => [shellText(cell) ?? cell, cell])).values()];
}

/** Of the events that are registered on demand, those that can block. */
function isTried({ onDemand, honours }: EventRow): boolean {
  return onDemand === undefined || honours.block;
}

/**
 * What a shell runs and has to answer if no launcher does, without the event's name: events of one agent for which all of it is the
 * same are one cell. Null where the launcher takes part.
 */
function shellText(cell: Cell): string | null {
  const { adapter, row, fault } = cell;
  if (['pass', 'policy', 'launcher'].includes(fault.required)) return null;
  const { stdout, exitCode } = required(cell, '');
  const texts = [fault.name, adapter.agent, guardLine({ adapter, row, guard: null }), stdout, exitCode];
  return texts.join('\n').replaceAll(row.native, 'EVENT');
}

function applies({ calls, gates, input }: Fault, adapter: Adapter, row: EventRow): boolean {
  if (calls === true && row.event !== 'tool.pre' && row.event !== 'tool.post') return false;
  if (gates === true && !GATES.includes(row.event)) return false;
  return input === undefined || input(sampleOf(adapter, row)) !== null;
}

export function sampleOf(adapter: Adapter, row: EventRow): JsonObject {
  const file = new URL(`payloads/${adapter.agent}.json`, import.meta.url);
  const samples = JSON.parse(readFileSync(file, 'utf8')) as Record<string, JsonObject>;
  const sample = samples[row.native];
  if (sample === undefined) throw new Error(`payloads/${adapter.agent}.json has no ${row.native}`);
  return sample;
}

export interface Ran extends Answer {
  readonly ms: number;
}

export async function runCell({ adapter, row, fault, fail }: Cell): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'harness-fault-'));
  const dir = join(folder, "a project's folder");
  try {
    writePolicy(dir);
    for (const each of ['.git', '.clinerules/hooks']) mkdirSync(join(dir, each), { recursive: true });
    writeFileSync(join(dir, GUARD), guardText('refuse', fault.limit ?? LIMIT));
    fault.guard?.(join(dir, GUARD));
    fault.policy?.(dir);
    userCopy(folder, fault);
    const line = guardLine({ adapter, row, guard: null });
    const words = `${adapter.agent} ${row.native}`;
    const asked = fail === 'open' ? line.replace(words, `${words} --fail open`) : line;
    const sample = sampleOf(adapter, row);
    const input = fault.input?.(sample) ?? JSON.stringify(sample);
    const limited = fault.limits === undefined ? asked : `${fault.limits}; ${asked}`;
    const env = {
      ...{ HOME: folder, PATH: pathIn(folder, fault), ...projectEnvironment(adapter.agent, dir) },
      ...fault.env,
    };
    // Some lines look from where they are started, and the file of Cline from where it stands.
    const [cwd, self] = [fault.name === 'project deleted' ? folder : dir, join(dir, '.clinerules/hooks/E')];
    return await shell(limited, input, { env, cwd, self });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The user's copy of the engine in a home: the one that was built, or another launcher. */
function userCopy(home: string, { launcher, noNode }: Fault): void {
  const copy = join(home, '.local/state/harness/engine/current');
  mkdirSync(copy, { recursive: true, mode: 0o700 });
  const root = join(dirname(HOOK_FILE), '../..');
  writeFileSync(join(copy, 'package.json'), readFileSync(join(root, 'package.json')));
  if (noNode !== true) symlinkSync(process.execPath, join(copy, 'node'));
  if (launcher === undefined) symlinkSync(join(root, 'dist'), join(copy, 'dist'));
  else mkdirSync(join(copy, 'dist/cli'), { recursive: true });
  if (typeof launcher === 'string') writeFileSync(join(copy, 'dist/cli/hook.cjs'), launcher);
}

function pathIn(folder: string, { programs }: Fault): string {
  if (programs === undefined) return process.env.PATH ?? '';
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 });
  for (const name of ['sh', 'sleep']) if (!(name in programs)) symlinkSync(`/bin/${name}`, join(bin, name));
  return bin;
}

export interface Around {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The file that the line is taken to stand in. */
  readonly self: string;
}

export function shell(line: string, input: string, { env, cwd, self }: Around): Promise<Ran> {
  return new Promise((resolve) => {
    const began = performance.now();
    const child = spawn('/bin/sh', ['-c', line, self], {
      env: { HARNESS_DAEMON: 'off', ...env },
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    // A launcher that reads nothing closes the pipe.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => {
      resolve({ stdout, stderr, exitCode: code ?? -1, ms: performance.now() - began });
    });
  });
}

/** What the cell requires, given what the launcher said on stderr: exact stdout and exit code. */
export function required(cell: Cell, stderr: string): Pick<Answer, 'stdout' | 'exitCode'> {
  const { adapter, row, fault, fail } = cell;
  if (fault.required === 'pass') return SILENCE;
  if (fault.required === 'policy') return blocks(cell) ? policyBlock(adapter, row) : SILENCE;
  if (fault.required === 'guard') return plain(denyAnswer(adapter, row, NO_WHOLE_ANSWER));
  if (fault.required === 'missing') return plain(denyAnswer(adapter, row, notInstalledText(adapter.agent)));
  if (fault.required === 'line') return printed(unguardedAnswer(adapter, row));
  const answer = fail === 'open' ? goOnAnswer : denyAnswer;
  // With a payload that can be read there is a call to answer.
  const call = fault.input === undefined ? callOf(adapter, row) : null;
  return plain(answer(adapter, row, launcherReason(stderr, fail), call));
}

const SILENCE = { stdout: '', exitCode: 0 };

/** What `echo` prints ends with a line end. */
function printed({ stdout, exitCode }: Pick<Answer, 'stdout' | 'exitCode'>) {
  return { stdout: stdout === '' ? '' : `${stdout}\n`, exitCode };
}

function plain({ stdout, exitCode }: Answer): Pick<Answer, 'stdout' | 'exitCode'> {
  return { stdout, exitCode };
}

/** A gate, at an agent that honours it. A hook that cannot be read refuses every call, so that there is no result to hide. */
function blocks({ row }: Cell): boolean {
  return row.honours.block && requireEvent(row.event).authority === 'gate';
}

const LEAD = 'Blocked: the policy could not decide: ';

/** The reason of a block is what stderr says; a dialect that puts the block on stderr says it there. */
function launcherReason(stderr: string, fail: Cell['fail']): string {
  const said = stderr.trimEnd();
  if (fail === 'open') return said.replace(/^harness/, 'Harness');
  return said.startsWith(LEAD) ? said : LEAD + said.replace(/^harness: /, '');
}

/** With the reason left open: `REASON`, which the caller puts in for what the hook said. */
function policyBlock(adapter: Adapter, row: EventRow): Pick<Answer, 'stdout' | 'exitCode'> {
  return plain(adapter.answer(row, callOf(adapter, row), blockOf('REASON')));
}

function callOf(adapter: Adapter, row: EventRow): NativeCall {
  const call = adapter.read(sampleOf(adapter, row), row.native);
  if (isUnreadable(call)) throw new Error(call.problem);
  return call;
}

/** The answer with every text that names a hook as its reason put as `REASON`. */
export function withoutReason(stdout: string): string {
  return stdout.replace(/Blocked by hook (?:[^"\\]|\\.)*"/g, 'REASON"');
}
