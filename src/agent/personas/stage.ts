/**
 * Where a persona's events fire: through the engine, onto the caller's stream, and what hooks leave for the model
 * into the reminders. What a hook itself calls fires nothing, so that no hook can set itself off.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { HarnessError, type JsonObject } from '../../base/index.ts';
import {
  type Approval,
  type ApprovalRequest,
  type Approvals,
  type CatalogName,
  Engine,
  type Outcome,
} from '../../engine/index.ts';
import { type Host, machineHost } from '../../machine/index.ts';
import { ApprovalDesk, type Question } from '../../policy/index.ts';
import { sharesToReport } from '../loop/budget-report.ts';
import { noteIgnored } from '../loop/fire.ts';
import { engineFor, type HookSource, hostOf } from '../loop/hook-source.ts';
import { type ModelReminders, modelReminders, type ReminderSource } from '../loop/model-reminders.ts';
import type { SessionEvent } from '../session-event.ts';

export interface PersonaOptions {
  /** The engine of a session makes the persona part of it; anything else gets an engine of its own. */
  readonly hooks?: HookSource;
  readonly reminders?: ReminderSource;
  readonly approvals?: Approvals;
  readonly host?: Host;
  /** How long a person has to answer; half an hour by default. */
  readonly approvalMs?: number;
  /** Ends what waits. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: SessionEvent) => void;
}

const DEFAULT_APPROVAL_MS = 1_800_000;

/** Set while hooks of a persona's event run. */
const insideHooks = new AsyncLocalStorage<true>();

/** The step under way, and whose it is. */
const insideStep = new AsyncLocalStorage<{ readonly stage: Stage; readonly name: string }>();

export class Stage {
  readonly persona: string | null;
  readonly host: Host;
  readonly signal: AbortSignal;
  private readonly engine: Engine;
  private readonly told: ModelReminders | null;
  private readonly desk: ApprovalDesk | null;
  private readonly approvalMs: number;
  private readonly onEvent: ((event: SessionEvent) => void) | undefined;

  constructor(persona: string | null, options: PersonaOptions) {
    const hooks = options.hooks ?? [];
    this.persona = persona;
    this.host = options.host ?? hostOf(hooks) ?? machineHost;
    this.signal = options.signal ?? new AbortController().signal;
    this.approvalMs = options.approvalMs ?? DEFAULT_APPROVAL_MS;
    this.onEvent = options.onEvent;
    const lent = hooks instanceof Engine ? hooks.run.services.approvals : null;
    this.desk = this.deskFor(options.approvals ?? lent);
    this.engine = engineFor(hooks, {
      host: this.host,
      canAsk: this.desk !== null,
      workspace: null,
      settings: { allowedDomains: [] },
      session: { id: '', transcriptPath: null, cwd: null },
      services: { approvals: this.desk },
    });
    this.told = options.reminders === undefined ? null : modelReminders(options.reminders);
  }

  /** True inside a hook of a persona: what is called there fires nothing. */
  get silent(): boolean {
    return insideHooks.getStore() === true;
  }

  /** Runs the work of a step: what happens to the persona in it is of that step, for hooks that ask for one. */
  within<T>(name: string, work: () => T): T {
    return insideStep.run({ stage: this, name }, work);
  }

  async fire(event: CatalogName, payload: JsonObject): Promise<Outcome> {
    const outcome = await insideHooks.run(true, async () =>
      this.engine.decide(event, payload, { signal: this.signal }),
    );
    this.watch({ type: 'hook', event, payload, outcome });
    this.told?.take(outcome, 0);
    return outcome;
  }

  /** The given shares of a budget, and those that a hook listens for by number. */
  sharesToReport(usual: readonly number[]): readonly number[] {
    return sharesToReport(this.engine.registry, usual);
  }

  /** Says which rewritten keys no step has a use for. */
  ignoreRewrites(outcome: Outcome, fired: JsonObject, honoured: readonly string[]): void {
    noteIgnored(this.engine.run, outcome, fired, honoured);
  }

  /** Fires an event that hooks can only watch. Rejects where one of them fails under `on_error: throw`. */
  async tell(event: CatalogName, fields: JsonObject): Promise<void> {
    if (this.silent) return;
    const { id } = this.engine.run.session;
    const under = insideStep.getStore();
    const { failure } = await this.fire(event, {
      ...(this.persona !== null && { persona: this.persona }),
      ...(under?.stage === this && { step: under.name }),
      ...fields,
      ...(id !== '' && { session_id: id }),
    });
    if (failure === undefined) return;
    throw new HarnessError('STEP_FAILED', `${event}: hook "${failure.hook}" failed: ${failure.message}`);
  }

  async ask(question: Omit<ApprovalRequest, 'windowMs'>): Promise<Approval> {
    if (this.desk === null) return { approved: false, reason: 'no person can be asked' };
    return this.desk.request({ ...question, windowMs: this.approvalMs }, this.signal);
  }

  private deskFor(channel: Approvals | null): ApprovalDesk | null {
    if (channel === null || channel instanceof ApprovalDesk) return channel;
    return new ApprovalDesk({ channel, host: this.host, announce: (question) => this.announce(question) });
  }

  private announce({ id, toolName, toolInput, digest, windowMs, reason, hook }: Question): Promise<void> {
    return this.tell('approval.requested', {
      id,
      name: toolName,
      args: toolInput,
      digest,
      window_ms: windowMs,
      hook,
      ...(reason !== undefined && { reason }),
    });
  }

  private watch(event: SessionEvent): void {
    try {
      this.onEvent?.(event);
    } catch {
      // The listener's own affair.
    }
  }
}
