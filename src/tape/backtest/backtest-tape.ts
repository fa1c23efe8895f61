/**
 * Backtest: a candidate policy decides every recorded event once more, and each decision lands in one of three buckets: same,
 * changed, or not replayable with the reason. After the first changed decision of a session the run would have gone another
 * way, so later changes are marked counterfactual.
 */
import { HarnessError, isJsonObject, type Json, sameJson } from '../../base/index.ts';
import {
  type Action,
  Engine,
  type Hook,
  LayeredRegistry,
  type NestedOptions,
  type Outcome,
  type RecordedEngine,
  Registry,
  RunState,
  type Who,
} from '../../engine/index.ts';
import { Ledger, SessionOrigins, Sources, type WrittenSources } from '../../flow/index.ts';
import type { PolicyHook } from '../../policy/index.ts';
import { type Contents, contentsOf } from '../contents.ts';
import type { Fired, Header, RecordedDecision } from '../entry.ts';
import { type Recorded, type RecordedDispatch, RecordedFeed } from '../recorded.ts';
import { type NotReplayable, RunAlone, whyNot } from '../replay.ts';
import { type RecordedRun, replayRun, runFrom } from '../run-data.ts';
import type { TapeSource } from '../store.ts';
import { openSource, parseHeader } from '../tape-reader.ts';
import { BACKTEST_HOST, CandidateRecorder, CandidateTrial, candidateHook, tapedHook } from './candidate.ts';
import { type ChainTexts, chainTexts, TapeCheck } from './check-tape.ts';

/** What was decided, in short. */
export interface Decided {
  readonly action: Action;
  readonly reason: string | null;
  readonly hook: string | null;
}

export interface ChangedDecision {
  readonly session: string;
  readonly seq: number;
  readonly event: string;
  /** `allow->block`, `block->allow`, `modify->modify`, … */
  readonly class: string;
  /** The hook that makes the difference: the one that stops it now, or the one that stopped it then. */
  readonly hook: string | null;
  readonly before: Decided & { readonly payload?: Json };
  readonly after: Decided & { readonly payload?: Json };
  /** Of the call: what was fired. */
  readonly payload: Json;
  /** An earlier decision of the session has changed already. */
  readonly counterfactual: boolean;
}

export interface TapeResult {
  readonly session: string;
  readonly decisions: number;
  readonly same: number;
  readonly changed: readonly ChangedDecision[];
  readonly notReplayable: readonly (NotReplayable & { readonly session: string })[];
  /** What the self-check found; null if nothing, or if it was not asked for. */
  readonly check: string | null;
}

export interface BacktestOptions {
  /** Decisions before this, in milliseconds since the epoch, are simulated and not counted. */
  readonly since?: number;
  /** Check each tape too: that it is what was written, and that its decisions come out of its own records. These are the candidate's hooks as its digest has them. */
  readonly check?: readonly PolicyHook[];
  /** `sources:` of the candidate: the ledger is made of the tape anew. Absent or null: it keeps none. */
  readonly sources?: readonly WrittenSources[] | null;
  /** Told what the candidate says to each recorded event that could be decided. */
  readonly observe?: (fired: Fired, outcome: Outcome) => void;
}

interface Candidate {
  readonly hooks: readonly Hook[];
  /** Those hooks, with answers from the tape where only that has them. */
  readonly registry: Registry;
  readonly runAlone: RunAlone;
  /** See `BacktestOptions.check`. */
  readonly chains: ChainTexts | null;
}

/** A candidate, ready to decide tape after tape: its hooks are prepared once. */
export class Backtest {
  private readonly candidate: Candidate;
  private readonly options: BacktestOptions;

  constructor(given: Iterable<Hook>, options: BacktestOptions = {}) {
    const hooks = [...given];
    this.candidate = {
      hooks,
      registry: new Registry(hooks.map(candidateHook)),
      runAlone: new RunAlone(hooks),
      chains: options.check === undefined ? null : chainTexts(options.check),
    };
    this.options = options;
  }

  /** Throws TAPE_INVALID for what is no tape. */
  async run(source: TapeSource, onProgress?: (done: number, all: number) => void): Promise<TapeResult> {
    const opened = openSource(source, onProgress);
    const tape = opened instanceof Promise ? await opened : opened;
    const { name, lines } = tape;
    const { chains } = this.candidate;
    const check = chains === null ? null : new TapeCheck(tape, source, chains);
    const session = new SessionBacktest(name, this.candidate, this.options, contentsOf(source), check);
    if (Symbol.iterator in lines) {
      for (const { bytes, whole } of lines) {
        check?.line(bytes, whole);
        if (!whole) break;
        const waiting = session.line(bytes);
        if (waiting !== null) await waiting;
      }
    } else {
      for await (const { bytes, whole } of lines) {
        check?.line(bytes, whole);
        if (!whole) break;
        await session.line(bytes);
      }
    }
    return session.end();
  }
}

const LEDGER_KEY = '0000000000000000';

class SessionBacktest {
  private readonly name: string;
  private readonly contents: Contents | null;
  private readonly check: TapeCheck | null;
  private readonly candidate: Candidate;
  private readonly since: number;
  private readonly observe: BacktestOptions['observe'];
  private readonly sources: readonly WrittenSources[] | null;
  /** The candidate's, and hooks of which only the tape knows what they said. */
  private readonly registry: Registry;
  private header: Header | null = null;
  private feed: RecordedFeed | null = null;
  private readonly engines = new Map<number, CandidateEngine>();
  private last: CandidateEngine | null = null;
  private readonly known = new Set<string>();
  /** What a sub-agent shares with the agent it works for. */
  private shared: RunState | null = null;
  private decisions = 0;
  private same = 0;
  private readonly changed: ChangedDecision[] = [];
  private readonly notReplayable: (NotReplayable & { session: string })[] = [];

  constructor(
    name: string,
    candidate: Candidate,
    { since = 0, observe, sources = null }: BacktestOptions,
    contents: Contents | null,
    check: TapeCheck | null,
  ) {
    this.name = name;
    this.contents = contents;
    this.check = check;
    this.candidate = candidate;
    this.since = since;
    this.observe = observe;
    this.sources = sources;
    this.registry = new LayeredRegistry(candidate.registry);
  }

  line(bytes: Buffer): Promise<void> | null {
    if (this.feed !== null) {
      const recorded = this.feed.push(bytes);
      return recorded === null ? null : this.take(recorded);
    }
    const header = parseHeader(bytes.toString('utf8'));
    if (typeof header === 'string') throw new HarnessError('TAPE_INVALID', `${this.name} ${header}`);
    this.header = header;
    this.feed = new RecordedFeed(this.name, header);
    for (const row of header.policy.hooks) this.row(row, false);
    this.check?.begin(header, this.feed);
    return null;
  }

  async end(): Promise<TapeResult> {
    if (this.header === null) throw new HarnessError('TAPE_INVALID', `${this.name} has no header`);
    for (const recorded of this.feed!.end()) await this.take(recorded);
    const { decisions, same, changed, notReplayable } = this;
    const check = this.check?.end() ?? null;
    return { session: this.header.session, decisions, same, changed, notReplayable, check };
  }

  private take(recorded: Recorded): Promise<void> | null {
    if (recorded.kind === 'run') this.engine(runFrom(recorded.record));
    if (recorded.kind === 'hook') this.row(recorded.hook, true);
    const isSame = recorded.kind === 'dispatch' && this.dispatch(recorded.dispatch);
    if (isSame instanceof Promise) return isSame.then((same) => this.checked(recorded, same) ?? undefined);
    return this.checked(recorded, isSame);
  }

  private checked(recorded: Recorded, isSame: boolean): Promise<void> | null {
    return this.check === null ? null : this.check.take(recorded, isSame);
  }

  /** What no file brings says what it said; a hook that has a file is the candidate's to keep, change or leave out. */
  private row(row: PolicyHook, late: boolean): void {
    if (!late && row.digest !== null) return;
    const key = [row.event, row.source, row.name, row.layer].join('\n');
    if (this.known.has(key) || this.candidate.hooks.some((hook) => isSame(hook, row))) return;
    this.known.add(key);
    this.registry.add(tapedHook(row));
  }

  private engine(recorded: RecordedRun): CandidateEngine {
    if (this.shared === null) recorded.run.origins = this.origins();
    const engine = new CandidateEngine(
      this.registry,
      this.candidate.runAlone,
      sharing(recorded, this.shared),
    );
    this.shared ??= engine.run;
    this.engines.set(recorded.number, engine);
    return (this.last = engine);
  }

  /** Under a fixed key: nobody chooses values against a tape that is written. */
  private origins(): SessionOrigins | null {
    return this.sources === null
      ? null
      : new SessionOrigins(new Ledger(LEDGER_KEY), new Sources(this.sources));
  }

  /** Whether it came out as it is on the tape, to the byte. */
  private dispatch(recorded: RecordedDispatch): Promise<boolean> | boolean {
    if (recorded.isUndecided) return false;
    const hidden = recorded.aborts ? 'the operation was aborted in the middle of it' : whyNot(recorded);
    if (hidden !== null) {
      this.skip(recorded, hidden);
      return false;
    }
    const engine = this.engines.get(recorded.fired.run) ?? this.last ?? this.engine(replayRun(null));
    const decided = engine.decide(recorded, this.changed.length > 0, this.contents);
    return decided instanceof Promise
      ? decided.then((tried) => this.conclude(recorded, tried))
      : this.conclude(recorded, decided);
  }

  private conclude(recorded: RecordedDispatch, tried: Tried): boolean {
    const { outcome, missing, sharedLimit, isSame } = tried;
    const { seq, fired, at } = recorded;
    if (missing !== null) this.skip(recorded, missing);
    if (missing !== null || (at !== null && at < this.since)) return isSame;
    this.decisions++;
    this.observe?.(fired, outcome);
    const change = isSame ? null : changeOf(recorded.said!, outcome);
    if (change === null) this.same++;
    else
      this.changed.push({
        session: this.header!.session,
        seq,
        event: fired.event,
        ...change,
        payload: fired.payload,
        counterfactual: this.changed.length > 0 || sharedLimit,
      });
    return isSame;
  }

  private skip({ seq, fired, at }: RecordedDispatch, reason: string): void {
    if (at !== null && at < this.since) return;
    this.decisions++;
    this.notReplayable.push({ session: this.header!.session, seq, event: fired.event, reason });
  }
}

function isSame(hook: Hook, { event, source, name, layer }: PolicyHook): boolean {
  const sameLayer = layer === undefined || hook.layer === undefined || hook.layer.name === layer;
  return hook.name === name && hook.event === event && hook.source === source && sameLayer;
}

interface Tried {
  readonly outcome: Outcome;
  readonly missing: string | null;
  readonly sharedLimit: boolean;
  /** To the byte. */
  readonly isSame: boolean;
}

class CandidateEngine {
  readonly run: RunState;
  private readonly engine: Engine;
  private recorder: CandidateRecorder | null = null;
  private readonly runAlone: RunAlone;

  constructor(registry: Registry, runAlone: RunAlone, { run, canAsk, canDelegate }: RecordedRun) {
    this.run = run;
    this.runAlone = runAlone;
    const recorder = {
      attach: (engine: RecordedEngine) => (this.recorder = new CandidateRecorder(engine)),
    };
    this.engine = new Engine({ registry, host: BACKTEST_HOST, run, canAsk, canDelegate, recorder });
  }

  decide(recorded: RecordedDispatch, diverged: boolean, contents: Contents | null): Tried | Promise<Tried> {
    const { turn } = recorded.fired;
    if (turn !== undefined) this.run.turnNumber = turn;
    const trial = new CandidateTrial(recorded, this.run, contents, diverged);
    // Once the session has gone another way, what it stores is no longer what the tape has.
    trial.byRunAlone = !diverged && recorded.isPlain && this.runAlone.isWorthIt;
    if (!trial.byRunAlone) return this.play(trial);
    const tried = this.play(trial);
    return tried instanceof Promise
      ? tried.then((first) => this.orByTheTape(first, trial))
      : this.orByTheTape(tried, trial);
  }

  private orByTheTape(tried: Tried, trial: CandidateTrial): Tried | Promise<Tried> {
    if (this.runAlone.count(tried.isSame)) return tried;
    trial.byRunAlone = false;
    return this.play(trial);
  }

  private play(trial: CandidateTrial): Tried | Promise<Tried> {
    const { run } = this;
    const { event, payload, recheck = false, behind } = trial.recorded.fired;
    this.recorder!.trial = trial;
    // What is no decision is found out here, and not by a hook.
    if (!trial.byRunAlone) void trial.recorded.said;
    const options: NestedOptions = { recheck, ...(behind !== undefined && { who: behind as Who }) };
    const outcome = this.engine.decide(event, payload, options);
    const done = (settled: Outcome): Tried => {
      const { missing, sharedLimit, isSame, byRunAlone } = trial;
      run.logs.length = 0;
      const isOver = isSame || !byRunAlone;
      if (isOver && event === 'turn.end') run.turn.clear();
      return { outcome: settled, missing, sharedLimit, isSame };
    };
    return outcome instanceof Promise ? outcome.then(done) : done(outcome);
  }
}

/** A sub-agent shares what the agent it works for stores. */
function sharing(recorded: RecordedRun, shared: RunState | null): RecordedRun {
  if (shared === null) return recorded;
  const { settings, session, services } = recorded.run;
  return { ...recorded, run: new RunState(settings, session, services, shared) };
}

type Change = Pick<ChangedDecision, 'class' | 'hook' | 'before' | 'after'>;

/** Null if it came out the same. That another hook says it, or in other words, is the same. */
function changeOf(said: RecordedDecision, outcome: Outcome): Change | null {
  const [was, is] = [
    rewriteOf(said.action, said.payload),
    rewriteOf(outcome.action, outcome.payload as Json),
  ];
  if (said.action === outcome.action && samePayload(was, is)) return null;
  const { action, reason, hook } = outcome;
  return {
    class: `${said.action}->${action}`,
    hook: action === 'allow' ? (said.hook ?? hook) : hook,
    before: {
      action: said.action,
      reason: said.reason ?? null,
      hook: said.hook ?? null,
      ...(was !== undefined && { payload: was }),
    },
    after: { action, reason, hook, ...(is !== undefined && { payload: is }) },
  };
}

/** What was put in the place of the payload, if that is what the decision is about. */
function rewriteOf(action: Action, payload: Json | undefined): Json | undefined {
  return action === 'modify' ? payload : undefined;
}

/** Texts that say what their data says are left out: they are written by the engine. */
function samePayload(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return sameJson(plain(a), plain(b));
}

function plain(payload: Json): Json {
  if (!isJsonObject(payload)) return payload;
  const { arguments: _arguments, ...rest } = payload;
  return 'args' in payload ? rest : payload;
}
