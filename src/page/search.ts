/**
 * Searches over tapes, for lists that are scrolled: the newest first, read in the background and kept for as long as somebody asks
 * for them. Which tapes need not be read, and what is wanted, is what `tape find` says.
 */
import { BoundedMap, HarnessError } from '../base/index.ts';
import {
  hasText,
  headerOf,
  isWanted,
  mayMatch,
  type Search,
  type TapeFacts,
  TapeFollower,
} from '../tape/index.ts';
import { SCREEN_BYTES } from './overview.ts';
import { decisionRow } from './rows.ts';
import type { Row, Rows } from './server/api.ts';
import { pacer, type ShownTape } from './tapes.ts';

export interface WantedRows extends Search {
  /** Of the agent or program that fired the events. */
  readonly host: ((name: string) => boolean) | undefined;
  readonly until: number;
  /** Oldest first. */
  readonly forward: boolean;
}

/** Kept of one search; it says so when there are more. */
const MOST_ROWS = 200_000;
/** Searches in the cache. */
const MOST_SEARCHES = 4;
/** An answer waits so long for rows that are not there yet. */
const WAIT_MS = 250;

/** What an index has of a tape; null if it has nothing. */
export type FactsLookup = (file: string) => TapeFacts | null;

export interface SearchPart {
  readonly state: string;
  readonly rows: readonly Row[];
}

interface Running {
  /** Of each tape, what was found on it. */
  parts: Map<string, SearchPart>;
  rows: Row[];
  /** Of the tape that is being read: its first rows, if it takes long. */
  early: readonly Row[];
  signature: string;
  done: boolean;
  capped: boolean;
  failed: Error | null;
  /** Ends when there is more, or all. */
  more: Promise<void>;
  wake: () => void;
}

export class Searches {
  private readonly searches = new BoundedMap<string, Running>(MOST_SEARCHES);
  private readonly facts: FactsLookup;

  constructor(facts: FactsLookup) {
    this.facts = facts;
  }

  /** A part of the list, or as much of it as is known soon. */
  async page(
    key: string,
    tapes: readonly ShownTape[],
    wanted: WantedRows,
    { offset, limit, whole = false }: { offset: number; limit: number; whole?: boolean },
  ): Promise<Rows & { readonly all: readonly Row[]; readonly parts: ReadonlyMap<string, SearchPart> }> {
    const running = this.start(key, tapes, wanted);
    const enough = () =>
      running.done || (!whole && running.rows.length + running.early.length >= offset + limit);
    const deadline = performance.now() + WAIT_MS;
    while (!enough() && performance.now() < deadline) {
      await Promise.race([running.more, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())]);
    }
    const { rows, early, done, capped, parts, failed } = running;
    if (failed !== null) throw failed;
    const known = early.length === 0 ? rows : [...rows, ...early];
    return {
      rows: known.slice(offset, offset + limit),
      offset,
      total: known.length,
      done,
      capped,
      all: rows,
      parts,
    };
  }

  private start(key: string, tapes: readonly ShownTape[], wanted: WantedRows): Running {
    const signature = tapes.map(({ id, state }) => `${id} ${state}`).join('\n');
    const known = this.searches.get(key);
    const running = known?.signature === signature ? known : newRunning(signature);
    this.searches.set(key, running);
    if (running !== known) {
      // The caller hears of it; the process goes on.
      this.read(running, tapes, wanted, known?.parts ?? new Map()).catch((thrown: Error) => {
        running.failed = thrown;
        running.done = true;
        running.wake();
        this.searches.delete(key);
      });
    }
    return running;
  }

  /** Ends early if nobody keeps it any more. */
  private async read(
    running: Running,
    tapes: readonly ShownTape[],
    wanted: WantedRows,
    before: ReadonlyMap<string, SearchPart>,
  ): Promise<void> {
    const alive = () => [...this.searches.values()].includes(running);
    for (const tape of tapes) {
      if (!alive() || running.capped) break;
      const old = before.get(tape.id);
      const rows = old?.state === tape.state ? old.rows : await this.rowsOn(tape, wanted, running);
      running.early = [];
      running.parts.set(tape.id, { state: tape.state, rows });
      const room = MOST_ROWS - running.rows.length;
      if (rows.length > room) running.capped = true;
      for (const row of rows.length > room ? rows.slice(0, room) : rows) running.rows.push(row);
      running.wake();
    }
    running.done = true;
    running.wake();
  }

  private async rowsOn(tape: ShownTape, wanted: WantedRows, running: Running): Promise<readonly Row[]> {
    const rows: Row[] = [];
    if (wanted.forward) running.early = rows;
    else if (tape.bytes > 16 * SCREEN_BYTES)
      running.early = (await this.gather(tape, wanted, [], tape.bytes - SCREEN_BYTES)).reverse();
    running.wake();
    await this.gather(tape, wanted, rows, 0);
    return wanted.forward ? rows : rows.reverse();
  }

  /** Into `rows`, oldest first; from so many bytes on. */
  private async gather({ id, file }: ShownTape, wanted: WantedRows, rows: Row[], at: number): Promise<Row[]> {
    const pause = pacer();
    try {
      const header = headerOf(file);
      if (wanted.host !== undefined && !wanted.host(header.host)) return rows;
      const facts = this.facts(file);
      if (facts !== null && !mayMatch(facts, wanted)) return rows;
      const began = Date.parse(header.started);
      const follower = new TapeFollower(file, undefined, { at, before: [], torn: at > 0 });
      for (const chapter of follower.all()) {
        await pause();
        if (chapter.kind !== 'decision') continue;
        const { story } = chapter;
        // A tape without times is as old as its beginning.
        const time = story.dispatch.at ?? began;
        if (time < wanted.since || time > wanted.until) continue;
        if (isWanted(story, wanted) && hasText(story, wanted.text)) rows.push(decisionRow(id, story));
        if (rows.length <= MOST_ROWS) continue;
        if (wanted.forward) break;
        // Of the newest, with room to let go of many at once.
        if (rows.length > MOST_ROWS * 1.5) rows.splice(0, MOST_ROWS / 2);
      }
    } catch (thrown) {
      // What could be read is shown; the run itself says that it is broken.
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
    return rows;
  }
}

function newRunning(signature: string): Running {
  const running: Running = {
    parts: new Map(),
    rows: [],
    early: [],
    signature,
    done: false,
    capped: false,
    failed: null,
    more: Promise.resolve(),
    wake: () => {},
  };
  const renew = () => {
    const { promise, resolve } = deferred();
    running.more = promise;
    running.wake = () => {
      renew();
      resolve();
    };
  };
  renew();
  return running;
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
