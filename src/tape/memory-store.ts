/**
 * Tapes in memory: for tests, for programs that read them before they end, and as the shortest store there is.
 */
import { HarnessError } from '../base/index.ts';
import { closing, entryBody, entryLine, hashLine, headerLine } from './chain.ts';
import type { Header } from './entry.ts';
import {
  type Appended,
  batchProblem,
  infoOf,
  isListed,
  newestFirst,
  type StoredTape,
  type TapeBatch,
  type TapeFilter,
  type TapeInfo,
  type TapeStore,
} from './store.ts';

interface StoredLines {
  readonly header: Header;
  readonly lines: string[];
  head: string;
  open: boolean;
}

export class MemoryTapeStore implements TapeStore {
  private readonly tapes = new Map<string, StoredLines>();

  append(batch: TapeBatch): Appended {
    const problem = batchProblem(batch);
    if (problem !== null) return { ok: false, error: problem };
    const { session, header, entries, more = false, after } = batch;
    const held = this.tapes.get(session);
    if (after !== undefined && (held === undefined || hashLine(held.lines[after.seq] ?? '') !== after.head))
      return {
        ok: false,
        error: new HarnessError('RECORD_CHANGED', `entry ${after.seq} is not what it was`),
      };
    const tape = held ?? begun(header);
    const added: string[] = [];
    let { head } = tape;
    const add = (line: string) => {
      added.push(line);
      head = hashLine(line);
    };
    for (const body of entries) add(entryLine(tape.lines.length + added.length, head, body));
    const last = tape.lines.length + added.length;
    if (!more) add(entryLine(last, head, entryBody(closing(last), null)));
    tape.lines.push(...added);
    tape.head = head;
    tape.open = more;
    this.tapes.set(session, tape);
    return { ok: true, seq: tape.lines.length - 1, head };
  }

  read(session: string, from = 0): StoredTape | null {
    const tape = this.tapes.get(session);
    if (tape === undefined) return null;
    const lines = tape.lines.slice(from).map((line) => ({ bytes: Buffer.from(line), whole: true }));
    return { name: `session ${session}`, lines, open: tape.open, signature: null };
  }

  list(filter: TapeFilter = {}): readonly TapeInfo[] {
    const infos = Array.from(this.tapes.values(), ({ header }) => infoOf(header));
    return newestFirst(infos.filter((info) => isListed(info, filter)));
  }
}

function begun(header: Header): StoredLines {
  const line = headerLine(header);
  return { header, lines: [line], head: hashLine(line), open: false };
}
