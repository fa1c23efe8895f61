/**
 * A recorded decision taken once more, as it was recorded, and held against the tape as text. If what came of it is the same to the
 * byte, so is everything in it, what its hooks read of the run included, and nothing of that had to be parsed. If it is not,
 * nothing is said, the run is as it was before, and the long way decides.
 */
import type { Host } from '../base/host.ts';
import type { Json } from '../base/json.ts';
import type { Outcome } from '../events/decision.ts';
import { Engine, type NestedOptions } from '../hooks/engine.ts';
import type { Hook } from '../hooks/hook.ts';
import { isBuiltIn } from '../hooks/layer.ts';
import type { CallRecorder, DispatchRecorder, EngineRecorder } from '../hooks/recorder.ts';
import type { Registry } from '../hooks/registry.ts';
import { RunState } from '../hooks/run-state.ts';
import type { Who } from '../hooks/who.ts';
import { saidText } from './decision-text.ts';
import type { HookNames } from './hook-names.ts';
import { ReadingLog } from './readings.ts';
import { CallLog, DispatchLog } from './record.ts';
import { isAltered, type RecordedDispatch } from './recorded.ts';
import type { RecordedRun } from './run-data.ts';
import { UndoableMap } from './undoable-map.ts';

/** Front ends whose hooks do nothing but what goes through their call. */
const SCRIPTED: ReadonlySet<string> = new Set(['markdown', 'packs', 'patterns']);

/** So many that came out otherwise are borne; then they have to be fewer than those that did not. */
const MISSES = 16;

/** The hooks of the tape's policy, for all engines of a tape. */
export class Retakes {
  readonly names: HookNames;
  readonly registry: Registry;
  private readonly hooks: readonly Hook[];
  private readonly others = new Set<string>();
  private readonly events = new Map<string, boolean>();
  private hits = 0;
  private misses = 0;

  /** `registry` has these hooks and no others. */
  constructor(hooks: readonly Hook[], registry: Registry, names: HookNames) {
    this.hooks = hooks;
    this.registry = registry;
    this.names = names;
  }

  /** Some hook of this event is not among them: only the tape knows what it said. */
  exclude(event: string): void {
    this.others.add(event);
    this.events.delete(event);
  }

  worthTrying({ fired, saidText: text, aborts, nested }: RecordedDispatch): boolean {
    if (text === null || isAltered(text) || aborts || nested.length > 0 || fired.recheck === true)
      return false;
    if (this.misses > MISSES && this.misses > this.hits) return false;
    const known = this.events.get(fired.event);
    if (known !== undefined) return known;
    const can =
      !this.others.has(fired.event) && this.hooks.every((h) => h.event !== fired.event || isScripted(h));
    this.events.set(fired.event, can);
    return can;
  }

  count(same: boolean): void {
    if (same) this.hits++;
    else this.misses++;
  }
}

function isScripted({ frontEnd, power, covered, ...hook }: Hook): boolean {
  return (
    power === undefined && covered === undefined && (SCRIPTED.has(frontEnd.name) || isBuiltIn(hook as Hook))
  );
}

/** One engine of a tape. */
export class Retake implements EngineRecorder {
  private readonly retakes: Retakes;
  private readonly engine: Engine;
  private readonly run: RunState;
  private readonly stores: readonly UndoableMap<unknown>[];
  private dispatch: RetakenDispatch | null = null;

  constructor(retakes: Retakes, { run, canAsk, canDelegate }: RecordedRun, host: Host) {
    this.retakes = retakes;
    this.run = run;
    this.stores = [run.metrics, run.cache, run.turn].filter((store) => store instanceof UndoableMap);
    const recorder = { attach: () => this };
    this.engine = new Engine({ registry: retakes.registry, host, run, canAsk, canDelegate, recorder });
  }

  /** The outcome, if it is the recorded one; null if the long way has to say. */
  same(recorded: RecordedDispatch): Outcome | null | Promise<null> {
    if (!this.retakes.worthTrying(recorded)) return null;
    const { event, payload, behind } = recorded.fired;
    for (const store of this.stores) store.remember();
    const options: NestedOptions = behind === undefined ? PLAIN : { who: behind as Who };
    const dispatch = (this.dispatch = new RetakenDispatch(this.engine, this.retakes.names, null));
    const outcome = this.engine.decide(event, payload, options);
    // What is waited for is answered by the tape alone.
    if (outcome instanceof Promise) return outcome.then(() => this.settle(false));
    const same = dispatch.text !== null && dispatch.text === recorded.saidText;
    this.settle(same);
    return same ? outcome : null;
  }

  begin(_event: string, _payload: Json, parent: CallRecorder | null): DispatchRecorder {
    // An event that a hook emits may be heard by one that must not be called twice.
    if (parent !== null) throw new Error(FOR_THE_TAPE);
    return this.dispatch!;
  }

  private settle(same: boolean): null {
    this.retakes.count(same);
    this.run.logs.length = 0;
    for (const store of this.stores) {
      if (same) store.keep();
      else store.undo();
    }
    return null;
  }
}

const PLAIN: NestedOptions = {};
const FOR_THE_TAPE = 'only the tape can say it';

class RetakenDispatch extends DispatchLog {
  /** What came of it, as a tape has it; null if that cannot be compared. */
  text: string | null = null;

  visit(hook: Hook, run: RunState = this.engine.run): CallRecorder {
    return new CallLog(this, hook, run);
  }

  waits(): void {}

  outcome(outcome: Outcome, rewritten: boolean): void {
    this.text = saidText({ ended: this.calls, outcome, rewritten });
  }

  override newReadings(): ReadingLog {
    return new StateReadings();
  }
}

/** What the run itself keeps, and can be taken back. Everything else is for the tape to say. */
const KEPT = /^(?:metric|cache|turn)\./;

class StateReadings extends ReadingLog {
  override value(kind: string, key: Json | undefined, read: () => Json | undefined): Json | undefined {
    if (!KEPT.test(kind)) throw new Error(FOR_THE_TAPE);
    return super.value(kind, key, read);
  }

  override found(): undefined {
    return undefined;
  }

  override later(): Promise<never> {
    return Promise.reject(new Error(FOR_THE_TAPE));
  }
}

/** The same run, in which a decision can be taken back. `shared`: the run of the agent that it works for, made here too. */
export function retakeable(recorded: RecordedRun, shared: RunState | null = null): RecordedRun {
  const { settings, session, services, health } = recorded.run;
  const own = shared ?? { metrics: new UndoableMap<number>(), cache: new UndoableMap<Json>(), health };
  return { ...recorded, run: new RunState(settings, session, services, own, new UndoableMap()) };
}
