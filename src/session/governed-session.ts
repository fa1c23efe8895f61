/**
 * One governed run of an agent: a policy, its state, its tape, and whom to ask. Every host fires events through such a session and
 * acts on what it answers:
 *
 *   decide       any event of the catalog, recorded
 *   permit       the outcome after its ask was settled, by hooks or a person
 *   beforeCall   a tool call: decide, permit, and the verdict on the tape if it may not run
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
import { ranVerdict, type StoppedVerdict, stoppedVerdict } from './verdicts.ts';

export interface GovernedSessionOptions {
  readonly policy: Policy;
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
}

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

/** Why a tool is not the one it should be: it is not shown, or each call of it is asked about. */
export interface Objection {
  readonly reason: string;
  readonly by: string;
  readonly hides: boolean;
  /** What the tape says of the call; default: blocked. */
  readonly verdict?: 'unknown_tool';
}

const OFFER = 'meta.register_tool';
const MOST_OFFERS = 10_000;

export class GovernedSession {
  readonly policy: Policy;
  private readonly options: GovernedSessionOptions;
  private opened: { readonly engine: Engine; readonly tape: OpenTape | null } | null = null;
  private readonly shown: ShownDenials = new Map();
  private readonly offers = new BoundedMap<string, Promise<Objection | null>>(MOST_OFFERS);
  private calls = 0;

  constructor(options: GovernedSessionOptions) {
    this.options = options;
    this.policy = options.policy;
  }

  get engine(): Engine {
    return this.open().engine;
  }

  /** Null: this session is on no tape. */
  get tape(): OpenTape | null {
    return this.open().tape;
  }

  async decide(event: string, payload: Json, options?: PolicyDecideOptions): Promise<Outcome> {
    return this.policy.decideOver(this.engine, event, payload, options);
  }

  /** The outcome after its ask was settled; see policy/permit.ts. */
  permit(outcome: Outcome, person: AskPerson | null, fire: Fire = this.fire): Promise<Outcome> {
    return permit(outcome, { fire, person, session: this.engine.run.session });
  }

  /** `objection` is what the host itself has against a call that hooks let pass. */
  async beforeCall(
    call: JudgedCall,
    signal: AbortSignal,
    objection?: () => Promise<Objection | null>,
  ): Promise<CallAnswer> {
    const { id, name, args, native } = call;
    const outcome = await this.decide('tool.pre', { id, name, args, native });
    const stop = (reason: string, verdict: StoppedVerdict, by = outcome.hook): CallAnswer => {
      this.record(call, verdict, reason, by);
      // A person may approve it the next time.
      const plain = verdict === 'denied' || this.options.shared === true;
      return { allowed: false, reason: plain ? reason : denialText(this.shown, reason, this.calls++) };
    };
    if (!outcome.mayRun && outcome.action !== 'ask')
      return stop(failureText(outcome) ?? blockText(outcome), stoppedVerdict(outcome));
    if (wantsSandbox(outcome.payload)) return stop(NO_WALLS, 'blocked');
    const objected = (await objection?.()) ?? null;
    if (objected !== null) {
      giveBack(outcome);
      this.record(call, objected.verdict ?? 'blocked', objected.reason, objected.by);
      return { allowed: false, reason: objected.reason };
    }
    const { approvals, approvalMs: windowMs } = this.options;
    const settled = await this.permit(outcome, askThrough({ approvals, windowMs, signal }));
    if (!settled.mayRun) return stop(settled.reason ?? 'it was not approved', stoppedVerdict(settled));
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
    this.record(call, ranVerdict(isError, hidden), reason, hidden ? outcome.hook : null);
    if (reason !== null) return { kind: 'hidden', reason };
    const context = contextOf(outcome);
    return outcome.action === 'modify'
      ? { kind: 'rewritten', payload: outcome.payload as unknown as JsonObject, context }
      : { kind: 'same', context };
  }

  /** A tool that a server offers, as `meta.register_tool` has it; null: no hook objects. */
  async offer(tool: JsonObject): Promise<Objection | null> {
    const { policy, offers } = this;
    if (!policy.registry.has(OFFER)) return null;
    // The same definition under the same policy is one decision, however often it is listed.
    const key = digestOf([policy.digest.digest, tool]);
    return offers.useOrMake(key, () => this.decide(OFFER, tool).then(objectionOf, undecided));
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
    const { policy, openTape, info, run, recorder } = this.options;
    const tape = openTape?.() ?? null;
    const engine = policy.engine({
      run: run ?? policy.newRun({ workspace: workspaceFrom(policy.dir, policy.host), ...info }),
      canAsk: true,
      ...(tape !== null ? { recorder: tape.recorder } : recorder !== undefined && { recorder }),
    });
    this.opened = { engine, tape };
    return this.opened;
  }
}

const RAN: ReadonlySet<CallVerdict> = new Set(['ran', 'failed', 'hidden']);

/** Whether a hook put a call into a sandbox: only our own loop can do that. */
export function wantsSandbox(payload: Json): boolean {
  return (
    typeof payload === 'object' && payload !== null && 'sandbox' in payload && payload.sandbox !== undefined
  );
}

export const NO_WALLS = 'a hook wants this call in a sandbox, which cannot be put around it here';

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
