/**
 * Replay: every recorded dispatch is decided once more, by the hooks that are there and by stand-ins for those that are not,
 * and must leave the same records. What hooks read comes from the tape, so dispatches do not depend on one another.
 */
import { canonicalJson } from '../base/canonical-json.ts';
import { HarnessError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { noteTurn } from '../frontends/code/registry/context.ts';
import { Engine } from '../hooks/engine.ts';
import type { Hook } from '../hooks/hook.ts';
import { Registry } from '../hooks/registry.ts';
import type { PolicyDigest, PolicyHook } from '../policy/policy-digest.ts';
import { policyChanges } from '../policy/policy-digest.ts';
import { type Mismatch, mismatches } from './compare.ts';
import type { Header, HookReturnedRecord, TapeRecord } from './entry.ts';
import { type Departure, Player, type Playing } from './play.ts';
import { type RecordedDispatch, recordedIn, recordOf } from './recorded.ts';
import { type RecordedRun, runFrom } from './run-data.ts';
import { replayable, standIn } from './stand-in.ts';
import { readTape } from './tape-reader.ts';

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
  /** The hook it shows in, or null where it is the outcome. */
  readonly hook: string | null;
  /** What is different, as a sentence. */
  readonly what: string;
  readonly recorded: TapeRecord | null;
  readonly replayed: TapeRecord | null;
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
  /** How the given policy differs from the recorded one, as sentences; null where none was given. */
  readonly policyChanges: readonly string[] | null;
}

/** Throws TAPE_INVALID, or REPLAY_RANGE where `at` is before the first entry. */
export async function replayTape(path: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  const { header } = readTape(path);
  const { at, onProgress } = options;
  if (at !== undefined && at < 1) {
    throw new HarnessError('REPLAY_RANGE', `there is nothing up to entry ${at}: the first entry is 1`);
  }
  const replay = new Replay(header, options);
  const reading = { at, ...(onProgress !== undefined && { onBytes: onProgress }) };
  for (const recorded of recordedIn(path, reading)) {
    if (recorded.kind === 'dispatch') {
      const waiting = replay.dispatch(recorded.dispatch);
      if (waiting !== null) await waiting;
    } else if (recorded.kind === 'run') replay.run(recorded.data);
    else if (recorded.kind === 'hook') replay.hook(recorded.hook, true);
    else if (recorded.kind === 'policy') for (const hook of recorded.policy.hooks) replay.hook(hook, true);
    else replay.unfinished++;
  }
  return replay.report();
}

/** What a hook is known by in two processes. */
function identity({ event, name, source }: Pick<PolicyHook, 'event' | 'name' | 'source'>): string {
  return `${event}\n${source}\n${name}`;
}

class Replay {
  unfinished = 0;
  private decisions = 0;
  private readonly header: Header;
  private readonly changes: readonly string[] | null;
  private readonly differences: Difference[] = [];
  private readonly notReplayable: NotReplayable[] = [];
  private readonly registry = new Registry();
  /** Hooks that are there; all others of the tape get a stand-in. */
  private readonly present: ReadonlySet<string>;
  private readonly standsIn: boolean;
  private readonly stoodIn = new Set<string>();
  private readonly runs = new Map<number, Replayer>();
  private last: Replayer | null = null;

  constructor(header: Header, { hooks, policy }: ReplayOptions) {
    this.header = header;
    this.standsIn = hooks === undefined;
    this.changes = policy === undefined ? null : policyChanges(header.policy, policy);
    const given = [...(hooks ?? [])];
    this.present = new Set(given.map(identity));
    for (const hook of given) this.registry.add(replayable(hook));
    for (const row of header.policy.hooks) this.hook(row, false);
  }

  /**
   * A hook of the policy that has a file is not stood in for where hooks were given: that it is gone is the difference to be
   * found. One that came later, with a sub-agent or from the agent itself, is not there because nobody brings it.
   */
  hook(row: PolicyHook, late: boolean): void {
    if (this.present.has(identity(row)) || (!late && row.digest !== null && !this.standsIn)) return;
    const text = canonicalJson(row);
    if (this.stoodIn.has(text)) return;
    this.stoodIn.add(text);
    this.registry.add(standIn(row, late));
  }

  run(data: Json): void {
    const replayer = new Replayer(this.registry, runFrom(data));
    this.runs.set(replayer.number, replayer);
    this.last = replayer;
  }

  /** Null where it is over at once. */
  dispatch(recorded: RecordedDispatch): Promise<void> | null {
    const { event, run } = recorded.record;
    const hidden = recorded.altered ? alteredInput(recorded) : null;
    if (hidden !== null) {
      const reason = `cannot be replayed: ${hidden}`;
      this.notReplayable.push({ seq: recorded.entry.seq, event, reason });
      return null;
    }
    this.last ??= new Replayer(this.registry, runFrom(null));
    const playing = (this.runs.get(run) ?? this.last).play(recorded);
    if (playing instanceof Promise)
      return playing.then(({ departure }) => this.conclude(recorded, departure));
    this.conclude(recorded, playing.departure);
    return null;
  }

  report(): ReplayReport {
    const { header, decisions, differences, notReplayable, unfinished, changes } = this;
    return { header, decisions, differences, notReplayable, unfinished, policyChanges: changes };
  }

  private conclude(recorded: RecordedDispatch, departure: Departure | null): void {
    this.decisions += countOf(recorded);
    if (departure !== null) this.differences.push(differenceOf(recorded, departure));
  }
}

/** An engine of the tape, made anew. */
class Replayer {
  readonly number: number;
  private readonly engine: Engine;
  private readonly player = new Player();
  private readonly fire: Playing['fire'] = (event, payload, options) =>
    this.engine.decide(event, payload, options);

  constructor(registry: Registry, { number, run, canAsk, canDelegate }: RecordedRun) {
    this.number = number;
    const recorder = { attach: () => this.player };
    this.engine = new Engine({ registry, host: REPLAY_HOST, run, canAsk, canDelegate, recorder });
  }

  play(recorded: RecordedDispatch): Playing | Promise<Playing> {
    const { engine } = this;
    const { event, payload, turn } = recorded.record;
    const abort = recorded.aborts ? new AbortController() : null;
    const playing: Playing = { engine, fire: this.fire, departure: null };
    if (turn !== undefined) noteTurn(engine.run, turn);
    this.player.expect(playing, recorded, abort);
    const outcome = engine.decide(event, payload, { signal: abort?.signal ?? null });
    // Lines of a log are for the host to drain, and here nobody does.
    engine.run.logs.length = 0;
    return outcome instanceof Promise ? outcome.then(() => playing) : playing;
  }
}

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

/** Why what hooks were given is not on the tape, or null where it is. What they gave in return may be hidden. */
function alteredInput({ record, entries, nested }: RecordedDispatch): string | null {
  const found = placeholderIn(record.payload);
  if (found !== null) return found;
  for (const entry of entries) {
    const { readings = [] } = recordOf(entry) as HookReturnedRecord;
    for (const { kind, value } of readings) {
      const hidden = kind === 'env' ? null : placeholderIn(value);
      if (hidden !== null) return hidden;
    }
  }
  for (const { dispatch } of nested) {
    const hidden = dispatch.altered ? alteredInput(dispatch) : null;
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

function differenceOf({ entry, record }: RecordedDispatch, departure: Departure): Difference {
  const { seq, recorded, replayed, note } = departure;
  const fields = recorded === null || replayed === null ? [] : mismatches(asJson(recorded), asJson(replayed));
  return {
    seq,
    dispatch: entry.seq,
    event: record.event,
    hook: hookOf(replayed) ?? hookOf(recorded),
    what: note ?? told(recorded, replayed, fields),
    recorded,
    replayed,
    fields,
  };
}

function asJson(record: TapeRecord): Json {
  return JSON.parse(JSON.stringify(record)) as Json;
}

function hookOf(record: TapeRecord | null): string | null {
  const ofHook = record?.type.startsWith('hook_') === true && 'hook' in record;
  return ofHook ? (record.hook ?? null) : null;
}

function told(recorded: TapeRecord | null, replayed: TapeRecord | null, fields: readonly Mismatch[]): string {
  const [was, is] = [describe(recorded), describe(replayed)];
  if (was !== is) return `${is}; recorded: ${was}`;
  return `${is}, but not with the same ${fields.map(({ path }) => path).join(', ')}`;
}

/** What a record says, in a few words. */
function describe(record: TapeRecord | null): string {
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
