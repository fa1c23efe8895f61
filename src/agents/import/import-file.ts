/**
 * One transcript of an agent becomes one tape. Nothing is decided: an engine without a hook records each event, so that every
 * outcome is allow, and the tape says in its header and in its first entry that it was imported, and from what.
 */
import { hash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { isJsonObject, type Json } from '../../base/index.ts';
import { Engine, RunState } from '../../engine/index.ts';
import { machineHost } from '../../machine/index.ts';
import { FileTapeStore, openTape, readTape } from '../../tape/index.ts';
import type { ReadTranscript, Transcript } from '../transcript.ts';

export interface Imported {
  readonly file: string;
  readonly state: 'new' | 'updated' | 'unchanged' | 'other project' | 'empty';
  readonly session: string;
  readonly tape: string | null;
  readonly calls: number;
  /** Calls that a person declined or broke off. */
  readonly refused: number;
  readonly unclear: number;
}

export interface Unimported {
  readonly file: string;
  readonly problem: string;
}

export interface ImportTask {
  readonly agent: string;
  readonly read: ReadTranscript;
  readonly isWanted: (file: string, transcript: Transcript) => boolean;
  /** The folder of the tapes. */
  readonly out: string;
  /** Called before the first is written. */
  readonly makeOut: () => void;
}

/** A larger file is not read. */
const MOST_BYTES = 256 * 1024 * 1024;

export function importFile(file: string, task: ImportTask): Imported | Unimported {
  const { agent, read, isWanted, out, makeOut } = task;
  const bytes = bytesOf(file);
  if (typeof bytes === 'string') return { file, problem: bytes };
  const transcript = read(linesOf(bytes.toString('utf8')));
  if ('problem' in transcript) return { file, problem: transcript.problem };
  const { session, items, unclear } = transcript;
  const ended = items.filter((item) => item.kind === 'call');
  const counts = {
    ...{ file, session, unclear },
    calls: items.filter((item) => item.kind === 'event' && item.event === 'tool.pre').length,
    refused: ended.filter(({ by }) => by === 'person').length,
  };
  if (!isWanted(file, transcript)) return { ...counts, state: 'other project', tape: null };
  if (items.length === 0) return { ...counts, state: 'empty', tape: null };
  const tape = new FileTapeStore(out).pathOf(session);
  const digest = hash('sha256', bytes, 'hex');
  const before = importedFrom(tape);
  if (before === digest) return { ...counts, state: 'unchanged', tape };
  if (before === 'not imported') return { file, problem: `${tape} is there and was not imported; it stays` };
  makeOut();
  writeTape(tape, transcript, { agent, digest, source: basename(file) });
  return { ...counts, state: before === null ? 'new' : 'updated', tape };
}

function bytesOf(file: string): Buffer | string {
  try {
    const { size } = statSync(file);
    if (size > MOST_BYTES) return `is larger than ${MOST_BYTES} bytes`;
    return readFileSync(file);
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
}

/** A whole document, or one value a line. */
export function* linesOf(text: string, wanted?: RegExp): Generator<Json | null> {
  const whole = text.startsWith('{\n') || text.startsWith('{\r\n') ? parsed(text) : null;
  if (whole !== null) {
    yield whole;
    return;
  }
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? undefined : end).trim();
    if (line !== '' && wanted?.test(line) !== false) yield parsed(line);
    if (end === -1) return;
    start = end + 1;
  }
}

function parsed(text: string): Json | null {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** The digest of what the tape was made from; null if there is no tape. */
function importedFrom(tape: string): string | null {
  if (statSync(tape, { throwIfNoEntry: false }) === undefined) return null;
  try {
    const { header, entries } = readTape(tape);
    for (const { record } of entries) {
      if (!header.host.startsWith('import ') || record.type !== 'session') break;
      const { digest } = isJsonObject(record.data) ? record.data : {};
      return typeof digest === 'string' ? digest : '';
    }
  } catch {
    // No tape, or a broken one: not ours to replace.
  }
  return 'not imported';
}

interface Origin {
  readonly agent: string;
  readonly digest: string;
  readonly source: string;
}

/** Whole or not at all. */
function writeTape(path: string, transcript: Transcript, origin: Origin): void {
  const { session, cwd, items, spent, unread, unclear, cut } = transcript;
  let now = items.find(({ at }) => at !== null)?.at ?? machineHost.now();
  const host = { ...machineHost, now: () => now };
  const scratch = `${path}.importing`;
  rmSync(scratch, { force: true });
  const firedBy = `import ${origin.agent}`;
  const tape = openTape(scratch, { session, hooks: [], host, firedBy, acknowledge: 'buffered' });
  try {
    tape.note('imported', { ...origin, unread, unclear, cut });
    const run = new RunState(undefined, {
      id: session,
      transcriptPath: null,
      cwd,
      ...(cwd !== null && { workspace: cwd }),
    });
    const engine = new Engine({ hooks: [], host, run, canAsk: true, recorder: tape.recorder });
    for (const item of items) {
      // What a line does not date happened when the line before it did; no time goes back.
      now = Math.max(now, item.at ?? now);
      if (item.kind === 'event') engine.decide(item.event, item.payload as never);
      else {
        const { callId, tool, verdict, by, reason } = item;
        tape.call({ callId, tool, verdict, by, reason });
      }
    }
    if (spent !== null) tape.note('spent', { ...spent });
  } finally {
    tape.close();
  }
  renameSync(scratch, path);
}
