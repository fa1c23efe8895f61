/**
 * One governed run of an agent: a policy, its state, its tape, and whom to ask. Every host fires events through such a session and
 * acts on what it answers:
 *
 *   decide       any event of the catalog, recorded
 *   settle       what follows `tool.pre`: the outcome with its ask answered by hooks or a person, or why the call stops
 *   beforeCall   a tool call: decide, settle, and the verdict on the tape if it may not run
 *   afterCall    the result of a call: decide, and the verdict on the tape
 *   offer        a tool that a server offers
 *   close        the end of the tape
 *
 * Engine and tape are opened with the first question, so that a host that only looks leaves no session behind.
 */
import { BoundedMap, digestOf, type Json, type JsonObject, sameJson } from '../base/index.ts';
import {
  type Approvals,
  denialText,
  type Engine,
  giveBack,
  type Outcome,
  type Recorder,
  type RunState,
  type SessionInfo,
  type ShownDenials,
} from '../engine/index.ts';
import {
  type AskPerson,
  askThrough,
  callDigest,
  type Fire,
  type Policy,
  type PolicyDecideOptions,
  permit,
  workspaceFrom,
} from '../policy/index.ts';
import type { CallReport, CallVerdict, OpenTape } from '../tape/index.ts';
import type { Objection, SessionJudge, SettleOptions, Stop } from './session-judge.ts';
import { finishedVerdict, stoppedVerdict } from './verdicts.ts';

/** A policy, or the engine of a host that has hooks of its own: on top of a policy or without one. */
type Judges =
  | { readonly policy: Policy; readonly engine?: undefined }
  | { readonly policy: Policy | null; readonly engine: Engine };

export type GovernedSessionOptions = Judges & {
  /** Null: calls are on no tape, and decisions only where a recorder is given. */
  readonly openTape: (() => OpenTape) | null;
  readonly recorder?: Recorder;
  /** How a person is asked; null: nobody can be, and an ask is denied. */
  readonly approvals: Approvals | null;
  /** How long a person may take, in milliseconds. */
  readonly approvalMs: number;
  /** Runs of several users share it: a denial then reads the same each time, whoever read it before. */
  readonly shared?: boolean;
  /** Which session it is, for whom and where; the rest comes from the policy. */
  readonly info?: Partial<SessionInfo>;
  /** Counters and caches that another process left; default: none. */
  readonly run?: RunState;
};

export interface JudgedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** As the host has it. */
  readonly native: JsonObject;
}

export type CallAnswer =
  | {
      readonly allowed: true;
      readonly args: JsonObject;
      readonly rewritten: boolean;
      /** What hooks want the model to read beside it. */
      readonly context: readonly string[];
    }
  | { readonly allowed: false; readonly reason: string };

export type ResultAnswer =
  | { readonly kind: 'same'; readonly context: readonly string[] }
  | { readonly kind: 'rewritten'; readonly payload: JsonObject; readonly context: readonly string[] }
  | { readonly kind: 'hidden'; readonly reason: string };

const OFFER = 'meta.register_tool';
const MOST_OFFERS = 10_000;

export class GovernedSession implements SessionJudge {
  private readonly options: GovernedSessionOptions;
  private opened: { readonly engine: Engine; readonly tape: OpenTape | null } | null = null;
  private readonly shown: ShownDenials = new Map();
  private readonly offers = new BoundedMap<string, Promise<Objection | null>>(MOST_OFFERS);
  private calls = 0;

  constructor(options: GovernedSessionOptions) {
    this.options = options;
  }

  get engine(): Engine {
    return this.open().engine;
  }

  /** Null: this session is on no tape. */
  get tape(): OpenTape | null {
    return this.open().tape;
  }

  async decide(event: string, payload: Json, options?: PolicyDecideOptions): Promise<Outcome> {
    const { policy } = this.options;
    if (policy === null) return this.engine.decide(event, payload, options);
    return policy.decideOver(this.engine, event, payload, options);
  }

  /** The outcome after its ask was settled; see policy/permit.ts. */
  permit(
    outcome: Outcome,
    person: AskPerson | null,
    { fire = this.fire, fields }: Pick<SettleOptions, 'fire' | 'fields'> = {},
  ): Promise<Outcome> {
    const { session } = this.engine.run;
    return permit(outcome, { fire, person, session, ...(fields !== undefined && { fields }) });
  }

  /** The outcome of `tool.pre` that lets the call run, or why it stops: what guards took from limits is then given back. */
  async settle(outcome: Outcome, { signal, objection, ...how }: SettleOptions): Promise<Outcome | Stop> {
    if (!outcome.mayRun && outcome.action !== 'ask') return stopOf(outcome);
    const objected = (await objection?.()) ?? null;
    if (objected !== null) {
      giveBack(outcome);
      const { verdict = 'blocked', reason, by } = objected;
      return { verdict, reason, by, outcome, objected: true };
    }
    const { approvals, approvalMs: windowMs } = this.options;
    const settled = await this.permit(outcome, askThrough({ approvals, windowMs, signal }), how);
    return settled.mayRun ? settled : stopOf(settled);
  }

  /**
   * A denial as the agent reads it: one that it has read before says so. A person may approve a denied call the next time. `round` is the
   * round trip to the model, where the host knows it.
   */
  denialText(verdict: CallVerdict | 'aborted', text: string, round = this.calls++): string {
    const repeats = (verdict === 'blocked' || verdict === 'refused') && this.options.shared !== true;
    return repeats ? denialText(this.shown, text, round) : text;
  }

  async beforeCall(
    call: JudgedCall,
    signal: AbortSignal,
    objection?: () => Promise<Objection | null>,
  ): Promise<CallAnswer> {
    const { id, name, args, native } = call;
    const outcome = await this.decide('tool.pre', { id, name, args, native });
    const objected = async () => (wantsSandbox(outcome.payload) ? noWalls(outcome) : (objection?.() ?? null));
    const settled = await this.settle(outcome, { signal, objection: objected });
    if ('verdict' in settled) {
      const { verdict, by, objected } = settled;
      const reason = stopText(settled);
      this.record(call, verdict, reason, by);
      // An objection of the host may end under the same policy.
      return { allowed: false, reason: objected ? reason : this.denialText(verdict, reason) };
    }
    const after = settled.payload as unknown as { readonly args: JsonObject };
    const rewritten = !sameJson(after.args, args);
    return { allowed: true, args: after.args, rewritten, context: contextOf(outcome) };
  }

  /** `payload` is what there is of `content` and `result`. */
  async afterCall(call: JudgedCall, payload: JsonObject, isError: boolean): Promise<ResultAnswer> {
    const { id, name, args } = call;
    const outcome = await this.decide('tool.post', {
      call_id: id,
      name,
      args,
      is_error: isError,
      ...payload,
    });
    const hidden = !outcome.mayRun;
    const reason = hidden ? (failureText(outcome) ?? blockText(outcome)) : null;
    this.record(call, finishedVerdict(isError, hidden), reason, hidden ? outcome.hook : null);
    if (reason !== null) return { kind: 'hidden', reason };
    const context = contextOf(outcome);
    return outcome.action === 'modify'
      ? { kind: 'rewritten', payload: outcome.payload as unknown as JsonObject, context }
      : { kind: 'same', context };
  }

  /** A tool that a server offers, as `meta.register_tool` has it; null: no hook objects. */
  async offer(tool: JsonObject): Promise<Objection | null> {
    const { policy } = this.options;
    if (!(policy ?? this.engine).registry.has(OFFER)) return null;
    if (policy === null) return this.decide(OFFER, tool).then(objectionOf, undecided);
    // The same definition under the same policy is one decision, however often it is listed.
    const key = digestOf([policy.digest.digest, tool]);
    return this.offers.useOrMake(key, () => this.decide(OFFER, tool).then(objectionOf, undecided));
  }

  /** Puts what became of a call on the tape, also of one that the policy was not asked about. */
  record(
    { id, name, args }: JudgedCall,
    verdict: CallVerdict,
    reason: string | null,
    by: string | null,
  ): void {
    const digest = RAN.has(verdict) ? callDigest(name, args) : null;
    this.report({ callId: id, tool: name, verdict, by, reason, digest });
  }

  report(report: CallReport): void {
    void this.tape?.call(report);
  }

  async close(): Promise<void> {
    await this.opened?.tape?.close();
  }

  private readonly fire: Fire = (event, payload) => this.decide(event, payload);

  private open(): { readonly engine: Engine; readonly tape: OpenTape | null } {
    if (this.opened !== null) return this.opened;
    const tape = this.options.openTape?.() ?? null;
    const engine = this.options.engine ?? engineOver(this.options, tape);
    this.opened = { engine, tape };
    return this.opened;
  }
}

function engineOver(
  { policy, info, run, recorder }: Extract<GovernedSessionOptions, { readonly engine?: undefined }>,
  tape: OpenTape | null,
): Engine {
  return policy.engine({
    run: run ?? policy.newRun({ workspace: workspaceFrom(policy.dir, policy.host), ...info }),
    canAsk: true,
    ...(tape !== null ? { recorder: tape.recorder } : recorder !== undefined && { recorder }),
  });
}

const RAN: ReadonlySet<CallVerdict> = new Set(['ran', 'failed', 'hidden']);

/** Whether a hook put a call into a sandbox: only our own loop can do that. */
export function wantsSandbox(payload: Json): boolean {
  return (
    typeof payload === 'object' && payload !== null && 'sandbox' in payload && payload.sandbox !== undefined
  );
}

export const NO_WALLS = 'a hook wants this call in a sandbox, which cannot be put around it here';

function noWalls({ hook }: Outcome): Objection {
  return { reason: NO_WALLS, by: hook ?? 'policy', hides: false };
}

/** `outcome` may not run, and its ask was answered. */
function stopOf(outcome: Outcome): Stop {
  const reason = failureText(outcome) ?? outcome.reason ?? 'no reason given';
  return { verdict: stoppedVerdict(outcome), reason, by: outcome.hook, outcome, objected: false };
}

function stopText({ outcome, objected, reason }: Stop): string {
  const said = objected || outcome.approved === false || outcome.failure !== undefined;
  return said ? reason : blockText(outcome);
}

function objectionOf(outcome: Outcome): Objection | null {
  if (outcome.mayRun) return null;
  const by = outcome.failure?.hook ?? outcome.hook ?? 'policy';
  const failed = failureText(outcome);
  const hides = failed !== null || outcome.action === 'block';
  return { reason: failed ?? blockText(outcome), by, hides };
}

function undecided(error: Error): Objection {
  return { reason: `the policy could not decide: ${error.message}`, by: 'policy', hides: true };
}

function failureText({ failure }: Outcome): string | null {
  return failure === undefined ? null : `hook "${failure.hook}" failed: ${failure.message}`;
}

/** What hooks leave for the model: context and reminders. */
export function contextOf({ effects }: Pick<Outcome, 'effects'>): string[] {
  return effects.flatMap((effect) => {
    if (effect.kind === 'context') return [effect.text];
    return effect.kind === 'reminder' ? [effect.reminder.body] : [];
  });
}

export function blockText({ hook, reason }: Outcome): string {
  const by = hook === null ? 'blocked by policy' : `blocked by policy (${hook})`;
  return `${by}: ${reason ?? 'no reason given'}`;
}
