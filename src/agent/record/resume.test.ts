import { describe, expect, it } from 'vitest';
import { call, echo, play } from '../../../test/support/agent.ts';
import { resumeTranscript } from './resume.ts';
import { transcriptLines } from './transcript.ts';

const written = (events: Awaited<ReturnType<typeof play>>['events']) => {
  const lines = transcriptLines({ sessionId: 's1', startedAt: 5, model: 'm-1' });
  return lines.header + events.map(lines.line).join('');
};

describe('a transcript that is gone on with', () => {
  it('gives the conversation as the session had it', async () => {
    const { events, result } = await play({
      completions: [{ tool_calls: [{ name: 'nosuch', args: {} }] }, { text: 'Done.' }],
    });
    const resumed = resumeTranscript(written(events));
    expect(resumed).toMatchObject({ sessionId: 's1', model: 'm-1' });
    expect(resumed.messages).toEqual(result.messages);
  });

  it('of a process that was killed ends before the call whose result never came', async () => {
    const { events } = await play({
      completions: [{ text: 'I try.', tool_calls: [{ name: 'nosuch', args: {} }] }, { text: 'Done.' }],
    });
    const cut = events.findIndex(({ type }) => type === 'tool.end');
    expect(resumeTranscript(written(events.slice(0, cut))).messages).toEqual([
      { role: 'user', content: expect.any(String) },
    ]);
  });

  it('is as short as the session had made it, pass by pass', async () => {
    const step = { text: 'step', tool_calls: [call('echo', { text: 'x'.repeat(4000) })] };
    const completions = [...Array.from({ length: 12 }, () => step), { text: 'Done.' }];
    const config = { compaction: { maxTokens: 6000, keepTurns: 2 } };
    const { events, result, fired } = await play({ completions, tools: [echo], config });
    expect(fired.filter(({ event }) => event === 'compact.post').length).toBeGreaterThan(1);
    expect(resumeTranscript(written(events)).messages).toEqual(result.messages);
  });

  it('that is none is refused', () => {
    expect(() => resumeTranscript('{"type":"end"}\n')).toThrow('header');
    expect(() => resumeTranscript('')).toThrow('header');
  });
});
