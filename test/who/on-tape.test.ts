/**
 * Who did it, from the record: one verdict an attempt, the person and the agent behind it, and a replay that comes to the
 * same without asking anybody again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordSession, type SessionOptions } from '../../src/exports/agent.ts';
import { machineHost } from '../../src/machine/host.ts';
import type { CallRecord, RunRecord } from '../../src/tape/entry.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { call, echo, play, tool } from '../support/agent.ts';
import { recordsOf } from '../support/taped.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { policyOf, saying, toolCall } from '../support/who.ts';

const ANN = { id: 'ann', tenant: 'acme', scopes: ['read'] };

const GUARD = hookFile(
  `def handle(event, payload):
    annotate(person=actor["id"], chain=caller["chain"])
    seen = state.incr("seen")
    if not rate.limit("calls:" + actor["id"], 4, per="1h"):
        return block("over the limit after %d" % seen)
    if payload["args"].get("text") == "no":
        return block("not that")
    return allow()`,
  'event: tool.pre\npriority: 10',
);

async function recorded(
  files: Record<string, string>,
  completions: Parameters<typeof play>[0]['completions'],
  more: Partial<SessionOptions> = {},
) {
  const policy = await policyOf(files);
  const path = join(tempProject(), 'tape.jsonl');
  const tape = openTape(path, {
    session: 's1',
    hooks: policy.hooks,
    policy: policy.digest,
    host: machineHost,
  });
  const played = await play({
    policy,
    actor: ANN,
    tools: [echo],
    recorder: tape.recorder,
    onEvent: recordSession(tape),
    completions,
    ...more,
  });
  await tape.close();
  return { path, policy, played };
}

const callsOf = (path: string) =>
  recordsOf(path).filter((record): record is CallRecord => record.type === 'call');

describe('a tape', () => {
  const files = { '.harness/hooks/guard.md': GUARD };
  const six = ['a', 'no', 'b', 'c', 'd', 'e'].map((text) => ({ tool_calls: [call('echo', { text })] }));

  it('replays limits and state from its readings, with the hooks and without them', async () => {
    const { path, policy, played } = await recorded(files, [...six, { text: 'Done.' }]);
    expect(callsOf(path).map(({ verdict }) => verdict)).toEqual([
      'ran',
      'blocked',
      'ran',
      'ran',
      'ran',
      'blocked',
    ]);
    expect(verifyTape(path)).toMatchObject({ ok: true });
    const { hooks } = await policyOf({}, { allowEmpty: true });
    expect(hooks.length).toBeGreaterThan(0);
    const decisions = played.fired.length;
    expect(await replayTape(path, { hooks: policy.hooks })).toMatchObject({
      decisions,
      differences: [],
      notReplayable: [],
    });
    expect(await replayTape(path)).toMatchObject({ decisions, differences: [] });
  });

  it('replays decisions for other people than the run’s, and for those nobody could tell', async () => {
    const policy = await policyOf(files);
    const path = join(tempProject(), 'tape.jsonl');
    const tape = openTape(path, {
      session: 's1',
      hooks: policy.hooks,
      policy: policy.digest,
      host: machineHost,
    });
    const recording = await policyOf(files, { recorder: tape.recorder });
    for (const actor of [ANN, { id: 'bob' }, null, { id: 7 }])
      await recording.decide('tool.pre', toolCall(), { actor: actor as never });
    const caller = { name: 'x', depth: 1, chain: ['x'], parent_session_id: 's0' };
    await recording.decide('tool.pre', toolCall(), { actor: ANN, caller });
    await tape.close();
    expect(await replayTape(path, { hooks: recording.hooks })).toMatchObject({
      decisions: 5,
      differences: [],
    });
    expect(await replayTape(path)).toMatchObject({ decisions: 5, differences: [] });
  });

  it('has the actor and the agent once for each run', async () => {
    const { path } = await recorded(
      files,
      [
        { tool_calls: [call('delegate', { agent: 'a', prompt: 'x' })] },
        { tool_calls: [call('echo')] },
        { text: 'a' },
        { text: 'b' },
      ],
      { agents: [{ name: 'a', description: '', system: 'x' }] },
    );
    const runs = recordsOf(path).filter((record): record is RunRecord => record.type === 'run');
    expect(runs.map(({ actor, caller }) => [actor, caller?.chain ?? null])).toEqual([
      [ANN, []],
      [ANN, ['a']],
    ]);
    expect(readFileSync(path, 'utf8').split('"tenant":"acme"')).toHaveLength(3);
  });

  it('[G3] has one verdict for every attempt, whatever became of it', async () => {
    const strict = {
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    };
    const { path } = await recorded(
      {
        'harness.md':
          '---\npermissions:\n  scopes: enforce\n  rules: [{tools: [never], zone: never, reason: not here}]\n---\n',
        '.harness/hooks/no.md': hookFile(
          saying('block("no")'),
          'event: tool.pre\npriority: 1\nwhen: payload["name"] == "blocked"',
        ),
        '.harness/hooks/hide.md': hookFile(
          saying('block("hide")'),
          'event: tool.post\npriority: 1\nwhen: payload["name"] == "secret"',
        ),
      },
      [
        {
          tool_calls: [
            call('echo', { text: 'a' }, 'c1'),
            call('blocked', {}, 'c2'),
            call('never', {}, 'c3'),
            call('shell', { command: 'mkfs.ext4 /dev/sda1' }, 'c4'),
            call('nothing', {}, 'c5'),
            call('strict', { n: 'x' }, 'c6'),
            call('fails', {}, 'c7'),
            call('secret', {}, 'c8'),
            call('taken', {}, 'c9'),
            call('scoped', {}, 'c10'),
          ],
        },
        { text: 'Done.' },
      ],
      {
        withheld: [['taken', 'tools_policy']],
        tools: [
          echo,
          ...['blocked', 'never', 'shell', 'secret'].map((name) => tool(name, () => name)),
          tool('strict', () => 1, strict as never),
          tool('fails', () => {
            throw new Error('broken');
          }),
          tool('scoped', () => 1, { scopes: ['read', 'admin'] }),
        ],
      },
    );
    const calls = callsOf(path).sort((a, b) => Number(a.callId.slice(1)) - Number(b.callId.slice(1)));
    expect(calls.map(({ tool: name, verdict, by }) => [name, verdict, by])).toEqual([
      ['echo', 'ran', null],
      ['blocked', 'blocked', 'no'],
      ['never', 'denied', 'permissions'],
      ['shell', 'refused', 'floor'],
      ['nothing', 'unknown_tool', null],
      ['strict', 'invalid_arguments', null],
      ['fails', 'failed', null],
      ['secret', 'hidden', 'hide'],
      ['taken', 'hidden', 'tools_policy'],
      ['scoped', 'refused', 'scopes'],
    ]);
    expect(calls.map(({ digest }) => digest !== null)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('[G3] knows the attempt of a sub-agent at a tool that was taken from it', async () => {
    const { path } = await recorded(
      files,
      [
        { tool_calls: [call('delegate', { agent: 'a', prompt: 'x' })] },
        { tool_calls: [call('echo', { text: 'mine?' })] },
        { text: 'a' },
        { text: 'b' },
      ],
      { agents: [{ name: 'a', description: '', system: 'x', tools: ['nothing'] }] },
    );
    expect(callsOf(path).map(({ tool: name, verdict, by }) => [name, verdict, by])).toEqual([
      ['echo', 'hidden', 'delegation'],
      ['delegate', 'ran', null],
    ]);
  });

  it('[G4] a call costs less than 2 kB', async () => {
    const limit = GUARD.replace(', 4, per', ', 4000, per');
    const one = { tool_calls: [call('echo', { text: 'hello' })] };
    const { path } = await recorded(
      { '.harness/hooks/guard.md': limit },
      [one, one, one, { text: 'Done.' }],
      {
        config: { sessionId: machineHost.uuid() },
      },
    );
    const lines = readFileSync(path, 'utf8').split('\n');
    // All that is written of the second one: its decisions, its verdict and the message. Events of the whole step repeat it.
    const own = lines.filter(
      (line) =>
        /"(?:callId|call_id)":"call_2"/.test(line) && !/completion\.pre|agent\.stop|turn\.step/.test(line),
    );
    expect(own.length).toBeGreaterThanOrEqual(4);
    expect(own.join('\n').length).toBeLessThan(2000);
  });
});
