/** How the decisions of tapes are spread over days, in UTC. Entries go in one by one; a tape without times counts for its first day. */
import type { Entry, HookPart } from './entry.ts';

export interface Day {
  /** `2026-03-01`. */
  readonly day: string;
  tapes: number;
  decisions: number;
  blocks: number;
  asks: number;
  rewrites: number;
  failures: number;
}

/** Ten years; what a tape says beyond that is not counted by day. */
const MOST_DAYS = 3660;

const COUNTED: Readonly<Record<string, 'blocks' | 'asks' | 'rewrites'>> = {
  block: 'blocks',
  ask: 'asks',
  modify: 'rewrites',
};

export class Days {
  private readonly byDay = new Map<string, Day>();
  private started = '';
  /** Days of the tape that is being read. */
  private readonly ofTape = new Set<string>();

  beginTape(started: string): void {
    this.started = started;
    this.ofTape.clear();
  }

  add({ record, at }: Entry): void {
    if (record.type !== 'decision') return;
    const { action, hooks = [] } = record.out;
    const failures = hooks.filter(hasFailed).length;
    this.on(at, (day) => {
      day.decisions++;
      day.failures += failures;
      const kind = Object.hasOwn(COUNTED, action) ? COUNTED[action] : undefined;
      if (kind !== undefined) day[kind]++;
    });
  }

  /** The earliest first. */
  get all(): readonly Day[] {
    return [...this.byDay.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
  }

  private on(at: number | undefined, count: (day: Day) => void): void {
    const name = dayOf(at ?? Date.parse(this.started));
    if (name === null) return;
    let day = this.byDay.get(name);
    if (day === undefined) {
      if (this.byDay.size >= MOST_DAYS) return;
      day = { day: name, tapes: 0, decisions: 0, blocks: 0, asks: 0, rewrites: 0, failures: 0 };
      this.byDay.set(name, day);
    }
    if (!this.ofTape.has(name)) {
      this.ofTape.add(name);
      day.tapes++;
    }
    count(day);
  }
}

function hasFailed({ policy }: HookPart): boolean {
  return policy !== undefined;
}

/** Null for what is no time. */
function dayOf(time: number): string | null {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10);
}
