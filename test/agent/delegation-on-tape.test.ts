import { describe, expect, it } from 'vitest';
import { replayTape } from '../../src/tape/replay.ts';
import { call, echo, play, tool } from '../support/agent.ts';
import { recordsOf, tapedProject } from '../support/taped.ts';
import { hookFile, loadHooks } from '../support/temp-project.ts';

const ASKS = hookFile(
  `def handle(event, payload):
    said = meta.call_tool("clock", {"zone": "here"})
    return modify(payload + " at " + said)`,
  'event: turn.start\npriority: 10',
);

describe('[C068] a hook that called a tool', () => {
  it('replays with what the tool said then, and no tool runs', async () => {
    const project = await loadHooks({ asks: ASKS });
    const { path, tape, engine } = tapedProject(project);
    let runs = 0;
    const clock = tool('clock', () => `${++runs} o’clock`);
    const { provider } = await play({ tools: [echo, clock], hooks: engine, completions: [{ text: 'done' }] });
    tape.close();
    expect(provider.requests[0]?.messages[0]?.content).toBe('go at 1 o’clock');
    const report = await replayTape(path, { hooks: project.hooks });
    expect(report).toMatchObject({ differences: [], notReplayable: [] });
    expect(report.decisions).toBeGreaterThan(5);
    expect(runs).toBe(1);
  });
});

describe('[C083] a session with sub-agents', () => {
  it('is on one tape, the decisions of the sub-agents too, and replays', async () => {
    const project = await loadHooks({
      guard: hookFile(
        'def handle(event, payload):\n    return block("not here") if metrics.incr("calls") > 2 else allow()',
      ),
    });
    const { path, tape, engine } = tapedProject(project);
    const { result } = await play({
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      tools: [echo],
      hooks: engine,
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { tool_calls: [call('echo')] },
        { tool_calls: [call('echo')] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    tape.close();
    expect(result.text).toBe('done');
    const kinds = recordsOf(path).map((record) => JSON.stringify(record));
    expect(kinds.filter((text) => text.includes('"session.end"')).length).toBeGreaterThan(1);
    expect(await replayTape(path)).toMatchObject({ differences: [], notReplayable: [] });
    const again = await replayTape(path, { hooks: project.hooks });
    expect(again.differences).toEqual([]);
  });
});
