/**
 * A whole session on a tape: its decisions, and beside them what was said and done.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordSession } from '../../src/agent/index.ts';
import { machineHost } from '../../src/base/host.ts';
import type { SessionRecord } from '../../src/tape/entry.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { decisions, hook, play, tool } from '../support/agent.ts';
import { recordsOf } from '../support/taped.ts';
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
    onEvent: recordSession(tape.note),
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
    const noted = recordsOf(path).filter((record): record is SessionRecord => record.type === 'session');
    const kinds = noted.map(({ kind }) => kind);
    expect(kinds[0]).toBe('run');
    expect(kinds.at(-1)).toBe('closed');
    expect(kinds.filter((kind) => kind === 'message')).toHaveLength(played.result.messages.length);
    const ends = noted.filter(({ kind }) => kind === 'tool.end').map(({ data }) => data);
    expect(ends).toContainEqual(
      expect.objectContaining({ callId: 'c0', content: 'content of a', isError: false, verdict: 'ran' }),
    );
    expect(ends).toHaveLength(3);
    expect(kinds).toContain('end');
    expect(JSON.stringify(noted)).not.toContain('"ms"');
  });
});
