/**
 * One tape, gone through once in the background and on from there when it grows: what it adds up to so far, and marks at which it can
 * be read again. So any part of a tape of any length is there soon, and nothing of its content is kept.
 */
import { BoundedMap, HarnessError } from '../base/index.ts';
import type { PolicyHook } from '../policy/index.ts';
import { namingEntries } from '../project/index.ts';
import {
  ChainAtEntry,
  type Chapter,
  type Entry,
  headerOf,
  includes,
  type Start,
  type Story,
  startsBefore,
  TapeFollower,
  TapeStats,
} from '../tape/index.ts';
import { decisionRow, rowOf, summaryText } from './rows.ts';
import { RunFacts, titleOf } from './run-facts.ts';
import type { Row, Step, StepLine, TurnView } from './server/api.ts';
import { type Agents, STOPPED_LINES, StepBuilder } from './steps.ts';
import { ruleOf } from './stop-rule.ts';
import { pacer, type ShownTape } from './tapes.ts';

/** Where reading can begin, since nothing is under way there, and how much stands before it. */
interface Mark extends Omit<Start, 'before'>, Partial<Pick<Start, 'before'>> {
  readonly seq: number;
  readonly rows: number;
  readonly decisions: number;
  /** Lines of steps. */
  readonly steps: number;
  /** Steps that are under way there. */
  readonly open: readonly string[];
  /** Of the entries that say which hooks there are. */
  readonly known: number;
}

export interface RuleStops {
  readonly hits: number;
  readonly last: number | null;
}

/** What stopped or asked in a quarter of an hour, by rule, with its newest case. */
export interface StopCount {
  /** Of a pack, or the hook; the event if no hook decided. */
  readonly rule: string;
  readonly hook: string | null;
  /** `failed`: the hook gave no decision, and so the call was stopped. */
  readonly action: 'block' | 'ask' | 'failed';
  readonly quarter: number;
  readonly count: number;
  readonly newest: Row;
}

export type MutableTurn = { -readonly [K in keyof TurnView]: TurnView[K] };

const MARK_BYTES = 64 * 1024;
/** Chapters after the last step that is wanted, for how it ended. */
const MOST_BEYOND = 500;
const FEW_BEYOND = 8;
const MOST_TURNS = 5000;
/** What a decision leaves out stands shortly before it, or anywhere. */
const STEPS_BACK = [0, 8, Number.POSITIVE_INFINITY];
/** What says which hooks there are is kept; after more of it there are no marks. */
const MOST_BEFORE_BYTES = 4 * 1024 * 1024;
/** More are in the timeline. */
const MOST_STOPPED = 200;
/** Of the clock, as fine as time zones are. */
export const QUARTER_MS = 15 * 60 * 1000;
const MOST_QUARTERS = 40_000;
const MOST_STOP_COUNTS = 1000;

export class TapePass {
  readonly tape: ShownTape;
  readonly stats = new TapeStats();
  readonly fired = new Map<string, number>();
  readonly rules = new Map<string, RuleStops>();
  /** By quarters of an hour since the epoch, how often each action was decided. */
  readonly quarters = new BoundedMap<number, Map<string, number>>(MOST_QUARTERS);
  /** Who stopped and asked. */
  readonly deciders = new Map<string, { block: number; ask: number }>();
  /** By rule, action and quarter of an hour. */
  readonly stops = new BoundedMap<string, StopCount>(MOST_STOP_COUNTS);
  readonly facts = new RunFacts();
  /** The first that were stopped or asked about. */
  readonly stopped: number[] = [];
  /** Their lines among the steps. */
  readonly stopLines: number[] = [];
  unnamed = 0;
  last: number | null = null;
  problem: string | null = null;
  private readonly follower: TapeFollower;
  private readonly before: Entry[] = [];
  private beforeBytes = 0;
  private readonly marks: Mark[] = [{ at: 0, known: 0, seq: 0, rows: 0, decisions: 0, steps: 0, open: [] }];
  private heard = { seq: 0, at: 0 };
  private told = 0;
  private decided = 0;
  private steps = 0;
  private readonly agents: Agents = new Map();
  private readonly teller: StepBuilder;
  /** From one prompt to the next. */
  readonly turns: MutableTurn[] = [];
  private readState = '';
  private reading: Promise<void> | null = null;

  constructor(tape: ShownTape) {
    this.tape = tape;
    this.follower = new TapeFollower(tape.file, (entry) => this.hear(entry));
    this.teller = new StepBuilder(tape.id, this.agents);
  }

  get header() {
    return this.follower.header;
  }

  /** How much of it is read, of 1. */
  read({ state, bytes }: ShownTape): number {
    return this.readState === state ? 1 : Math.min(0.99, this.follower.offset / Math.max(1, bytes));
  }

  /** Whether what was read is the beginning of what is there now. */
  continues({ inode, bytes, state }: ShownTape): boolean {
    if (state === this.readState || this.readState === '') return true;
    return inode === this.tape.inode && bytes > this.follower.offset && this.problem === null;
  }

  counted(kind: 'rows' | 'decisions' | 'steps'): number {
    const open = this.follower.unfinished;
    if (kind === 'steps') {
      const teller = new StepBuilder(this.tape.id, this.agents, { open: this.teller.openKeys });
      return open.reduce((sum, chapter) => sum + (teller.hear(chapter)?.lines ?? 0), this.steps);
    }
    return kind === 'rows'
      ? this.told + open.length
      : this.decided + open.filter((chapter) => chapter.kind === 'decision').length;
  }

  /** Reads on to where the tape ends. */
  catchUp({ state }: ShownTape): Promise<void> {
    if (this.readState === state) return Promise.resolve();
    this.reading ??= this.go(state).finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  /** From one to another, counted from the oldest; as far as it is read. */
  async window(kind: 'rows' | 'decisions', from: number, to: number): Promise<Row[]> {
    const found = this.marks.findLastIndex((each) => each[kind] <= from);
    // A result leaves out what its call said shortly before.
    const mark = this.marks[Math.max(0, found - 1)]!;
    const rows: Row[] = [];
    let at = mark[kind];
    const pause = pacer();
    for (const { chapter } of this.chapters(mark)) {
      if (kind === 'decisions' && chapter.kind !== 'decision') continue;
      if (at >= to) break;
      if (at++ >= from) rows.push(rowOf(this.tape.id, chapter));
      await pause();
    }
    return rows;
  }

  /** The same of the lines of its steps. */
  async stepLines(from: number, to: number): Promise<StepLine[]> {
    const found = this.marks.findLastIndex(({ steps }) => steps <= from);
    const mark = this.marks[Math.max(0, found - 1)]!;
    const teller = new StepBuilder(this.tape.id, this.agents, { open: mark.open, whole: true });
    const lines: StepLine[] = [];
    const pause = pacer();
    let [at, beyond] = [mark.steps, 0];
    for (const { chapter } of this.chapters(mark)) {
      await pause();
      // How a call ended stands after it.
      if (at >= to && beyond++ > (teller.isPending ? MOST_BEYOND : FEW_BEYOND)) break;
      const step = teller.hear(chapter);
      if (step === null) continue;
      for (let line = 0; line < step.lines; line++, at++) {
        if (at < from || at >= to) continue;
        lines.push(line > 0 ? { seq: step.seq, line } : this.withTurn(step));
      }
    }
    return lines;
  }

  /** The step that an entry belongs to, and its line; null if it belongs to none. */
  async stepAt(seq: number): Promise<{ readonly step: Step; readonly line: number } | null> {
    if (seq > this.heard.seq) return null;
    const near = this.marks.findLastIndex((mark) => mark.seq < seq);
    const pause = pacer();
    for (const mark of [this.marks[Math.max(0, near - 1)]!, this.marks[0]!]) {
      const teller = new StepBuilder(this.tape.id, this.agents, { open: mark.open, whole: true });
      const steps: { readonly step: Step; readonly line: number }[] = [];
      let [line, beyond] = [mark.steps, 0];
      for (const { chapter } of this.chapters(mark)) {
        await pause();
        const step = teller.hear(chapter);
        if (step !== null) steps.push({ step, line });
        line += step?.lines ?? 0;
        const here = chapter.kind === 'decision' ? chapter.story.dispatch.seq : chapter.entry.seq;
        if (here > seq && beyond++ > (teller.isPending ? MOST_BEYOND : FEW_BEYOND)) break;
      }
      const found = steps.find(({ step: { parts } }) => parts.some((part) => part.seq === seq));
      if (found !== undefined) return found;
      if (mark.at === 0) break;
    }
    return null;
  }

  /** An entry that is no decision; null if there is none of this number. */
  async noteAt(seq: number): Promise<Extract<Chapter, { kind: 'session' }>['entry'] | null> {
    const pause = pacer();
    for (const { chapter } of this.chapters(this.markBefore(seq))) {
      await pause();
      const here = chapter.kind === 'decision' ? chapter.story.dispatch.seq : chapter.entry.seq;
      if (here === seq && chapter.kind === 'session') return chapter.entry;
      if (here > seq) return null;
    }
    return null;
  }

  /** Seen whole, its line is `line: 0`. The object stays the same: what comes later may fill it. */
  private withTurn(step: Step): StepLine {
    const at = this.turns.findLastIndex((turn) => turn.seq <= step.seq);
    const turn = this.turns[at];
    return Object.assign(step, {
      line: 0,
      turn: turn === undefined ? null : { from: turn.from, until: turn.until },
    });
  }

  /** The newest, before the tape is read: of so many bytes at its end. */
  lastRows(bytes: number): Row[] {
    const at = Math.max(0, this.tape.bytes - bytes);
    return [...this.chapters({ at, known: 0, torn: true })]
      .filter(({ chapter }) => chapter.kind === 'decision')
      .map(({ chapter }) => rowOf(this.tape.id, chapter))
      .reverse();
  }

  /** The decisions that entries belong to, given in their order, with the hooks there were; null for one that belongs to none. */
  async *storiesAt(seqs: readonly number[]): AsyncGenerator<StoryAtEntry | null> {
    const pause = pacer();
    let step = 0;
    for (let i = 0; i < seqs.length; ) {
      const mark: Mark = this.unreadMark(seqs[i]!, step) ?? this.markBefore(seqs[i]!, STEPS_BACK[step]);
      const first = i;
      let left = false;
      for (const { chapter, hooks } of this.chapters(mark, seqs.length === 1 ? seqs[0] : undefined)) {
        await pause();
        const begins = chapter.kind === 'decision' ? chapter.story.dispatch.seq : chapter.entry.seq;
        // It may have begun before a place in the middle.
        left = begins > seqs[i]! && mark.torn === true;
        if (left) break;
        if (chapter.kind !== 'decision' || !includes(chapter.story, seqs[i]!)) continue;
        // What it leaves out stands before the mark.
        left = mark.at > 0 && chapter.story.dispatch.record.same !== undefined;
        if (left) break;
        yield { story: chapter.story, hooks };
        i++;
        if (i === seqs.length || (step < 2 && this.markBefore(seqs[i]!).seq > seqs[i - 1]!)) break;
      }
      if (left) step++;
      if (i > first || left) continue;
      yield null;
      i++;
    }
  }

  /** Numbers of the decisions before and after one. */
  async beside(seq: number): Promise<{ previous: number | null; next: number | null }> {
    const pause = pacer();
    let previous: number | null = null;
    for (const mark of [this.unreadMark(seq, 0) ?? this.markBefore(seq, 1), this.marks[0]!]) {
      for (const { chapter } of this.chapters(mark)) {
        await pause();
        if (chapter.kind !== 'decision') continue;
        const here = chapter.story.dispatch.seq;
        if (here > seq) return { previous, next: here };
        if (here < seq) previous = here;
        else if (previous === null && mark.at > 0) break;
      }
      if (previous !== null) break;
    }
    return { previous, next: null };
  }

  /** Near an entry that was not read yet, if the index of the folder helps. */
  private unreadMark(seq: number, step: number): Mark | null {
    if (seq <= this.heard.seq || this.readState !== '') return null;
    const start = [...startsBefore(this.tape.file, seq, namingEntries(this.tape.file))][step];
    return start === undefined || start.at === 0 ? null : { ...this.marks[0]!, ...start };
  }

  private markBefore(seq: number, back = 0): Mark {
    const at = this.marks.findLastIndex((mark) => mark.seq < seq);
    return this.marks[Math.max(0, at - back)]!;
  }

  /** What follows a mark, to the end of the file or to where it is broken. `seq`: hooks are those before it. */
  private *chapters(
    start: Pick<Mark, 'at' | 'known' | 'torn' | 'before'>,
    seq?: number,
  ): Generator<{ chapter: Chapter; hooks: readonly PolicyHook[] }> {
    const before = start.before ?? this.before.slice(0, start.known);
    try {
      const chain = new ChainAtEntry(this.header ?? headerOf(this.tape.file));
      for (const entry of before) chain.hear(entry, seq);
      const hear = (entry: Entry) => void chain.hear(entry, seq);
      const follower = new TapeFollower(this.tape.file, hear, { ...start, before });
      for (const chapter of follower.all()) yield { chapter, hooks: chain.hooks };
    } catch (thrown) {
      // What could be read is shown; the run itself says that it is broken.
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
  }

  private async go(state: string): Promise<void> {
    const pause = pacer();
    try {
      for (const chapter of this.follower.more()) {
        this.count(chapter);
        await pause();
      }
      if (this.header === null) throw new HarnessError('TAPE_INVALID', `${this.tape.file} has no header`);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      this.problem = thrown.message;
    }
    if (this.header !== null) await this.facts.askAgent(this.header.host);
    this.readState = state;
  }

  private hear(entry: Entry): void {
    const { record, seq, at } = entry;
    if (this.stats.tapes === 0) this.stats.beginTape(this.header!.session);
    this.stats.add(entry);
    this.last = at ?? this.last;
    if (record.type === 'policy.changed' || (record.type === 'session' && record.kind === 'hook')) {
      this.beforeBytes += this.follower.offset - this.heard.at;
      if (this.beforeBytes <= MOST_BEFORE_BYTES) this.before.push(entry);
    }
    this.heard = { seq, at: this.follower.offset };
  }

  private count(chapter: Chapter): void {
    this.told++;
    this.countStep(chapter);
    this.facts.add(chapter);
    if (chapter.kind === 'decision') this.countStory(chapter.story);
    const far = this.heard.at - this.marks.at(-1)!.at >= MARK_BYTES;
    if (!far || this.follower.unfinished.length > 0 || this.beforeBytes > MOST_BEFORE_BYTES) return;
    const { told: rows, decided: decisions, steps, before } = this;
    const open = this.teller.openKeys;
    this.marks.push({ ...this.heard, known: before.length, rows, decisions, steps, open });
  }

  private countStep(chapter: Chapter): void {
    const line = this.steps;
    const step = this.teller.hear(chapter);
    this.steps += step?.lines ?? 0;
    if (step?.lines === STOPPED_LINES && this.stopLines.length < MOST_STOPPED) this.stopLines.push(line);
    if (chapter.kind !== 'decision') return;
    const { dispatch, outcome } = chapter.story;
    const { event, payload, recheck } = dispatch.record;
    const turn = this.turns.at(-1);
    if (dispatch.at === undefined) return;
    if (step?.kind === 'prompt' && step.depth === 0 && this.turns.length < MOST_TURNS)
      this.turns.push({
        ...{ seq: dispatch.seq, line, from: dispatch.at, until: dispatch.at, calls: 0, stops: 0 },
        title: titleOf(summaryText(payload)),
      });
    else if (turn !== undefined) {
      turn.until = Math.max(turn.until, dispatch.at);
      if (event === 'tool.pre' && recheck !== true) turn.calls++;
      if (step !== null && (outcome?.record.action === 'block' || outcome?.record.action === 'ask'))
        turn.stops++;
    }
  }

  private countStory(story: Story): void {
    const { dispatch, turns, outcome } = story;
    this.decided++;
    const { action, hook } = outcome?.record ?? {};
    if (action !== undefined && dispatch.at !== undefined) this.countQuarter(dispatch.at, action);
    if (action === 'block' || action === 'ask') {
      if (this.stopped.length < MOST_STOPPED) this.stopped.push(dispatch.seq);
      if (hook !== undefined) {
        const decider = this.deciders.get(hook) ?? { block: 0, ask: 0 };
        decider[action]++;
        this.deciders.set(hook, decider);
      }
      this.countStop(story, hook ?? null, action);
    }
    for (const turn of turns) {
      this.fired.set(`${dispatch.record.event}\n${turn.hook}`, dispatch.at ?? 0);
      const rule = ruleOf(turn);
      if (rule === '') this.unnamed++;
      else if (rule !== null)
        this.rules.set(rule, { hits: (this.rules.get(rule)?.hits ?? 0) + 1, last: dispatch.at ?? null });
    }
  }

  /** Without a hook the host sent what the event does not take: no guard stopped that. */
  private countStop(story: Story, hook: string | null, said: 'block' | 'ask'): void {
    const { dispatch, turns } = story;
    const turn = turns.findLast((each) => each.hook === hook);
    const failed = hook === null || turn?.end?.record.type === 'hook_failed';
    const action = failed ? 'failed' : said;
    const rule = (turn !== undefined && ruleOf(turn)) || (hook ?? dispatch.record.event);
    const quarter = Math.floor((dispatch.at ?? Date.parse(this.header!.started)) / QUARTER_MS);
    const key = `${quarter} ${action} ${rule}`;
    const count = (this.stops.get(key)?.count ?? 0) + 1;
    this.stops.set(key, { rule, hook, action, quarter, count, newest: decisionRow(this.tape.id, story) });
  }

  private countQuarter(at: number, action: string): void {
    const quarter = Math.floor(at / QUARTER_MS);
    let counts = this.quarters.get(quarter);
    if (counts === undefined) {
      counts = new Map();
      this.quarters.set(quarter, counts);
    }
    counts.set(action, (counts.get(action) ?? 0) + 1);
  }
}

export interface StoryAtEntry {
  readonly story: Story;
  readonly hooks: readonly PolicyHook[];
}
