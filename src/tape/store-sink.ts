/**
 * Records on their way into a store. One batch is under way at a time, so that entries keep their order whatever the store
 * takes for each; what gathers meanwhile goes with the next.
 */
import { type Canonical, HarnessError } from '../base/index.ts';
import { type EntryBody, entryBody, textBody } from './chain.ts';
import { cleanRecord, cleanWritten } from './clean.ts';
import type { DecisionEvent } from './decision-text.ts';
import type { Header, TapeRecord } from './entry.ts';
import type { EntryMark } from './go-on.ts';
import type { RecordSink } from './record.ts';
import type { Redact } from './redact.ts';
import type { Appended, TapeStore } from './store.ts';

export interface StoreSinkOptions {
  readonly header: Header;
  readonly redact: Redact;
  readonly now: () => number;
  /** Other processes append to the same tape: it is let go after every batch. */
  readonly shared: boolean;
  /** The last entry that is remembered of the tape. */
  readonly after?: EntryMark;
  /** Told once when the store fails; what follows is then not recorded. Without it committing fails. */
  readonly onBroken?: (error: HarnessError) => void;
}

/** Entries that wait for a tape which another process has; with more of them the recorder fails. */
const MOST_WAITING = 10_000;

export class StoreSink implements RecordSink {
  private readonly store: TapeStore;
  private readonly options: StoreSinkOptions;
  private waiting: EntryBody[] = [];
  private underWay: Promise<void> | null = null;
  private broken: HarnessError | null = null;
  private closed = false;
  /** The last entry that is known to be on the tape. */
  private mark: EntryMark | undefined;

  constructor(store: TapeStore, options: StoreSinkOptions) {
    this.store = store;
    this.options = options;
    this.mark = options.after;
  }

  get entries(): number {
    return this.mark?.seq ?? 0;
  }

  get end(): EntryMark | null {
    return this.mark ?? null;
  }

  add(record: TapeRecord, ms?: number | readonly number[]): void {
    if (this.takesNoMore()) return;
    const { redact, now } = this.options;
    this.waiting.push(entryBody(cleanRecord(record, redact), now(), ms));
  }

  addDecision(written: Canonical, told: DecisionEvent, ms: readonly number[]): void {
    if (this.takesNoMore()) return;
    const { redact, now } = this.options;
    this.waiting.push(textBody(cleanWritten(written, told, redact), now(), ms));
  }

  commit(): void | Promise<void> {
    if (this.refused()) return;
    if (this.underWay !== null) return this.after(this.underWay);
    if (this.waiting.length > 0) return this.send(!this.options.shared);
  }

  /** Leaves the closing entry, and lets go of the tape. */
  close(): void | Promise<void> {
    if (this.closed) return;
    this.closed = true;
    if (this.broken !== null) return;
    if (this.underWay !== null) return this.after(this.underWay, true);
    if (this.waiting.length > 0 || !this.options.shared) return this.send(false);
  }

  /** Whether another process had the tape for too long: nothing was written, and the next batch takes the entries along. */
  private isContended({ code }: HarnessError): boolean {
    const { shared } = this.options;
    return shared && code === 'TAPE_LOCKED' && !this.closed && this.waiting.length <= MOST_WAITING;
  }

  private get session(): string {
    return this.options.header.session;
  }

  private after(before: Promise<void>, closing = false): Promise<void> {
    const next = () => {
      const more = !closing && !this.options.shared;
      if (this.refused()) return;
      if (this.waiting.length > 0 || (closing && !this.options.shared)) {
        return this.send(more);
      }
    };
    return this.track(before.then(next, next));
  }

  private send(more: boolean): void | Promise<void> {
    const entries = this.waiting;
    this.waiting = [];
    const { header } = this.options;
    const after = this.mark === undefined ? {} : { after: this.mark };
    const appended = this.store.append({ session: this.session, header, entries, more, ...after });
    if (!(appended instanceof Promise)) return this.settle(appended, entries);
    return this.track(appended.then((result) => this.settle(result, entries)));
  }

  /** The one under way is the last that was begun; a failure is told where it is awaited, or with the next record. */
  private track(work: Promise<void>): Promise<void> {
    this.underWay = work;
    const over = () => {
      if (this.underWay === work) this.underWay = null;
    };
    work.then(over, over);
    return work;
  }

  private settle(appended: Appended, entries: readonly EntryBody[]): void {
    if (appended.ok) {
      this.mark = { seq: appended.seq, head: appended.head };
      return;
    }
    if (this.isContended(appended.error)) {
      this.waiting = [...entries, ...this.waiting];
      if (this.options.onBroken === undefined) throw appended.error;
      return;
    }
    this.broken = appended.error;
    if (this.options.onBroken === undefined) throw appended.error;
    this.options.onBroken(appended.error);
  }

  private takesNoMore(): boolean {
    if (this.closed) throw new HarnessError('TAPE_CLOSED', `the tape of session ${this.session} is closed`);
    return this.refused();
  }

  /** Whether what comes is not recorded any more. Throws if nobody has said that this may be. */
  private refused(): boolean {
    if (this.broken === null) return false;
    if (this.options.onBroken === undefined) throw this.broken;
    return true;
  }
}
