/**
 * The hook runtime: fires the events of an agent loop through the pipeline and says whether to go on. A host like any
 * other, around `Engine.decide`. It never throws because of a hook, and without hooks it does nothing at all.
 */

import { isJsonObject } from '../../../base/index.ts';
import {
  applyEffects,
  type Effect,
  Engine,
  type Outcome,
  RunState,
  type TraceEntry,
} from '../../../engine/index.ts';
import { type Host, machineHost } from '../../../machine/index.ts';
import { type HookContext, type HookContexts, type HookEvent, LOOM_EVENTS } from './context.ts';
import type { ReminderInjector } from './injector.ts';
import type { HookRegistry } from './registry.ts';

export interface HookRunResult {
  readonly continue: boolean;
  readonly blockedHook?: string;
  readonly blockedReason?: string;
  /** What the tool is to get instead. Only where a hook of another front end in the same chain rewrote it. */
  readonly modifiedInput?: Readonly<Record<string, unknown>>;
}

export interface HookRuntimeOptions {
  readonly registry: HookRegistry;
  /** The very one the session drains: without it the model is not told what hooks did. */
  readonly reminders?: ReminderInjector;
  readonly host?: Host;
  readonly run?: RunState;
}

export class HookRuntime {
  readonly registry: HookRegistry;
  readonly engine: Engine;
  readonly reminders: ReminderInjector | undefined;

  constructor({ registry, reminders, host = machineHost, run = new RunState() }: HookRuntimeOptions) {
    this.registry = registry;
    this.reminders = reminders;
    this.engine = new Engine({ registry: registry.chain, host, run });
  }

  /** Whether anybody listens, so that a loop can leave out the rest. */
  has(event: HookEvent): boolean {
    return Object.hasOwn(LOOM_EVENTS, event) && this.engine.registry.has(LOOM_EVENTS[event].canonical);
  }

  /** What the hooks said. Where `continue: false` only informs, the loop goes on whatever this returns. */
  async run(context: HookContext, signal?: AbortSignal): Promise<HookRunResult> {
    if (!this.has(context.event)) return { continue: true };
    const outcome = await this.decide(context, signal);
    if (this.reminders !== undefined) addModelReminders(outcome, this.reminders, context.turnIndex);
    const [first] = vetoesIn(outcome);
    if (first !== undefined) {
      const { hook, reason } = first;
      return { continue: false, ...(hook !== null && { blockedHook: hook }), blockedReason: reason };
    }
    return { continue: true, ...rewrittenInput(outcome) };
  }

  private async decide<E extends HookEvent>(
    context: HookContexts[E],
    signal?: AbortSignal,
  ): Promise<Outcome> {
    const row = LOOM_EVENTS[context.event as E];
    this.engine.run.turnNumber = context.turnIndex;
    // The end of an aborted session is still to be recorded.
    const options = signal === undefined || row.final ? {} : { signal };
    const event: string = row.canonical;
    return this.engine.decide(event, row.payload(context), options);
  }
}

/**
 * What hooks said, for the model's next request. A veto is told also where it stopped nothing, but not where it is ignored,
 * around a completion and at the end: the model would take it for a refusal of what it does next. It is in the trace.
 */
export function addModelReminders(outcome: Outcome, reminders: ReminderInjector, turn: number): void {
  for (const effect of outcome.effects) {
    const event = REMINDERS[effect.kind]?.(effect as never);
    if (event !== undefined) reminders.emit(event);
    else applyEffects({ effects: [effect] }, reminders.store, turn);
  }
  if (outcome.action !== 'block' && UNTOLD.has(outcome.event)) return;
  for (const { hook, reason } of vetoesIn(outcome)) {
    reminders.emit({ type: 'hook.blocked', hookName: hook ?? 'harness', reason });
  }
}

const UNTOLD: ReadonlySet<string> = new Set(['completion.pre', 'completion.post', 'session.end', 'error']);

type Emitted = Parameters<ReminderInjector['emit']>[0];

const REMINDERS: { readonly [K in Effect['kind']]?: (effect: Extract<Effect, { kind: K }>) => Emitted } = {
  output: ({ hook, text }) => ({ type: 'hook.success', hookName: hook, output: text }),
  context: ({ hook, text }) => ({ type: 'hook.context', hookName: hook, context: text }),
};

interface Veto {
  readonly hook: string | null;
  readonly reason: string;
}

/** Everything somebody wanted to stop, whether or not the event could be stopped. The one that counted is first. */
function vetoesIn(outcome: Outcome): Veto[] {
  const vetoes = outcome.trace.flatMap((entry) => vetoOf(entry) ?? []);
  if (outcome.action !== 'block') return vetoes;
  const counted = vetoes.findIndex((veto) => veto.hook === outcome.hook);
  const [veto] = counted === -1 ? [] : vetoes.splice(counted, 1);
  return [veto ?? { hook: outcome.hook, reason: outcome.reason ?? '' }, ...vetoes];
}

function vetoOf({ hook, decision, reason, failure, onFailure, vetoIgnored }: TraceEntry): Veto | null {
  if (decision === 'block') return { hook, reason: reason ?? '' };
  // Failures of hooks that let things pass are theirs; those of a hook that would have blocked are vetoes.
  if (failure !== null && (onFailure !== 'allowed' || vetoIgnored !== undefined)) {
    return { hook, reason: failure.message };
  }
  return null;
}

function rewrittenInput({ event, action, payload }: Outcome): Pick<HookRunResult, 'modifiedInput'> {
  if (event !== 'tool.pre' || action !== 'modify') return {};
  return isJsonObject(payload) && isJsonObject(payload.args) ? { modifiedInput: payload.args } : {};
}
