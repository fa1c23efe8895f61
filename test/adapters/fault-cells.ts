/** The fault matrix: its cells, made from the adapters' tables, and how one is run with real processes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import type { Adapter, Answer, EventRow, NativeCall } from '../../src/adapters/adapter.ts';
import { denyAnswer, goOnAnswer } from '../../src/adapters/deny.ts';
import { guardLine } from '../../src/adapters/guard-line.ts';
import { ADAPTERS } from '../../src/adapters/load-adapter.ts';
import { isUnreadable } from '../../src/adapters/read-native.ts';
import { blockOf } from '../../src/adapters/verdict.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { requireEvent } from '../../src/events/describe.ts';
import { FAULTS, type Fault, writePolicy } from './faults.ts';

export interface Cell {
  readonly adapter: Adapter;
  readonly row: EventRow;
  readonly fault: Fault;
  readonly fail: 'open' | 'closed';
}

const DEADLINE_MS = 15_000;
const GONE = 'the launcher is gone';

export async function cells(): Promise<readonly Cell[]> {
  const loaded = await Promise.all(Object.values(ADAPTERS).map((load) => load()));
  // Those that live inside the agent's process have no line.
  const adapters = loaded.map(({ adapter }) => adapter).filter(({ channel }) => channel !== 'plugin');
  return adapters.flatMap((adapter) =>
    adapter.events.flatMap((row) =>
      FAULTS.filter((fault) => applies(fault, adapter, row)).flatMap((fault) =>
        (['closed', 'open'] as const).map((fail) => ({ adapter, row, fault, fail })),
      ),
    ),
  );
}

function applies({ calls, input }: Fault, adapter: Adapter, row: EventRow): boolean {
  if (calls === true && row.event !== 'tool.pre' && row.event !== 'tool.post') return false;
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
    writePolicyAt(dir, fault);
    const launcher = join(folder, 'launcher.cjs');
    if (typeof fault.launcher === 'string') writeFileSync(launcher, fault.launcher);
    const deny = (fail === 'open' ? goOnAnswer : denyAnswer)(adapter, row, GONE);
    const line = guardLine({
      node: fault.node ?? process.execPath,
      entry: fault.launcher === undefined ? HOOK_FILE : launcher,
      agent: adapter.agent,
      event: row.native,
      scope: { dir },
      deadlineMs: fault.deadlineMs ?? DEADLINE_MS,
      deny: deny.stdout,
      denyExit: deny.exitCode,
      fail,
    });
    const sample = sampleOf(adapter, row);
    const input = fault.input?.(sample) ?? JSON.stringify(sample);
    return await shell(fault.limits === undefined ? line : `${fault.limits}; ${line}`, input, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writePolicyAt(dir: string, { policy }: Fault): void {
  writePolicy(dir);
  policy?.(dir);
}

export function shell(line: string, input: string, home: string): Promise<Ran> {
  return new Promise((resolve) => {
    const began = performance.now();
    const env = { PATH: process.env.PATH ?? '', HOME: home };
    const child = spawn('sh', ['-c', line], { env, stdio: ['pipe', 'pipe', 'pipe'] });
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
  const answer = fail === 'open' ? goOnAnswer : denyAnswer;
  if (fault.required === 'line') return plain(answer(adapter, row, GONE));
  // With a payload that can be read there is a call to answer.
  const call = fault.input === undefined ? callOf(adapter, row) : null;
  return plain(answer(adapter, row, launcherReason(stderr, fail), call));
}

const SILENCE = { stdout: '', exitCode: 0 };

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
