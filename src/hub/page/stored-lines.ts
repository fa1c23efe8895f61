/** What the hub's rows leave out, read from the stored lines: how a run began and ended, and what a decision was about. */
import { BoundedMap } from '../../base/index.ts';
import { decisionRow, type Row, RunFacts } from '../../page/index.ts';
import { type Chapter, chapters, includes, parseEntry, parseHeader } from '../../tape/index.ts';
import { unpackSegment } from '../archive.ts';
import { splitLines } from '../batch.ts';
import type { Database } from '../database.ts';

/** Of its first lines: title, model and person stand near the beginning. */
const BEGINNING_LINES = 200;
/** Where a decision's event is looked for, before its line. */
const LINES_BEFORE = 200;
/** Segments that one answer unpacks; decisions of others have no text in it. */
const MOST_SEGMENTS = 40;
const MOST_BEGINNINGS = 2000;
const CLOSED = Buffer.from('"kind":"closed","type":"session"},"seq":');
const TAIL = 64;

export interface Beginning {
  readonly session: string;
  readonly host: string;
  readonly started: string;
  readonly facts: Pick<RunFacts, 'title' | 'model' | 'person' | 'folder'>;
}

/** A decision of which the hub has a row. */
export interface DecisionAt {
  readonly tape: number;
  readonly seq: number;
}

export class StoredLines {
  private readonly database: Database;
  private readonly beginnings = new BoundedMap<number, Beginning | null>(MOST_BEGINNINGS);
  private readonly endings = new BoundedMap<string, boolean>(MOST_BEGINNINGS);

  constructor(database: Database) {
    this.database = database;
  }

  /** Null if retention removed it, or it is no header. */
  async beginning(tape: number): Promise<Beginning | null> {
    const known = this.beginnings.get(tape);
    if (known !== undefined) return known;
    const [lines] = await this.segment(tape, 'from_seq = 0', []);
    const header = lines === undefined ? '' : parseHeader(lines[0]!.toString('utf8'));
    const beginning = typeof header === 'string' ? null : { ...header, facts: factsIn(lines!) };
    this.beginnings.set(tape, beginning);
    return beginning;
  }

  async isClosed(tape: number, next: number): Promise<boolean> {
    const key = `${tape} ${next}`;
    const known = this.endings.get(key);
    if (known !== undefined) return known;
    const [lines] = await this.segment(tape, 'to_seq = $2', [next - 1]);
    const closed = lines?.at(-1)?.subarray(-TAIL).includes(CLOSED) === true;
    this.endings.set(key, closed);
    return closed;
  }

  /** The rows as the run's own views have them. One whose line is not found here is absent. */
  async rows(wanted: readonly DecisionAt[]): Promise<Map<string, Row>> {
    const byTape = new Map<number, number[]>();
    for (const { tape, seq } of wanted) byTape.set(tape, [...(byTape.get(tape) ?? []), seq]);
    const found = new Map<string, Row>();
    let segments = 0;
    const readTape = async (tape: number, seqs: readonly number[]) => {
      let at: Segment = { tape, from: Number.POSITIVE_INFINITY, lines: [] };
      for (const seq of [...seqs].sort((a, b) => b - a)) {
        if (seq < at.from) {
          if (segments++ >= MOST_SEGMENTS) return;
          const [lines, from = 0] = await this.segment(tape, 'from_seq <= $2', [seq]);
          at = { tape, from, lines: lines ?? [] };
        }
        const row = rowIn(at, seq);
        if (row !== null) found.set(`${tape} ${seq}`, row);
      }
    };
    await Promise.all([...byTape].map(([tape, seqs]) => readTape(tape, seqs)));
    return found;
  }

  private async segment(
    tape: number,
    where: string,
    values: readonly number[],
  ): Promise<[Buffer[]?, number?]> {
    const [row] = await this.database.all<{ from_seq: number; body: Uint8Array }>(
      `SELECT from_seq, body FROM segments WHERE tape = $1 AND ${where} ORDER BY from_seq DESC LIMIT 1`,
      [tape, ...values],
    );
    if (row === undefined) return [];
    try {
      return [splitLines(unpackSegment(row.body)), Number(row.from_seq)];
    } catch {
      // `hub check` says that it is damaged.
      return [];
    }
  }
}

interface Segment {
  readonly tape: number;
  readonly from: number;
  readonly lines: readonly Buffer[];
}

/** The line of a decision has it whole, or stands after the one of its event. */
function rowIn({ tape, from, lines }: Segment, seq: number): Row | null {
  const at = seq - from;
  for (const before of [0, LINES_BEFORE]) {
    const told = chaptersIn(lines.slice(Math.max(0, at - before, from === 0 ? 1 : 0), at + 1));
    for (const chapter of told)
      if (chapter.kind === 'decision' && includes(chapter.story, seq))
        return decisionRow(String(tape), chapter.story);
  }
  return null;
}

function factsIn(lines: readonly Buffer[]): RunFacts {
  const facts = new RunFacts();
  for (const chapter of chaptersIn(lines.slice(1, BEGINNING_LINES))) facts.add(chapter);
  return facts;
}

function chaptersIn(lines: readonly Buffer[]): Chapter[] {
  const entries = lines.map((line) => parseEntry(line.toString('utf8')));
  return [...chapters(entries.filter((entry) => typeof entry !== 'string'))];
}
