/**
 * The notes of all hooks to the model, until they have been shown. Each is shown with requests and never written into
 * the history; whatever becomes of one (shown, replaced, expired, dropped, inherited) leaves a record.
 *
 * Without `ttl_turns` a reminder is shown with the next request, once. With `ttl_turns: n` it is shown with every
 * request until the n-th turn after the one it was left in has ended.
 */
import { HarnessError } from '../../base/index.ts';
import type { ReminderSpec } from '../decision.ts';
import { carrierOf, type RequestMessage, withBlock } from './attach.ts';
import { renderReminder } from './render.ts';
import { AUTHORITIES, checkReminder } from './spec.ts';

export interface Reminder extends Required<Omit<ReminderSpec, 'dedupe_key' | 'ttl_turns'>> {
  /** Counts up within a store. */
  readonly id: string;
  readonly dedupe_key: string | null;
  readonly ttl_turns: number | null;
  readonly source: 'hook' | 'inherited';
  /** Who left it. */
  readonly hook: string;
  readonly fired_at_turn: number;
  /** The agent whose store it was first left in. */
  readonly originating_agent_id: string;
}

export interface ReminderRecord {
  readonly kind: 'injected' | 'fired' | 'deduped' | 'expired' | 'dropped' | 'inherited';
  readonly id: string;
  readonly hook: string;
  readonly turn: number;
  /** What was shown; only of `fired`. */
  readonly body?: string;
  /** Why it is gone: `ttl`, `compaction`, `cleared`, `replaced by r2`, … */
  readonly reason?: string;
}

export interface RemovedReminder {
  /** The hook that leaves it. */
  readonly hook: string;
  /** The turn under way, from 0. */
  readonly turn: number;
}

export interface AddedReminder {
  /** Null if one of higher authority with the same key stays in its place. */
  readonly reminder: Reminder | null;
  /** How many pending ones it replaced. */
  readonly replaced: number;
  readonly warnings: readonly string[];
}

export interface ReminderStoreOptions {
  /** Whose store it is; children are told where an inherited reminder comes from. */
  readonly agentId?: string;
  /** Sees every record as it is made: this is what puts reminders on the transcript. */
  readonly onRecord?: (record: ReminderRecord) => void;
}

/** A hook that leaves one on every call, and never the same, must not fill the context window. */
const MOST_PENDING = 256;
/** Limit of records that wait for `takeRecords`. */
const MOST_RECORDS = 10_000;

interface QueuedReminder {
  readonly reminder: Reminder;
  /** The last turn it is shown in, or null: shown once. */
  readonly lastTurn: number | null;
}

export class ReminderStore {
  readonly agentId: string;
  private readonly onRecord: ((record: ReminderRecord) => void) | undefined;
  private queue: QueuedReminder[] = [];
  private records: ReminderRecord[] = [];
  private count = 0;

  constructor(options: ReminderStoreOptions = {}) {
    this.agentId = options.agentId ?? '';
    this.onRecord = options.onRecord;
  }

  get size(): number {
    return this.queue.length;
  }

  /** In the order they would be shown. */
  pending(): readonly Reminder[] {
    return inOrder(this.queue).map(({ reminder }) => reminder);
  }

  /** Leaves a reminder for the model. A spec that is wrong throws, with one of the `REMINDER_…` codes. */
  add(spec: unknown, { hook, turn }: RemovedReminder): AddedReminder {
    const checked = checkReminder(spec);
    if (!checked.ok) throw new HarnessError(checked.code, checked.message);
    const reminder: Reminder = { ...this.complete(checked.reminder, hook, turn), source: 'hook' };
    const { ttl_turns } = reminder;
    return {
      ...this.enqueue({ reminder, lastTurn: ttl_turns === null ? null : turn + ttl_turns }, 'injected', turn),
      warnings: checked.warnings,
    };
  }

  /** The fragments for the next request. Those that are shown once are gone afterwards. */
  drain(turn: number): string[] {
    this.expire(turn - 1);
    const shown = inOrder(this.queue);
    this.queue = this.queue.filter(({ lastTurn }) => lastTurn !== null);
    return shown.map(({ reminder }) => {
      this.record('fired', reminder, turn, { body: reminder.body });
      return renderReminder(reminder.body);
    });
  }

  /**
   * The messages of a request with the reminders on its last user message; the given list stays as it is. Without a
   * reminder the same list comes back. Without a user message too, and the reminders wait for the next request.
   */
  attachTo<M extends RequestMessage>(messages: readonly M[], turn: number): readonly M[] {
    const place = carrierOf(messages);
    if (place === -1) return messages;
    const fragments = this.drain(turn);
    return fragments.length === 0 ? messages : withBlock(messages, place, fragments.join('\n'));
  }

  /** A turn is over. */
  endTurn(turn: number): void {
    this.expire(turn);
  }

  /** The transcript was shortened: only what asked to survive that does. */
  compact(turn: number): void {
    this.dropWhere(turn, 'expired', 'compaction', ({ reminder }) => !reminder.preserve_on_compact);
  }

  clear(turn: number): void {
    this.dropWhere(turn, 'expired', 'cleared', () => true);
  }

  /** A store for a sub-agent, with the reminders that reach it: `all` at any depth, `session` from here only. */
  forChild(agentId: string, turn: number): ReminderStore {
    const child = new ReminderStore({ agentId, ...(this.onRecord && { onRecord: this.onRecord }) });
    for (const { reminder, lastTurn } of this.queue) {
      const { propagate, source } = reminder;
      if (propagate === 'none' || (propagate === 'session' && source === 'inherited')) continue;
      child.count++;
      const copy: Reminder = { ...reminder, id: child.nextId(), source: 'inherited', fired_at_turn: 0 };
      // The child counts its own turns: what is left of the lifetime goes along.
      child.enqueue(
        { reminder: copy, lastTurn: lastTurn === null ? null : Math.max(1, lastTurn - turn) },
        'inherited',
        0,
      );
    }
    return child;
  }

  /** For a caller that wanted to leave a reminder and could not: nothing disappears without a record. */
  refuse({ hook, turn }: RemovedReminder, reason: string): void {
    this.count++;
    this.note({ kind: 'dropped', id: this.nextId(), hook, turn, reason });
  }

  /** The records since they were last taken, oldest first. */
  takeRecords(): ReminderRecord[] {
    const taken = this.records;
    this.records = [];
    return taken;
  }

  private complete(spec: ReminderSpec, hook: string, turn: number): Omit<Reminder, 'source'> {
    this.count++;
    return {
      id: this.nextId(),
      body: spec.body,
      tags: spec.tags ?? [],
      dedupe_key: spec.dedupe_key ?? null,
      ttl_turns: spec.ttl_turns ?? null,
      preserve_on_compact: spec.preserve_on_compact ?? false,
      propagate: spec.propagate ?? 'session',
      role_hint: spec.role_hint ?? 'system',
      authority: spec.authority ?? 'contract',
      hook,
      fired_at_turn: turn,
      originating_agent_id: this.agentId,
    };
  }

  private enqueue(
    queued: QueuedReminder,
    kind: 'injected' | 'inherited',
    turn: number,
  ): Omit<AddedReminder, 'warnings'> {
    const { reminder } = queued;
    const key = reminder.dedupe_key;
    const rivals = key === null ? [] : this.queue.filter((other) => other.reminder.dedupe_key === key);
    const stronger = rivals.find((other) => rank(other) < rank(queued));
    if (stronger !== undefined) {
      const reason = `${stronger.reminder.id} has the same key and more authority`;
      this.record('deduped', reminder, turn, { reason });
      return { reminder: null, replaced: 0 };
    }
    this.queue = this.queue.filter((other) => !rivals.includes(other));
    for (const rival of rivals) {
      this.record('deduped', rival.reminder, turn, { reason: `replaced by ${reminder.id}` });
    }
    this.queue.push(queued);
    this.record(kind, reminder, turn);
    if (this.queue.length > MOST_PENDING) this.dropOne(turn);
    return { reminder, replaced: rivals.length };
  }

  /** The oldest of the least authority goes. */
  private dropOne(turn: number): void {
    const weakest = Math.max(...this.queue.map(rank));
    const place = this.queue.findIndex((queued) => rank(queued) === weakest);
    const [dropped] = this.queue.splice(place, 1);
    this.record('dropped', dropped!.reminder, turn, { reason: `more than ${MOST_PENDING} are pending` });
  }

  private expire(endedTurn: number): void {
    this.dropWhere(endedTurn, 'expired', 'ttl', ({ lastTurn }) => lastTurn !== null && lastTurn <= endedTurn);
  }

  private dropWhere(
    turn: number,
    kind: 'expired',
    reason: string,
    test: (queued: QueuedReminder) => boolean,
  ): void {
    const gone = this.queue.filter(test);
    if (gone.length === 0) return;
    this.queue = this.queue.filter((queued) => !gone.includes(queued));
    for (const { reminder } of gone) this.record(kind, reminder, turn, { reason });
  }

  private nextId(): string {
    return `r${this.count}`;
  }

  private record(
    kind: ReminderRecord['kind'],
    { id, hook }: Reminder,
    turn: number,
    more: Pick<ReminderRecord, 'body' | 'reason'> = {},
  ): void {
    this.note({ kind, id, hook, turn, ...more });
  }

  private note(record: ReminderRecord): void {
    this.records.push(record);
    if (this.records.length > MOST_RECORDS) this.records.shift();
    this.onRecord?.(record);
  }
}

/** By authority; those of the same keep the order they were left in. */
function inOrder(queue: readonly QueuedReminder[]): QueuedReminder[] {
  return [...queue].sort((a, b) => rank(a) - rank(b));
}

function rank({ reminder }: QueuedReminder): number {
  return AUTHORITIES.indexOf(reminder.authority);
}
