/**
 * A whole session on a tape: its decisions, and beside them what was said and done.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordSession } from '../../src/exports/agent.ts';
import { machineHost } from '../../src/machine/host.ts';
import { callDigest } from '../../src/policy/approvals/desk.ts';
import type { SessionRecord, TapeRecord } from '../../src/tape/entry.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { decisions, hook, play, tool } from '../support/agent.ts';
import { entriesOf, recordsOf } from '../support/taped.ts';
import { tempProject } from '../support/temp-project.ts';

const HOOKS = [
  hook({
    name: 'guard',
    body: async (seen, { run, host }) => {
      const count = (run.metrics.get('calls') ?? 0) + 1;
      run.metrics.set('calls', count);
      await new Promise((resolve) => setImmediate(resolve));
      const { path } = seen.args as unknown as { path?: string };
      return path === 'secret' ? decisions.block(`call ${count}, ${host.uuid()}`) : undefined;
    },
  }),
  hook({
    name: 'note',
    event: 'turn.end',
    body: (_seen, call) => call.effect({ kind: 'reminder', hook: 'note', reminder: { body: 'tidy up' } }),
  }),
];

async function session() {
  const path = join(tempProject(), 'tape.jsonl');
  const tape = openTape(path, { session: 's1', hooks: HOOKS, host: machineHost });
  const calls = ['a', 'secret', 'b'].map((name, at) => ({
    id: `c${at}`,
    name: 'read',
    args: { path: name },
  }));
  const played = await play({
    completions: [{ tool_calls: calls }, { text: 'Done.' }],
    hooks: HOOKS,
    tools: [tool('read', ({ path: name }) => `content of ${String(name)}`)],
    recorder: tape.recorder,
    onEvent: recordSession(tape),
  });
  tape.close();
  return { path, played };
}

describe('the tape of a session', () => {
  it('verifies, and replays with the hooks and without them', async () => {
    const { path, played } = await session();
    expect(verifyTape(path)).toMatchObject({ ok: true, state: 'closed' });
    const decided = played.fired.length;
    expect(await replayTape(path, { hooks: HOOKS })).toMatchObject({ decisions: decided, differences: [] });
    expect(await replayTape(path)).toMatchObject({ decisions: decided, differences: [] });
  });

  it('tells calls apart that ran side by side [C115]', async () => {
    const { path } = await session();
    const begun = recordsOf(path).flatMap((record) =>
      record.type === 'dispatch' && record.event === 'tool.pre' ? [record.callId] : [],
    );
    expect(begun).toEqual(['c0', 'c1', 'c2']);
  });

  it('has messages, tool results and the end beside the decisions, and times nowhere in them', async () => {
    const { path, played } = await session();
    const records = recordsOf(path);
    const noted = records.filter((record): record is SessionRecord => record.type === 'session');
    const kinds = noted.map(({ kind }) => kind);
    expect(records[0]).toMatchObject({ type: 'run', actor: null, caller: null });
    expect(kinds.at(-1)).toBe('closed');
    expect(kinds.filter((kind) => kind === 'message')).toHaveLength(played.result.messages.length);
    expect(JSON.stringify(noted)).toContain('content of a');
    expect(kinds).toContain('end');
    expect(JSON.stringify(noted)).not.toContain('"ms"');
  });

  it('has one verdict for each attempt to call a tool, and the digest of what ran', async () => {
    const { path } = await session();
    const calls = recordsOf(path).filter((record) => record.type === 'call');
    expect(calls.sort((a, b) => (a.callId < b.callId ? -1 : 1))).toEqual([
      {
        type: 'call',
        callId: 'c0',
        tool: 'read',
        verdict: 'ran',
        by: null,
        reason: null,
        digest: callDigest('read', { path: 'a' }),
      },
      expect.objectContaining({ callId: 'c1', digest: null, reason: expect.stringContaining('call 2') }),
      expect.objectContaining({ callId: 'c2', verdict: 'ran' }),
    ]);
    expect(entriesOf(path).every(({ at, record }) => (at === undefined) === isClosing(record))).toBe(true);
  });
});

function isClosing(record: TapeRecord): boolean {
  return record.type === 'session' && record.kind === 'closed';
}
