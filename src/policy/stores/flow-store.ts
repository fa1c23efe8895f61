/** The ledger of a session in its area of the store: loaded before a call is decided, what is new saved after it. */
import { BoundedMap, type Json } from '../../base/index.ts';
import type { Change, RunState } from '../../engine/index.ts';
import { Ledger, SessionOrigins } from '../../flow/index.ts';
import { randomHex } from '../../machine/index.ts';

const FLOW = 'flow/';
const KEY = 'flow/key';
const ROW = 'flow/row/';
const QUESTION = 'flow/asked/';

const MOST_CACHED = 32;
/** By their keys: a process that decides again in a session reads only what others added. */
const cached = new BoundedMap<string, SessionOrigins>(MOST_CACHED);

export function newOrigins(): SessionOrigins {
  return new SessionOrigins(new Ledger(randomHex(8), randomHex(4)));
}

/** Null: the session has none yet. */
export function originsIn(entries: ReadonlyMap<string, Json>): SessionOrigins | null {
  const key = entries.get(KEY);
  if (typeof key !== 'string') return null;
  const origins = cached.useOrMake(key, () => new SessionOrigins(new Ledger(key, randomHex(4))));
  const rows = new Map<string, string>();
  for (const [name, value] of entries) {
    if (!name.startsWith(FLOW) || typeof value !== 'string') continue;
    if (name.startsWith(ROW)) rows.set(name.slice(ROW.length), value);
    else if (name.startsWith(QUESTION))
      origins.questions.set(name.slice(QUESTION.length), value.split(' ').map(Number));
  }
  origins.ledger.load(rows);
  origins.isSaved = true;
  return origins;
}

export function originChanges({ origins }: RunState): Change[] {
  if (!(origins instanceof SessionOrigins)) return [];
  const { set, remove } = origins.ledger.takeChanges();
  const { asked, answered } = origins.takeQuestions();
  const changes: Change[] = [
    ...set.map(([key, value]): Change => ({ op: 'set', key: ROW + key, value })),
    ...remove.map((key): Change => ({ op: 'delete', key: ROW + key })),
    ...asked.map(
      ([call, digests]): Change => ({ op: 'set', key: QUESTION + call, value: digests.join(' ') }),
    ),
    ...answered.map((call): Change => ({ op: 'delete', key: QUESTION + call })),
  ];
  if (changes.length === 0 || origins.isSaved) return changes;
  origins.isSaved = true;
  cached.set(origins.ledger.key, origins);
  return [{ op: 'set', key: KEY, value: origins.ledger.key }, ...changes];
}
