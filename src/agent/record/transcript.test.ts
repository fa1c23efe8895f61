import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { play } from '../../../test/support/agent.ts';
import { parseTranscript, transcriptLines } from './transcript.ts';
import { openTranscript } from './transcript-file.ts';

const HEADER = { sessionId: 's1', startedAt: 5, model: 'm-1' };

async function written(): Promise<string> {
  const { events } = await play({ completions: [{ text: 'Done.' }] });
  const lines = transcriptLines(HEADER);
  return lines.header + events.map(lines.line).join('');
}

describe('a transcript', () => {
  it('is a header and one entry an event, each pointing at the one before', async () => {
    const [header, ...entries] = parseTranscript(await written());
    expect(header).toEqual({ type: 'session', version: 1, id: 's1', started_at: 5, model: 'm-1' });
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, place) => place + 1));
    expect(entries.map(({ parent }) => parent)).toEqual(
      entries.map((_, place) => (place === 0 ? null : place)),
    );
    expect(entries.at(-1)).toMatchObject({ type: 'end', reason: 'end_turn' });
    expect(entries.some(({ type }) => type === 'text')).toBe(false);
  });

  it('does not repeat the conversation with every request', async () => {
    const entry = parseTranscript(await written()).find(({ event }) => event === 'completion.pre');
    expect(entry?.payload).toMatchObject({ model: 'scripted', message_count: 1 });
    expect(entry?.payload).not.toHaveProperty('messages');
  });

  it('cut off anywhere, as a killed process leaves it, is whole up to its last line', async () => {
    const text = await written();
    const whole = parseTranscript(text);
    for (let end = 0; end < text.length; end += 37) {
      const read = parseTranscript(text.slice(0, end));
      expect(read).toEqual(whole.slice(0, read.length));
    }
  });

  it('a line in the middle that is no entry is an error that names it', () => {
    expect(() => parseTranscript('{"type":"session"}\nnonsense\n{"type":"end"}\n')).toThrow(
      'line 2 of the transcript',
    );
  });

  it('is on disk before the session goes on, in a folder that is made for it', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'transcript-')), 'deep', 'run.jsonl');
    const file = openTranscript(path, HEADER);
    const counts: number[] = [];
    const played = await play({
      completions: [{ text: 'Done.' }],
      onEvent: (event) => {
        file.onEvent(event);
        counts.push(parseTranscript(readFileSync(path, 'utf8')).length);
      },
    });
    file.close();
    file.onEvent(played.events[0]!);
    const kept = played.events.filter(({ type }) => type !== 'text').length;
    expect(counts.at(-1)).toBe(kept + 1);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(parseTranscript(readFileSync(path, 'utf8'))).toHaveLength(kept + 1);
    expect(file.failed()).toBeNull();
  });
});
