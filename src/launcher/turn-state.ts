/** What hooks keep for one turn (`ctx`), between the processes of that turn, and the number of the turn. */
import type { Json } from '../base/index.ts';
import type { Change, RunState } from '../engine/index.ts';

const TURN_KEY_PREFIX = 'turn/';
const NUMBER = 'turns';

/** `known` is what the session remembers; a new turn begins with nothing. */
export class TurnState {
  private readonly run: RunState;
  private readonly before: ReadonlyMap<string, string>;
  private readonly begins: boolean;

  constructor(run: RunState, known: ReadonlyMap<string, Json>, begins: boolean) {
    this.run = run;
    this.begins = begins;
    const before = new Map<string, string>();
    for (const [key, value] of known) {
      if (!key.startsWith(TURN_KEY_PREFIX)) continue;
      before.set(key.slice(TURN_KEY_PREFIX.length), JSON.stringify(value));
      if (!begins) run.turn.set(key.slice(TURN_KEY_PREFIX.length), value);
    }
    this.before = before;
    const turns = Number(known.get(NUMBER) ?? 0);
    if (turns > 0 || begins) run.turnNumber = begins ? turns : turns - 1;
  }

  /** To be applied under `prefix`. */
  changes(prefix: string): Change[] {
    const { turn } = this.run;
    const gone = [...this.before.keys()].filter((key) => !turn.has(key));
    const changed = [...turn].filter(([key, value]) => this.before.get(key) !== JSON.stringify(value));
    return [
      ...gone.map((key): Change => ({ op: 'delete', key: prefix + TURN_KEY_PREFIX + key })),
      ...changed.map(([key, value]): Change => ({ op: 'set', key: prefix + TURN_KEY_PREFIX + key, value })),
      ...(this.begins ? [{ op: 'incr', key: prefix + NUMBER, by: 1 } as const] : []),
    ];
  }
}
