/**
 * The transcripts of agents as events, from files in the shape that each agent was seen to write.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTranscript as readClaude } from '../../src/agents/claude-code/transcript.ts';
import { readTranscript as readCodex } from '../../src/agents/codex/transcript.ts';
import { readTranscript as readGemini } from '../../src/agents/gemini-cli/transcript.ts';
import type { ReadTranscript, Transcript } from '../../src/agents/transcript.ts';
import type { Json } from '../../src/base/json.ts';

const READERS: Readonly<Record<string, readonly [file: string, read: ReadTranscript]>> = {
  'Claude Code': ['claude-code.jsonl', readClaude],
  'Codex CLI': ['codex.jsonl', readCodex],
  'Gemini CLI': ['session-gemini.jsonl', readGemini],
};

function linesOf(file: string): (Json | null)[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      try {
        return JSON.parse(line) as Json;
      } catch {
        return null;
      }
    });
}

function read(agent: string): Transcript {
  const [file, reader] = READERS[agent]!;
  return reader(linesOf(file)) as Transcript;
}

/** One short text an item. */
function told({ items }: Transcript): string[] {
  return items.map((item) => {
    if (item.kind === 'call') return `${item.callId} ${item.verdict} ${item.by ?? '-'} ${item.reason ?? '-'}`;
    const { event, payload } = item;
    if (typeof payload === 'string') return `${event} ${payload}`;
    const { name, args, content } = payload as { name: string; args: Record<string, Json>; content?: string };
    return `${event} ${name} ${String(args.command ?? args.path ?? '?')}${content === undefined ? '' : ` = ${content}`}`;
  });
}

describe('the transcript of Claude Code', () => {
  it('gives prompts, calls, results and what a person refused, each line once', () => {
    const transcript = read('Claude Code');
    expect(transcript).toMatchObject({
      session: '11111111-2222-4333-8444-555555555555',
      cwd: '/home/ann/app',
      unread: 1,
    });
    expect(told(transcript)).toEqual([
      'turn.start fix the tests',
      'tool.pre run_command npm test',
      'tool.post run_command npm test = 1 failed',
      't1 ran - -',
      'tool.pre edit_file /home/ann/app/a.ts',
      'tool.post edit_file /home/ann/app/a.ts = updated',
      't2 ran - -',
      'tool.pre run_command git push --force origin main',
      't3 denied person never force push',
      'tool.pre run_command git push origin main',
      't4 blocked - PreToolUse:Bash hook error: not on main',
      'tool.pre write_file /home/ann/app/.env',
      't5 denied person declined',
      'turn.start then deploy',
      'tool.pre run_command ./deploy.sh',
      't6 failed person interrupted',
      'tool.pre run_command cat notes.txt',
      "tool.post run_command cat notes.txt = he wrote: The user doesn't want to proceed with this tool use. ok",
      't7 ran - -',
    ]);
  });

  it('is what the launcher would have seen: the same payload of a call', () => {
    const call = read('Claude Code').items[1]!;
    expect(call).toEqual({
      kind: 'event',
      at: Date.parse('2026-03-01T10:00:01Z'),
      event: 'tool.pre',
      payload: {
        id: 't1',
        name: 'run_command',
        args: { command: 'npm test', description: 'Run the tests' },
        session_id: '11111111-2222-4333-8444-555555555555',
        native: { name: 'Bash', input: { command: 'npm test', description: 'Run the tests' } },
      },
    });
  });
});

describe('the transcript of Codex CLI', () => {
  it('gives the files of a patch apart, and takes no output of a program for a refusal', () => {
    const transcript = read('Codex CLI');
    expect(transcript).toMatchObject({ cwd: '/home/ann/app', unread: 1, unclear: 1 });
    expect(told(transcript)).toEqual([
      'turn.start clean up',
      'tool.pre run_command ls -la',
      expect.stringContaining('tool.post run_command ls -la = Chunk ID: 1'),
      'c1 ran - -',
      expect.stringMatching(/^tool\.pre run_command .*docker system prune/),
      'c2 denied person declined',
      'tool.pre write_file one.txt',
      'tool.pre edit_file two.txt',
      'tool.post write_file one.txt = Done',
      'tool.post edit_file two.txt = Done',
      'c3 ran - -',
      'tool.pre run_command sleep 100',
      'c4 failed person interrupted',
      'tool.pre run_command make',
      'c5 failed person interrupted',
      'tool.pre exec_command ?',
      'c6 ran - -',
    ]);
  });
});

describe('the transcript of Gemini CLI', () => {
  it('takes the last of a message that was written twice', () => {
    expect(told(read('Gemini CLI'))).toEqual([
      'turn.start look around',
      'tool.pre run_command ls',
      'tool.post run_command ls = Output: a',
      'g1 ran - -',
      'tool.pre write_file /home/ann/app/x',
      'g2 denied person declined',
      'tool.pre run_command date',
      'g3 blocked - Tool execution blocked: no',
      'tool.pre read_file none',
      'tool.post read_file none = File not found',
      'g4 failed - -',
    ]);
  });

  it('reads the one document of older versions', () => {
    const [head, ...messages] = linesOf('session-gemini.jsonl') as Record<string, Json>[];
    const document = { ...head, messages: messages.filter(({ id }) => id !== undefined) };
    expect(told(readGemini([document as Json]) as Transcript)).toEqual(told(read('Gemini CLI')));
  });
});

describe('any transcript', () => {
  it.each(Object.entries(READERS))(
    'of %s: what is none is said, and no line makes it fail',
    (agent, [file, reader]) => {
      expect(reader([null, 1, 'x', [], {}, { type: 'user', message: 5 }])).toEqual({
        problem: `is no transcript of ${agent}: no line names its session`,
      });
      const odd: Json[] = [null, 0, '', 'text', [], {}, [{}], { type: 7 }];
      const lines = linesOf(file);
      for (const [i, line] of lines.entries()) {
        for (const value of odd) {
          const broken = JSON.parse(JSON.stringify(line), (key, each) =>
            ['message', 'content', 'payload', 'input', 'arguments', 'toolCalls', 'result', 'output'].includes(
              key,
            )
              ? value
              : each,
          );
          expect(() => reader([...lines.slice(0, i), broken, ...lines.slice(i + 1)])).not.toThrow();
        }
      }
    },
  );
});

describe('what a session spent', () => {
  const spent = (reader: ReadTranscript, lines: readonly Json[]) => (reader(lines) as Transcript).spent;

  it('counts an answer of Claude Code once, though each of its parts is a line with the same usage', () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 3000,
      output_tokens: 4,
    };
    const line = (id: string, model = 'claude-sonnet-4-5') => ({
      type: 'assistant',
      sessionId: 's',
      message: { id, model, content: [], usage },
    });
    expect(spent(readClaude, [line('m1'), line('m1'), line('m2'), line('m3', '<synthetic>')])).toEqual({
      model: 'claude-sonnet-4-5',
      sent: 3 * 3210,
      received: 3 * 4,
    });
  });

  it('takes the last sum of Codex, and every answer of Gemini once', () => {
    const sum = (input: number) => ({
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { total_token_usage: { input_tokens: input, output_tokens: 5 } },
      },
    });
    const meta = { type: 'session_meta', payload: { id: 's' } };
    const turn = { type: 'turn_context', payload: { model: 'gpt-5.1-codex' } };
    expect(spent(readCodex, [meta, turn, sum(100), sum(250)])).toEqual({
      model: 'gpt-5.1-codex',
      sent: 250,
      received: 5,
    });
    const message = { id: '1', type: 'gemini', model: 'gemini-3', tokens: { input: 70, output: 7 } };
    expect(spent(readGemini, [{ sessionId: 's' }, message, message])).toEqual({
      model: 'gemini-3',
      sent: 70,
      received: 7,
    });
  });

  it('says nothing where no line does', () => {
    expect(read('Claude Code').spent).toBeNull();
  });
});
