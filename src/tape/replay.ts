/**
 * Replay: every recorded dispatch is decided once more, by the hooks that are there and by stand-ins for those that are not,
 * and must leave the same records. What hooks read comes from the tape, so dispatches do not depend on one another.
 */
import { canonicalJson, digestOf, HarnessError, isJsonObject, type Json } from '../base/index.ts';
import { Engine, type Hook, type NestedOptions, Registry, type Who } from '../engine/index.ts';
import type { Host } from '../machine/index.ts';
import { type LayerDigest, type PolicyDigest, type PolicyHook, policyChanges } from '../policy/index.ts';
import { type Mismatch, mismatches } from './compare.ts';
import { type Contents, contentsOf } from './contents.ts';
import type { Header } from './entry.ts';
import { type NamedHook, namedHook } from './hook-names.ts';
import { type Divergence, type DivergenceRecord, Player, type Playing } from './play.ts';
import { type Recorded, type RecordedDispatch, RecordedFeed } from './recorded.ts';
import { type RecordedRun, replayRun, runFrom } from './run-data.ts';
import { replayable, standIn } from './stand-in.ts';
import type { TapeSource } from './store.ts';
import { openSource, parseHeader } from './tape-reader.ts';

export interface ReplayOptions {
  /** Absent: no hook runs, and what they returned drives the same control flow. */
  readonly hooks?: Iterable<Hook>;
  /** The policy of those hooks, to be held against the recorded one. */
  readonly policy?: PolicyDigest;
  /** The number of the last entry that counts. */
  readonly at?: number | undefined;
  readonly onProgress?: (done: number, all: number) => void;
}

export interface Difference {
  /** The entry that did not come out the same. */
  readonly seq: number;
  /** The entry the decision begins with. */
  readonly dispatch: number;
  readonly event: string;
  /** The hook it shows in, or null if it is the outcome. */
  readonly hook: string | null;
  /** What is different, as a sentence. */
  readonly what: string;
  readonly recorded: DivergenceRecord | null;
  readonly replayed: DivergenceRecord | null;
  readonly fields: readonly Mismatch[];
}

export interface NotReplayable {
  readonly seq: number;
  readonly event: string;
  readonly reason: string;
}

export interface ReplayReport {
  readonly header: Header;
  /** Decisions held against the tape, those of emitted events included. */
  readonly decisions: number;
  readonly differences: readonly Difference[];
  readonly notReplayable: readonly NotReplayable[];
  /** Decisions the tape does not hold to their end. */
  readonly unfinished: number;
  /** How the given policy differs from the recorded one, as sentences; null if none was given. */
  readonly policyChanges: readonly string[] | null;
}

/** Throws TAPE_INVALID, or REPLAY_RANGE if `at` is before the first entry. */
export async function replayTape(source: TapeSource, options: ReplayOptions = {}): Promise<ReplayReport> {
  const { at, onProgress } = options;
  if (at !== undefined && at < 1) {
    throw new HarnessError('REPLAY_RANGE', `there is nothing up to entry ${at}: the first entry is 1`);
  }
  const tape = openSource(source, onProgress);
  const { name, lines } = tape instanceof Promise ? await tape : tape;
  const replay = new Replay(name, options, contentsOf(source));
  // Waiting for each line costs more than deciding again: a store that has them at hand is not waited for.
  if (Symbol.iterator in lines) {
    for (const { bytes, whole } of lines) {
      if (!whole || replay.done) break;
      const waiting = replay.line(bytes);
      if (waiting !== null) await waiting;
    }
  } else {
    for await (const { bytes, whole } of lines) {
      if (!whole || replay.done) break;
      await replay.line(bytes);
    }
  }
  return replay.end();
}

/** Sub-agents inside one another bring a hook each that reads the same, and an event of the innermost is heard by all of them. */
const MOST_ALIKE = 8;

/** What a hook is known by in two processes. */
function identity({ event, name, source, layer }: NamedHook): string {
  return [event, source, name, layer].join('\n');
}

/** Decisions as they are read, each held against its own record. */
export class Replay {
  private unfinished = 0;
  private decisions = 0;
  private readonly name: string;
  private readonly options: ReplayOptions;
  private readonly contents: Contents | null;
  private header: Header | null = null;
  private feed: RecordedFeed | null = null;
  readonly differences: Difference[] = [];
  private readonly notReplayable: NotReplayable[] = [];
  private readonly registry = new Registry();
  private readonly runAlone: RunAlone;
  /** Hooks that are there; all others of the tape get a stand-in. */
  private readonly present: ReadonlySet<string>;
  private readonly stoodIn = new Map<string, number>();
  private readonly runs = new Map<number, Replayer>();
  private last: Replayer | null = null;

  constructor(name: string, options: ReplayOptions, contents: Contents | null) {
    this.name = name;
    this.contents = contents;
    this.options = options;
    const given = [...(options.hooks ?? [])];
    this.present = new Set(given.map((hook) => identity(namedHook(hook))));
    this.runAlone = new RunAlone(given);
    for (const hook of given) this.registry.add(replayable(hook));
  }

  /** Whether the lines that follow do not count. */
  get done(): boolean {
    return this.feed?.done === true;
  }

  /** Null if it is over at once. */
  line(bytes: Buffer): Promise<void> | null {
    if (this.feed === null) {
      const header = parseHeader(bytes.toString('utf8'));
      if (typeof header === 'string') throw new HarnessError('TAPE_INVALID', `${this.name} ${header}`);
      this.begin(header, new RecordedFeed(this.name, header, this.options.at));
      return null;
    }
    const recorded = this.feed.push(bytes);
    return recorded === null ? null : this.take(recorded);
  }

  async end(): Promise<ReplayReport> {
    if (this.feed === null || this.header === null) {
      throw new HarnessError('TAPE_INVALID', `${this.name} has no header`);
    }
    for (const recorded of this.feed.end()) await this.take(recorded);
    const { header, decisions, differences, notReplayable, unfinished } = this;
    const { policy } = this.options;
    const changes = policy === undefined ? null : policyDifferences(header.policy, policy);
    return { header, decisions, differences, notReplayable, unfinished, policyChanges: changes };
  }

  /** `feed` may be read by somebody else, who then gives what comes of it to `take`. */
  begin(header: Header, feed: RecordedFeed): void {
    this.header = header;
    this.feed = feed;
    for (const row of header.policy.hooks) this.hook(row, false);
  }

  take(recorded: Recorded): Promise<void> | null {
    switch (recorded.kind) {
      case 'dispatch':
        return this.dispatch(recorded.dispatch);
      case 'run':
        this.run(runFrom(recorded.record));
        return null;
      case 'hook':
        this.hook(recorded.hook, true);
        return null;
      case 'policy':
        for (const hook of recorded.policy.hooks) this.hook(hook, true);
        return null;
      default:
        this.unfinished++;
        return null;
    }
  }

  /**
   * A hook of the policy that has a file is not stood in for if hooks were given: that it is gone is the difference to be
   * found. One that came later, with a sub-agent or from the agent itself, is not there because nobody brings it.
   */
  private hook(row: PolicyHook, late: boolean): void {
    const standsIn = this.options.hooks === undefined;
    if (this.present.has(identity(row)) || (!late && row.digest !== null && !standsIn)) return;
    const text = canonicalJson(row);
    const before = this.stoodIn.get(text) ?? 0;
    if (before >= (late ? MOST_ALIKE : 1)) return;
    this.stoodIn.set(text, before + 1);
    this.registry.add(standIn(row, late));
  }

  private run(recorded: RecordedRun): void {
    this.last = this.replayer(recorded);
    this.runs.set(this.last.number, this.last);
  }

  private replayer(recorded: RecordedRun): Replayer {
    return new Replayer(this.registry, recorded, this.contents, this.runAlone);
  }

  private dispatch(recorded: RecordedDispatch): Promise<void> | null {
    const { event, run } = recorded.fired;
    const hidden = whyNot(recorded);
    if (hidden !== null) {
      const reason = `cannot be replayed: ${hidden}`;
      this.notReplayable.push({ seq: recorded.seq, event, reason });
      return null;
    }
    this.last ??= this.replayer(replayRun(null));
    const playing = (this.runs.get(run) ?? this.last).decide(recorded);
    if (playing instanceof Promise)
      return playing.then(({ departure }) => this.conclude(recorded, departure));
    this.conclude(recorded, playing.departure);
    return null;
  }

  private conclude(recorded: RecordedDispatch, departure: Divergence | null): void {
    this.decisions += countOf(recorded);
    if (departure !== null) this.differences.push(differenceOf(recorded, departure));
  }
}

/** How the policy differs, with the layers it differs in first. */
function policyDifferences(recorded: PolicyDigest, now: PolicyDigest): string[] {
  return [...layerChanges(recorded, now), ...policyChanges(recorded, now)];
}

function layerChanges(recorded: PolicyDigest, now: PolicyDigest): string[] {
  if (recorded.layers === undefined || now.layers === undefined) return [];
  const [before, after] = [folderDigests(recorded.layers, recorded), folderDigests(now.layers, now)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    if (before.get(name) === after.get(name)) return [];
    if (!after.has(name)) return [`the layer ${name} is gone`];
    return [before.has(name) ? `the layer ${name} has changed` : `the layer ${name} is new`];
  });
}

/**
 * By name, of the folders that hold policy. A policy without a folder stands on its tape as one layer with the digest of the whole;
 * a folder may have come since that holds only records.
 */
function folderDigests(layers: readonly LayerDigest[], whole: PolicyDigest): Map<string, string> {
  const none = [whole.digest, digestOf({})];
  return new Map(
    layers.flatMap(({ name, digest }) => (none.includes(digest) ? [] : [[name, digest] as const])),
  );
}

/** An engine of the tape, made anew. */
class Replayer {
  readonly number: number;
  private readonly engine: Engine;
  private readonly player = new Player();
  private readonly fire: Playing['fire'] = (event, payload, options) =>
    this.engine.decide(event, payload, options);

  private readonly contents: Contents | null;
  private readonly runAlone: RunAlone;
  /** The host clears what a turn kept once its end was decided. */
  private turnOver = false;

  constructor(registry: Registry, recorded: RecordedRun, contents: Contents | null, runAlone: RunAlone) {
    const { number, run, canAsk, canDelegate } = recorded;
    this.number = number;
    this.contents = contents;
    this.runAlone = runAlone;
    const recorder = { attach: () => this.player };
    this.engine = new Engine({ registry, host: REPLAY_HOST, run, canAsk, canDelegate, recorder });
  }

  decide(recorded: RecordedDispatch): Playing | Promise<Playing> {
    const { run } = this.engine;
    const { turn, event } = recorded.fired;
    if (turn !== undefined) run.turnNumber = turn;
    if (this.turnOver) run.turn.clear();
    this.turnOver = event === 'turn.end';
    if (!recorded.isPlain || !this.runAlone.isWorthIt) return this.play(recorded, false);
    const played = this.play(recorded, true);
    return played instanceof Promise
      ? played.then((playing) => this.orByTheTape(playing, recorded))
      : this.orByTheTape(played, recorded);
  }

  private orByTheTape(played: Playing, recorded: RecordedDispatch): Playing | Promise<Playing> {
    return this.runAlone.count(played.isSame) ? played : this.play(recorded, false);
  }

  private play(recorded: RecordedDispatch, byRunAlone: boolean): Playing | Promise<Playing> {
    const { engine } = this;
    const { event, payload, recheck = false, behind } = recorded.fired;
    // What is no decision is found out here, and not by a hook.
    if (!byRunAlone) void recorded.said;
    const abort = recorded.aborts ? new AbortController() : null;
    const { fire, contents } = this;
    const playing: Playing = { engine, fire, contents, byRunAlone, isSame: false, departure: null };
    this.player.expect(playing, recorded, abort);
    const options: NestedOptions = {
      signal: abort?.signal ?? null,
      recheck,
      ...(behind !== undefined && { who: behind as Who }),
    };
    const outcome = engine.decide(event, payload, options);
    // Lines of a log are for the host to drain, and here nobody does.
    engine.run.logs.length = 0;
    return outcome instanceof Promise ? outcome.then(() => playing) : playing;
  }
}

/**
 * Whether decisions are tried by the hooks and the state of their run alone, before the tape answers what hooks read. If what comes of
 * it is the same to the byte, so is all that was read, and nothing of it had to be parsed. If not, the tape answers, and what hooks
 * then store is what they stored.
 */
export class RunAlone {
  private same = 0;
  private other = 0;
  private readonly isAllowed: boolean;

  /** Functions of a program, and scripts whose lines are counted, are not called twice. */
  constructor(hooks: readonly Hook[]) {
    this.isAllowed = hooks.every(
      ({ covered, frontEnd }) => covered === undefined && frontEnd.runsInProgram !== true,
    );
  }

  get isWorthIt(): boolean {
    return this.isAllowed && (this.other < FEW || this.other < this.same);
  }

  /** Gives back what it is told. */
  count(same: boolean): boolean {
    if (same) this.same++;
    else this.other++;
    return same;
  }
}

/** Up to this number, tries that did not come out the same do not matter. */
const FEW = 16;

/** Nothing of the machine: what a hook reads comes from the tape. */
const REPLAY_HOST: Host = {
  now: refuse,
  elapsed: () => 0,
  uuid: refuse,
  env: refuse,
  variables: () => ({}),
  http: async () => refuse(),
  run: async () => refuse(),
  appendFile: async () => refuse(),
};

function refuse(): never {
  throw new Error('a replay does not reach the machine');
}

function countOf({ cut, nested }: RecordedDispatch): number {
  let count = cut ? 0 : 1;
  for (const { dispatch } of nested) count += countOf(dispatch);
  return count;
}

/** Why it cannot be decided again, or null. What hooks gave in return may be hidden, not what they were given. */
export function whyNot(recorded: RecordedDispatch): string | null {
  if (recorded.baseMissing) return 'its payload builds on one that is not on the tape';
  if (!recorded.altered) return null;
  const { fired, parts, nested } = recorded;
  const found = placeholderIn(fired.payload);
  if (found !== null) return found;
  for (const { readings = [] } of parts) {
    for (const { kind, value } of readings) {
      const hidden = kind === 'env' ? null : placeholderIn(value);
      if (hidden !== null) return hidden;
    }
  }
  for (const { dispatch } of nested) {
    const hidden = whyNot(dispatch);
    if (hidden !== null) return hidden;
  }
  return null;
}

function placeholderIn(value: Json | undefined): string | null {
  if (Array.isArray(value)) return first(value.map(placeholderIn));
  if (!isJsonObject(value)) return null;
  if (typeof value.$redacted === 'string') return `redacted (${value.$redacted})`;
  if (typeof value.$unrecordable === 'string') return `not recordable (${value.$unrecordable})`;
  return first(Object.values(value).map(placeholderIn));
}

function first(found: readonly (string | null)[]): string | null {
  return found.find((text) => text !== null) ?? null;
}

function differenceOf({ seq: begin, fired }: RecordedDispatch, departure: Divergence): Difference {
  const { seq, recorded, replayed, note } = departure;
  const fields = recorded === null || replayed === null ? [] : mismatches(asJson(recorded), asJson(replayed));
  return {
    seq,
    dispatch: begin,
    event: fired.event,
    hook: hookOf(replayed) ?? hookOf(recorded),
    what: note ?? differenceText(recorded, replayed, fields),
    recorded,
    replayed,
    fields,
  };
}

function asJson(record: DivergenceRecord): Json {
  return JSON.parse(JSON.stringify(record)) as Json;
}

function hookOf(record: DivergenceRecord | null): string | null {
  const ofHook = record?.type.startsWith('hook_') === true && 'hook' in record;
  return ofHook ? (record.hook ?? null) : null;
}

function differenceText(
  recorded: DivergenceRecord | null,
  replayed: DivergenceRecord | null,
  fields: readonly Mismatch[],
): string {
  const [was, is] = [describe(recorded), describe(replayed)];
  if (was !== is) return `${is}; recorded: ${was}`;
  return `${is}, but not with the same ${fields.map(({ path }) => path).join(', ')}`;
}

/** What a record says, in a few words. */
function describe(record: DivergenceRecord | null): string {
  switch (record?.type) {
    case 'hook_call':
      return `hook "${record.hook}" is called`;
    case 'hook_returned':
      return `hook "${record.hook}" says ${record.result}`;
    case 'hook_vetoed':
      return `hook "${record.hook}" vetoes`;
    case 'hook_failed':
      return `hook "${record.hook}" fails`;
    case 'outcome':
      return `the chain says ${record.action}`;
    case 'dispatch':
      return `${record.event} is emitted`;
    default:
      return 'nothing more';
  }
}
