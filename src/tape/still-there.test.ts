import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tapeHeader } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { openTranscript } from '../agent/record/transcript-file.ts';
import { TapeWriter } from './writer.ts';

/** What somebody may do to a record between two writes, and what is said of it. */
const DEEDS: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  ['deletes it', (path) => rmSync(path), /deleted or replaced/],
  ['cuts it', (path) => truncateSync(path, 10), /cut from \d+ to 10 bytes/],
  ['empties it', (path) => writeFileSync(path, ''), /cut from \d+ to 0 bytes/],
  ['adds to it', (path) => appendFileSync(path, '{}\n'), /somebody else added 3 bytes/],
  ['moves it away', (path) => renameSync(path, `${path}.old`), /moved away/],
  [
    'puts a copy in its place',
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
    /deleted or replaced/,
  ],
  [
    'moves it away and puts a copy in its place',
    (path) => {
      renameSync(path, `${path}.old`);
      copyFileSync(`${path}.old`, path);
    },
    /another file was put in its place/,
  ],
];

/** No tool does anything in less. */
const aMoment = () => new Promise((done) => setTimeout(done, 3));

describe('a record that changes under its writer', () => {
  it.each(DEEDS)('a tape: somebody %s', async (_who, deed, says) => {
    const path = join(tempProject(), 'runs', 'tape.jsonl');
    const tape = TapeWriter.open(path, { header: tapeHeader() });
    tape.note('before', 1);
    deed(tape.path);
    await aMoment();
    const left = (() => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return null;
      }
    })();
    expect(() => tape.note('after', 2)).toThrow(
      expect.objectContaining({ code: 'RECORD_CHANGED', message: expect.stringMatching(says) }),
    );
    // Nothing was added to what somebody left there, and nothing is recorded from here on.
    if (left !== null) expect(readFileSync(path, 'utf8')).toBe(left);
    expect(() => tape.note('later', 3)).toThrow(expect.objectContaining({ code: 'RECORD_CHANGED' }));
    expect(tape.broken?.code).toBe('RECORD_CHANGED');
    tape.abandon();
  });

  it.each(DEEDS)('a transcript: somebody %s', async (_who, deed, says) => {
    const path = join(tempProject(), 'transcripts', 's.jsonl');
    const transcript = openTranscript(path, { sessionId: 's1', startedAt: 5, model: 'm-1' });
    deed(path);
    await aMoment();
    const event = { type: 'tool.start', callId: '1', name: 'x', args: {} } as const;
    expect(() => transcript.onEvent(event)).toThrow(
      expect.objectContaining({ code: 'RECORD_CHANGED', message: expect.stringMatching(says) }),
    );
    expect(transcript.failed()?.message).toMatch(says);
    transcript.close();
  });

  it('is not found changed if nobody touched it, also after it was closed and opened again', () => {
    const path = join(tempProject(), 'runs', 'tape.jsonl');
    for (let round = 0; round < 3; round++) {
      const tape = TapeWriter.open(path, { header: tapeHeader() });
      tape.note('a', round);
      tape.note('b', 'é\ud83d\ude00');
      tape.close();
      expect(tape.broken).toBeNull();
    }
  });
});
