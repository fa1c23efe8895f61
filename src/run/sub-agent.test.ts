import { describe, expect, it } from 'vitest';
import { call, echo, play, tool } from '../../test/support/agent.ts';
import { parseTranscript, transcriptLines } from '../agent/record/transcript.ts';
import { JsonLines } from './json-lines.ts';
import { Tally } from './tally.ts';
import { Timeline } from './timeline.ts';

const usage = { input_tokens: 10, output_tokens: 1 };
const asked = { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })], usage };

const played = () =>
  play({
    agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
    tools: [echo],
    completions: [
      asked,
      { tool_calls: [call('echo', { text: 'x' })], usage },
      { text: 'found it', usage },
      { text: 'done', usage },
    ],
  });

describe('a sub-agent', () => {
  it('is set in on the timeline', async () => {
    const timeline = new Timeline({ width: 80, echo: true, paint: (_style, text) => text });
    const lines = (await played()).events.flatMap((event) => timeline.lines(event));
    const inside = lines.filter((line) => line.startsWith('  |'));
    expect(inside.some((line) => line.includes('found it'))).toBe(true);
    expect(inside.some((line) => line.includes('done'))).toBe(false);
    expect(lines.at(-1)).toContain('done');
  });

  it('counts once in the totals', async () => {
    const tally = new Tally();
    for (const event of (await played()).events) tally.add(event);
    const text = JSON.stringify(tally.summary());
    expect(text).toContain('4 answers');
    expect(text).toContain('40');
    expect(text).toContain('2 calls, 2 ran');
  });

  it('has its name on its lines of JSON', async () => {
    const stream = new JsonLines(() => 0);
    const lines = (await played()).events
      .flatMap((event) => stream.of(event))
      .map((line) => JSON.parse(line));
    const starts = lines.filter(({ event }) => event === 'session.start');
    expect(starts.map(({ agent }) => agent)).toEqual([undefined, 'helper']);
  });

  it('is in the transcript as entries within entries', async () => {
    const lines = transcriptLines({ sessionId: 's1', startedAt: 0 });
    const text = lines.header + (await played()).events.map((event) => lines.line(event)).join('');
    const inner = parseTranscript(text).filter(({ type }) => type === 'agent');
    expect(inner.some(({ entry }) => JSON.stringify(entry).includes('"type":"text"'))).toBe(false);
    expect(inner.at(-1)).toMatchObject({ agent: 'helper', depth: 1, entry: { event: 'session.end' } });
  });
});

describe('a tool that a script calls', () => {
  it('counts as a call', async () => {
    const tally = new Tally();
    const outer = tool('outer', (_, { agent }) => agent!.callTool('echo', {}));
    const { events } = await play({
      tools: [echo, outer],
      completions: [{ tool_calls: [call('outer')] }, { text: 'done' }],
    });
    for (const event of events) tally.add(event);
    expect(JSON.stringify(tally.summary())).toContain('2 calls, 2 ran');
  });
});
