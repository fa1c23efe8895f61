/**
 * A persona: a named role whose work is steps. Each step goes through the hooks before and after it, and what else happens
 * to the persona (it pauses, hands work over, asks, spends) is an event as well.
 *
 * ```ts
 * const captain = createPersona('merge_captain', { hooks: hooks.registry });
 * const audit = captain.step('audit', async (branch) => check(branch));
 * await audit('main');
 * ```
 */
import { HarnessError, type Json } from '../../base/index.ts';
import type { Approval } from '../../engine/index.ts';
import { Budget, type BudgetOptions } from './budget.ts';
import { Pause } from './pause.ts';
import { type PersonaOptions, Stage } from './stage.ts';
import { runStep } from './step.ts';

export interface CreatePersonaOptions extends PersonaOptions {
  readonly budget?: BudgetOptions;
  /** The longest a pause may last; half an hour by default. */
  readonly maxPauseMs?: number;
}

export interface Handoff {
  /** Who takes over. */
  readonly to: string;
  /** What is handed over. */
  readonly artifact?: Json;
  readonly reason?: string;
}

export interface ApprovalQuestion {
  /** What is to be approved. */
  readonly what: string;
  readonly details?: { readonly [key: string]: Json };
  readonly reason?: string;
}

/** A step as its caller has it. Rejects with `StepDenied` where a hook denies it. */
export type Step<A extends readonly Json[], R extends Json> = (...args: A) => Promise<R>;

const DEFAULT_PAUSE_MS = 1_800_000;

export class Persona {
  readonly name: string;
  private readonly stage: Stage;
  private readonly pausing: Pause;
  private readonly budget: Budget | null;
  private readonly names = new Set<string>();

  constructor(
    name: string,
    { budget, maxPauseMs = DEFAULT_PAUSE_MS, ...options }: CreatePersonaOptions = {},
  ) {
    if (typeof name !== 'string' || name.trim() === '') misuse('a persona wants a name');
    if (!(maxPauseMs > 0)) misuse(`maxPauseMs wants a number above 0, got ${String(maxPauseMs)}`);
    this.name = name;
    this.stage = new Stage(name, options);
    this.pausing = new Pause(name, maxPauseMs, this.stage.host);
    this.budget = budget === undefined ? null : new Budget(budget);
  }

  /** Makes a step of a function over JSON. Its name is what hooks ask for, and belongs to it alone. */
  step<A extends readonly Json[], R extends Json>(
    name: string,
    work: (...args: A) => R | Promise<R>,
  ): Step<A, R> {
    if (typeof name !== 'string' || name.trim() === '') misuse('a step wants a name');
    if (typeof work !== 'function') misuse(`step "${name}" wants a function, got ${typeof work}`);
    if (this.names.has(name)) misuse(`persona "${this.name}" has two steps named "${name}"`);
    this.names.add(name);
    const run = work as (...args: readonly Json[]) => unknown;
    return async (...args) => {
      await this.pausing.over(this.stage.signal);
      return (await runStep(this.stage, { name, run, args })) as R;
    };
  }

  get paused(): boolean {
    return this.pausing.on;
  }

  /** Steps that are called from now on wait for `resume()`, for as long as a pause may last. Those under way go on. */
  async pause(reason?: string): Promise<void> {
    if (!this.pausing.begin()) return;
    await this.stage.tell('persona.paused', { ...(reason !== undefined && { reason }) });
  }

  async resume(reason?: string): Promise<void> {
    if (!this.pausing.on) return;
    try {
      await this.stage.tell('persona.resumed', { ...(reason !== undefined && { reason }) });
    } finally {
      // Whatever a hook makes of it: those who wait must not wait for ever.
      this.pausing.end();
    }
  }

  async handoff({ to, artifact, reason }: Handoff): Promise<void> {
    await this.stage.tell('handoff.emitted', {
      to,
      ...(artifact !== undefined && { artifact }),
      ...(reason !== undefined && { reason }),
    });
  }

  /** Asks a person, in the same channel and under the same rules as for a tool call. Never rejects. */
  approve({ what, details = {}, reason }: ApprovalQuestion): Promise<Approval> {
    return this.stage.ask({
      hook: null,
      event: 'approval.requested',
      toolName: what,
      toolInput: details,
      ...(reason !== undefined && { reason }),
    });
  }

  get spent(): number {
    return this.budget?.spent ?? 0;
  }

  /** Counts what the persona has used of its budget; `budget.threshold` fires once for each share it crosses. */
  async spend(amount: number): Promise<void> {
    if (this.budget === null) misuse(`persona "${this.name}" has no budget`);
    const crossings = this.budget.spend(amount, (usual) => this.stage.sharesToReport(usual));
    for (const crossing of crossings) await this.stage.tell('budget.threshold', crossing);
  }
}

export function createPersona(name: string, options: CreatePersonaOptions = {}): Persona {
  return new Persona(name, options);
}

/** A step that belongs to no persona: hooks know it by its own name. */
export function step<A extends readonly Json[], R extends Json>(
  name: string,
  work: (...args: A) => R | Promise<R>,
  options: PersonaOptions = {},
): Step<A, R> {
  const stage = new Stage(null, options);
  const run = work as (...args: readonly Json[]) => unknown;
  return async (...args) => (await runStep(stage, { name, run, args })) as R;
}

function misuse(message: string): never {
  throw new HarnessError('PERSONA_CONFIG', message);
}
