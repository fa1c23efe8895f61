/** Running sessions as they happen: which are being written, and what they decide, told to everybody who listens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HarnessError } from '../base/index.ts';
import { isLocked } from '../machine/index.ts';
import { headerAt } from '../project/index.ts';
import { TapeFollower } from '../tape/index.ts';
import { rowOf } from './rows.ts';
import type { LiveMessage, Row } from './server/api.ts';
import { pacer, type ShownTape, type Tapes } from './tapes.ts';

const LOOK_MS = 500;
/** A tape that nobody wrote to for so long is not followed. */
const RECENT_MS = 10 * 60 * 1000;
/** Launchers write and let go: for so long their session counts as running. */
const BETWEEN_MS = 60 * 1000;
const MOST_TAPES = 50;
/** Of what was there before somebody looked. */
const FIRST_ROWS = 40;
const MOST_ROWS = 500;

interface Followed {
  readonly follower: TapeFollower;
  state: string;
  /** The number of the last entry that was told. */
  last: number;
  begun: boolean;
  /** Its last decision was about its end. A closing entry says less: launchers write one after each call. */
  ended: boolean;
}

export async function* liveMessages(tapes: Tapes, signal: AbortSignal): AsyncGenerator<LiveMessage> {
  const followed = new Map<string, Followed>();
  let told = '';
  /** What is to be told of them, if it has changed. */
  const running = (recent: readonly ShownTape[], now: number): LiveMessage[] => {
    const isRunning = ({ id, file, written }: ShownTape) =>
      isLocked(file) || (written > now - BETWEEN_MS && followed.get(id)?.ended !== true);
    const runs = recent.filter(isRunning).map(runningRow);
    const said = JSON.stringify(runs);
    if (said === told) return [];
    told = said;
    return [{ kind: 'running', runs }];
  };
  while (!signal.aborted) {
    const now = Date.now();
    const recent = tapes
      .list()
      .filter(({ written }) => written > now - RECENT_MS)
      .slice(0, MOST_TAPES);
    // Before and after they are read: a long one takes a while, and its end says whether it runs.
    yield* running(recent, now);
    for (const tape of [...recent].reverse()) {
      const one = followed.get(tape.id) ?? {
        follower: new TapeFollower(tape.file),
        state: '',
        last: 0,
        begun: false,
        ended: false,
      };
      followed.set(tape.id, one);
      if (one.state === tape.state) continue;
      one.state = tape.state;
      const rows = await newRows(tape, one);
      if (rows.length > 0) yield { kind: 'rows', rows: rows.slice(one.begun ? -MOST_ROWS : -FIRST_ROWS) };
      one.begun = true;
    }
    yield* running(recent, now);
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

async function newRows({ id }: ShownTape, one: Followed): Promise<Row[]> {
  const rows: Row[] = [];
  const pause = pacer();
  try {
    for (const chapter of one.follower.more()) {
      const row = rowOf(id, chapter);
      if (row.seq > one.last) {
        one.last = row.seq;
        if (!row.note) one.ended = row.event === 'session.end';
        rows.push(row);
        if (rows.length > MOST_ROWS * 2) rows.splice(0, MOST_ROWS);
      }
      await pause();
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
  }
  return rows;
}

function runningRow({ id, file }: ShownTape): { id: string; session: string; host: string; started: string } {
  const header = headerAt(file);
  return { id, session: header?.session ?? '', host: header?.host ?? '', started: header?.started ?? '' };
}
