/**
 * The transcript of a session that was given none. Its path is known from the start, since hooks are told it and the tape holds
 * what they were told; the file is made when the first hook wants to know, with what was said so far, and is gone with the process.
 */
import { appendFileSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownershipProblem } from '../../machine/index.ts';
import type { Message } from '../message.ts';
import type { SessionEvent } from '../session-event.ts';
import { type TranscriptHeader, transcriptLines } from './transcript.ts';

export interface LateTranscript {
  readonly onEvent: (event: SessionEvent) => void;
}

/** The same for the same session and person, so that a run and its repetition say the same. */
export function lateTranscriptPath(sessionId: string): string {
  const person = process.getuid?.() ?? 'user';
  return join(tmpdir(), `harness-transcripts-${person}`, `${encodeURIComponent(sessionId)}.jsonl`);
}

/** What cannot be written is lost: nobody was promised this file when the session began. */
export function lateTranscript(
  path: string,
  header: TranscriptHeader,
  said: readonly Message[],
): LateTranscript {
  const lines = transcriptLines(header);
  const begun = lines.header + said.map((message) => lines.line({ type: 'message', message })).join('');
  if (!ownFolder(dirname(path)) || !tried(() => writeFileSync(path, begun, { mode: 0o600 }))) return NOTHING;
  removeAtExit(path);
  return { onEvent: (event) => void tried(() => appendFileSync(path, lines.line(event))) };
}

const createdFolders = new Set<string>();

/** One listener for all: a program may hold many sessions. */
function removeAtExit(path: string): void {
  if (createdFolders.size === 0) {
    process.once('exit', () => {
      for (const file of createdFolders) rmSync(file, { force: true });
    });
  }
  createdFolders.add(path);
}

const NOTHING: LateTranscript = { onEvent: () => {} };

/** Others must neither read what is said nor put a file of theirs in its place. */
function ownFolder(folder: string): boolean {
  tried(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  return tried(() => {
    const problem = ownershipProblem(lstatSync(folder), 'private');
    if (problem !== null) throw new Error(problem);
  });
}

function tried(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
