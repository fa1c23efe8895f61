/**
 * Reminder providers: functions that look at events and leave reminders, and can do nothing else. One that fails is in
 * the trace and stops nothing.
 */
import { HarnessError } from '../../../base/index.ts';
import type { Effect, FrontEnd, Registry, ReminderSpec } from '../../../engine/index.ts';
import { codeHook, misuse } from '../code-hook.ts';
import { InvalidReturn, unfold } from './effects.ts';
import { requireHarnEvent } from './events.ts';
import { harnFrontEnd } from './functions-front-end.ts';
import type { HarnView } from './view.ts';

export interface ReminderProvider {
  /** Unique. */
  readonly id: string;
  /** Events of any surface. */
  readonly subscribes_to: readonly string[];
  /** A reminder, a list of them, or nothing. */
  readonly evaluate: (event: HarnView) => Provided | PromiseLike<Provided>;
}

type Provided = ReminderSpec | readonly ReminderSpec[] | null | undefined;

const MOST = 8;

const providerFrontEnd: FrontEnd = {
  ...harnFrontEnd,
  name: 'reminder provider',
  powers: { modify: false, block: () => false },
  interpret: (returned, hook) => {
    try {
      const { control, reminders, warnings } = unfold(returned, true);
      if (control !== undefined && control !== null)
        throw new InvalidReturn('a provider returns reminders only');
      const effects = reminders.map((reminder): Effect => ({ kind: 'reminder', hook: hook.name, reminder }));
      return { decision: { action: 'allow' }, effects, warnings };
    } catch (thrown) {
      if (!(thrown instanceof InvalidReturn)) throw thrown;
      return { failure: { kind: 'invalid_return', code: thrown.code, message: thrown.message } };
    }
  },
};

export class Providers {
  private readonly registry: Registry;
  private readonly timeoutMs: number;
  private readonly held = new Map<string, () => void>();

  constructor(registry: Registry, timeoutMs: number) {
    this.registry = registry;
    this.timeoutMs = timeoutMs;
  }

  add({ id, subscribes_to, evaluate }: ReminderProvider): () => void {
    if (typeof id !== 'string' || id.trim() === '') misuse('a reminder provider wants an id');
    if (typeof evaluate !== 'function') misuse(`reminder provider "${id}": evaluate wants a function`);
    if (!Array.isArray(subscribes_to) || subscribes_to.length === 0) {
      misuse(`reminder provider "${id}": subscribes_to wants a list of events`);
    }
    if (this.held.has(id)) {
      throw new HarnessError('REMINDER_PROVIDER', `a reminder provider "${id}" is there already`);
    }
    if (this.held.size >= MOST) {
      throw new HarnessError(
        'REMINDER_PROVIDER',
        `there are ${MOST} reminder providers already, which is the most`,
      );
    }
    const events = subscribes_to.map((name) =>
      requireHarnEvent(`reminder provider "${id}"`, name, ['tool', 'persona', 'session']),
    );
    const removers = [...new Set(events.map(({ event }) => event))].map((event) =>
      this.registry.add(
        codeHook({
          name: `reminder_provider::${id}`,
          event,
          frontEnd: providerFrontEnd,
          onError: 'allow',
          timeoutMs: this.timeoutMs,
          body: (seen) => evaluate(seen as HarnView),
        }),
      ),
    );
    const dispose = () => {
      if (this.held.get(id) === dispose) this.held.delete(id);
      for (const remove of removers) remove();
    };
    this.held.set(id, dispose);
    return dispose;
  }

  clear(): void {
    for (const dispose of [...this.held.values()]) dispose();
  }
}
