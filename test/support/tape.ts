/**
 * Tapes for tests: a header, records of every type, and files with a given number of entries.
 */
import { readFileSync } from 'node:fs';
import { type Header, type HookPart, TAPE_VERSION, type TapeRecord } from '../../src/tape/entry.ts';
import { type TapeOptions, TapeWriter } from '../../src/tape/writer.ts';

export function tapeHeader(more: Partial<Header> = {}): Header {
  return {
    tape: TAPE_VERSION,
    session: 'session-1',
    engine: 'harness 0.1.0',
    host: 'test',
    started: '2026-01-01T00:00:00.000Z',
    policy: { digest: 'd'.repeat(64), files: {}, hooks: [], settings: {} },
    ...more,
  };
}

/** One decision, announced before it was made: a call of `run_command` that `command_guard` blocks. */
export function blockedCall(
  dispatch: number,
  command = 'sudo ls',
  reason = 'sudo is not allowed',
): TapeRecord[] {
  const hook = 'command_guard';
  const source = '.harness/hooks/command_guard.md';
  const part: HookPart = { hook, reason, result: 'block', source, steps: 12 };
  return [
    {
      type: 'dispatch',
      dispatch,
      run: 1,
      event: 'tool.pre',
      payload: { id: `call_${dispatch}`, name: 'run_command', args: { command } },
      callId: `call_${dispatch}`,
    },
    { type: 'hook_call', dispatch, hook, source },
    { type: 'decision', in: { dispatch }, out: { action: 'block', hook, hooks: [part], reason } },
  ];
}

/** One decision that lets a call pass although a hook failed. */
export function failedCall(dispatch: number, more: Partial<HookPart> = {}): TapeRecord[] {
  const hook = 'broken_audit';
  const source = '.harness/hooks/broken_audit.md';
  const part: HookPart = {
    effects: [{ kind: 'metric', name: 'audits', op: 'incr', value: 1 }],
    failure: { kind: 'timeout', code: 'HOOK_TIMEOUT', message: 'nobody answered within 50 ms' },
    hook,
    policy: 'allowed',
    source,
    steps: 3,
    ...more,
  };
  return [
    {
      type: 'dispatch',
      dispatch,
      run: 1,
      event: 'tool.pre',
      payload: { id: `call_${dispatch}`, name: 'read_file', args: { path: 'a.md' } },
    },
    { type: 'hook_call', dispatch, hook, source },
    { type: 'decision', in: { dispatch }, out: { action: 'allow', hooks: [part] } },
  ];
}

export function writeTape(
  path: string,
  records: Iterable<TapeRecord>,
  options: Partial<TapeOptions> = {},
): void {
  const tape = TapeWriter.open(path, { header: tapeHeader(), ...options });
  let ms = 0;
  for (const record of records)
    tape.append(record, record.type === 'decision' ? [++ms / 2, ms / 4] : undefined);
  tape.close();
}

export function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}
