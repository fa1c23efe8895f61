/**
 * Tapes of sessions with their recorders, open between calls. One is used again only while it is the same policy, the same
 * environment, and nobody else has written to the tape since: whatever another process wrote, a new recorder begins after it.
 */
import type { OpenTape } from '../../tape/index.ts';
import type { SessionTape } from '../decision-context.ts';
import { IdleMap } from './idle-map.ts';

interface Open {
  readonly asked: SessionTape;
  readonly tape: OpenTape;
  uses: number;
}

const MOST_TAPES = 64;

/**
 * A payload may refer to one of the last dispatches of its recorder, and a reader knows as many of the tape (tape/payload-dedup.ts).
 * Other processes may write between two of ours, so a recorder ends long before.
 */
const MOST_USES = 32;

export class OpenTapes {
  private readonly tapes = new IdleMap<Open>(MOST_TAPES);

  of(asked: SessionTape, open: () => OpenTape): OpenTape {
    const key = keyOf(asked);
    const known = this.tapes.use(key);
    if (known !== undefined && known.uses < MOST_USES && isSame(known, asked)) {
      known.uses++;
      return known.tape;
    }
    const tape = open();
    this.tapes.set(key, { asked, tape, uses: 1 });
    return tape;
  }

  /** A tape that could not be written is opened anew. */
  drop(asked: SessionTape): void {
    this.tapes.delete(keyOf(asked));
  }

  sweep(): void {
    this.tapes.sweep();
  }
}

function keyOf({ runs, session }: SessionTape): string {
  return `${session}\0${runs}`;
}

function isSame({ asked: { agent, policy, host }, tape }: Open, asked: SessionTape): boolean {
  if (agent !== asked.agent || policy !== asked.policy || host !== asked.host) return false;
  const end = tape.end();
  return end !== null && end.seq === asked.after?.seq && end.head === asked.after.head;
}
