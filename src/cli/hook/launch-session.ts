/**
 * A session of an outside agent, as one process of it has it: the policy in force, what hooks kept and counted, and the tape.
 * Everything is written before the answer is given; what cannot be written is a problem, and the gate denies.
 */

import { join } from 'node:path';
import type { Adapter, NativeCall, Verdict } from '../../adapters/adapter.ts';
import { refuseCall } from '../../adapters/pairing.ts';
import { blockOf } from '../../adapters/verdict.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { systemUser } from '../../base/host.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sha256Hex } from '../../base/sha256.ts';
import type { Outcome } from '../../events/decision.ts';
import type { Engine } from '../../hooks/engine.ts';
import { repeatedDenial } from '../../hooks/repeated-denial.ts';
import { RunState, type SharedRun } from '../../hooks/run-state.ts';
import type { Change, RunArea } from '../../hooks/stores/run-store.ts';
import type { Policy } from '../../policy/policy.ts';
import type { FileRunStore } from '../../policy/stores/file-run-store.ts';
import { type LoadedRun, loadRunState, runStateChanges } from '../../policy/stores/run-state-store.ts';
import type { Mark } from '../../tape/go-on.ts';
import { type OpenTape, openTape } from '../../tape/open-tape.ts';
import { tapeOptions } from '../../tape/policy-tape.ts';
import type { Problem } from './problem.ts';
import type { Fault } from './run-hook.ts';
import { POLICY_KEY, type SessionPolicy, sessionPolicy } from './session-policy.ts';
import type { Surroundings } from './surroundings.ts';
import { TurnState } from './turn-state.ts';

/** Put in by the build. */
declare const HARNESS_VERSION: string;

const PREFIX = 'launcher/';
const OPEN = 'launcher/open/';
const HELD_BACK = 'launcher/held_back';
const STOPS = 'launcher/stops';
/** Some agents take what they are sent back with for a prompt: that is not a person who goes on. */
const SENT_BACK = 'launcher/sent_back';
const ASKED = 'launcher/asked/';
const DENIED = 'launcher/denied/';
/** The last entry of the tape, as the process before knew it. */
const TAPE_END = 'launcher/tape';

/** The folder that a session began in. */
export const ROOT_KEY = 'launcher/root';

/** The counter of what went wrong, and of what then went on without a guard. */
export function faultKey(open: boolean): string {
  return open ? 'launcher/fail_open' : 'launcher/faults';
}

/** What was answered in the place of a decision, as the tape has it. */
export function faultRecord({ row, callId }: NativeCall, { problem, open }: Fault) {
  const data: JsonObject = { callId, event: row.native, problem };
  return { data, kind: open ? 'fail_open' : 'fault', type: 'session' } as const;
}

/** So often in a row an agent is sent back when it wants to stop; agents have caps of their own, or none. */
const MOST_STOPS = 6;

/** So many reasons a session remembers as said before. */
const MOST_DENIALS = 200;

export interface SessionParts {
  readonly adapter: Adapter;
  readonly call: NativeCall;
  readonly around: Surroundings;
  readonly store: FileRunStore;
  readonly runs: string;
  /** What is remembered of its sessions. */
  readonly sessions: string;
  /** The folder whose policy holds. */
  readonly root: string;
  readonly now: Policy | Problem;
  /** The agent does not name its calls: one that does not run must not be taken for one that does. */
  readonly paired: boolean;
  /** How long to wait for another process of the session. */
  readonly waitMs: number;
}

export interface Closing {
  readonly verdict: Verdict;
  readonly notes: readonly string[];
  readonly lost: boolean;
  /** Why the run has to end at a later event. */
  readonly later: string | null;
  readonly outcomes: readonly Outcome[];
  /** Questions that the agent asks its own user as well. */
  readonly open: readonly string[];
}

type InForce = Exclude<SessionPolicy, Problem>;

export class LaunchSession {
  readonly engine: Engine;
  private readonly parts: SessionParts;
  private readonly area: RunArea;
  private readonly policy: InForce;
  private readonly loaded: LoadedRun;
  private readonly known: ReadonlyMap<string, Json>;
  /** Calls that were let through and have not come back. */
  private readonly openCalls: readonly string[];
  private readonly turn: TurnState;
  private readonly tape: OpenTape;

  private constructor(
    parts: SessionParts,
    policy: InForce,
    loaded: LoadedRun,
    known: ReadonlyMap<string, Json>,
  ) {
    this.parts = parts;
    this.known = known;
    this.openCalls = openCallsIn(known);
    this.turn = new TurnState(loaded.run, known, parts.call.row.event === 'turn.start');
    this.policy = policy;
    this.loaded = loaded;
    this.area = parts.store.session(parts.call.session);
    this.tape = tapeFor(parts, policy, endIn(known));
    this.engine = policy.policy.engine({ run: loaded.run, canAsk: true, recorder: this.tape.recorder });
  }

  static async open(parts: SessionParts): Promise<LaunchSession | Problem> {
    const { call, store, sessions, now, around } = parts;
    const known = await store.session(call.session).entries(PREFIX);
    if (!known.ok) return { problem: known.error.message };
    const inForce = await sessionPolicy(now, {
      remembered: known.value.get(POLICY_KEY.slice(PREFIX.length)),
      openCalls: openCallsIn(known.value).length > 0,
      folder: join(sessions, 'policies'),
      host: around.host,
    });
    if ('problem' in inForce) return inForce;
    around.accept(inForce.policy);
    const makeRun = (shared: SharedRun) => {
      const { allowedDomains, environment } = inForce.policy.settings;
      const settings = { allowedDomains, passedVariables: environment.pass };
      return new RunState(settings, sessionInfo(call), undefined, shared);
    };
    const loaded = await loadRunState(store, call.session, makeRun, around.limits(parts.waitMs));
    if (!loaded.ok) return { problem: loaded.error.message };
    return new LaunchSession(parts, inForce, loaded.value, known.value);
  }

  get settings(): Policy['settings'] {
    return this.policy.policy.settings;
  }

  /** A gate that sends an agent back for ever is a loop: after some times it may stop, and is told why. */
  async capStops(verdict: Verdict): Promise<Verdict> {
    const { event } = this.parts.call.row;
    if (event !== 'agent.stop' && event !== 'delegation.post_verify') return verdict;
    if (verdict.action !== 'block') return verdict;
    const key = `${STOPS}/${this.parts.call.subAgent?.id ?? ''}`;
    const count = await this.area.incr(key);
    if (!count.ok || count.value <= MOST_STOPS) return verdict;
    const message = `sent back ${MOST_STOPS} times in a row; it may stop now. Last reason: ${verdict.reason}`;
    return { action: 'allow', context: null, message };
  }

  /** At the event that makes good what was lost at another one: what had to be held back. */
  heldBack(): Verdict | null {
    const { adapter, call } = this.parts;
    if (!adapter.events.some(({ madeGoodAt }) => madeGoodAt === call.row.native)) return null;
    const reason = this.known.get(HELD_BACK.slice(PREFIX.length));
    return typeof reason === 'string' ? blockOf(reason) : null;
  }

  /** What the agent reads of it: a denial that the session has had before says so. */
  asShown(verdict: Verdict): Verdict {
    const key = this.denialKey(verdict);
    if (key === null || verdict.action !== 'block') return verdict;
    const times = Number(this.known.get(key.slice(PREFIX.length)) ?? 0);
    return { ...verdict, reason: repeatedDenial(verdict.reason, times) };
  }

  private denialKey(verdict: Verdict): string | null {
    if (this.parts.call.row.event !== 'tool.pre' || verdict.action !== 'block') return null;
    return DENIED + sha256Hex(verdict.reason).slice(0, 16);
  }

  /** Null if everything is on record. */
  async close({ verdict, notes, lost, later, outcomes, open }: Closing): Promise<string | null> {
    const { call } = this.parts;
    const { held } = this.policy;
    if (held !== null) await this.tape.policyChanged({ ...held, accepted: false });
    await this.recordCall(verdict, outcomes);
    if (notes.length > 0)
      await this.tape.note('answer', { agent: this.parts.adapter.agent, lost, notes: [...notes] });
    await this.tape.close();
    const effects = outcomes.flatMap((outcome) => outcome.effects);
    // All in one: under one lock, and never half of it.
    const changes = [
      ...runStateChanges(this.loaded, effects),
      ...this.rootChange(),
      ...this.policy.changes,
      ...this.tapeChange(),
      ...this.turn.changes(PREFIX),
      ...this.callChanges(verdict),
      ...(await this.askedChanges(verdict, open)),
      ...this.heldBackChanges(later),
      ...this.denialChanges(verdict),
    ];
    const applied = changes.length === 0 ? null : await this.area.apply(changes);
    if (applied?.ok === false) return applied.error.message;
    const refused = this.parts.paired && call.row.event === 'tool.pre' && verdict.action === 'block';
    const marked = refused ? await refuseCall(this.area, call.callId!) : null;
    return marked?.ok === false ? marked.error.message : null;
  }

  /** Nothing here may keep the answer from being given: it is for the record only. */
  async noteFault(fault: Fault): Promise<void> {
    const { store, call } = this.parts;
    const changes: Change[] = [{ op: 'incr', key: faultKey(fault.open), by: 1 }];
    const { kind, data } = faultRecord(call, fault);
    const noted = this.tape.note(kind, data);
    await Promise.all([store.session(call.session).apply(changes), store.user().apply(changes), noted]);
  }

  private async recordCall(verdict: Verdict, outcomes: readonly Outcome[]): Promise<void> {
    const { event } = this.parts.call.row;
    if (event !== 'tool.pre' && event !== 'tool.post') return;
    for (const [i, before] of this.parts.call.payloads.entries()) {
      if (!isJsonObject(before)) continue;
      const outcome = outcomes[i];
      const callId = String(before.id ?? before.call_id ?? '');
      const call = { callId, tool: String(before.name), by: outcome?.hook ?? null };
      if (event === 'tool.pre') {
        if (verdict.action !== 'block') continue;
        await this.tape.call({ ...call, verdict: refusal(outcome), reason: verdict.reason });
        continue;
      }
      const ended = verdict.action === 'block' ? 'hidden' : before.is_error === true ? 'failed' : 'ran';
      const reason = verdict.action === 'block' ? verdict.reason : null;
      await this.tape.call({ ...call, verdict: ended, reason, digest: callDigest(before) });
    }
  }

  /** A call that its own user was asked about and that came back was approved by them. */
  private async askedChanges({ action }: Verdict, open: readonly string[]): Promise<Change[]> {
    const { row, callId } = this.parts.call;
    if (callId === null) return [];
    const key = ASKED + callId;
    if (row.event === 'tool.pre' && action === 'ask' && open.length > 0)
      return [{ op: 'set', key, value: [...open] }];
    const asked = this.known.get(key.slice(PREFIX.length));
    if (row.event !== 'tool.post' || !Array.isArray(asked)) return [];
    const { approvedByAgent } = await import('./ask-elsewhere.ts');
    await approvedByAgent(asked.map(String), this.parts.around.host);
    return [{ op: 'delete', key }];
  }

  /** It holds until the person goes on: a run that ended may be taken up again. */
  private heldBackChanges(later: string | null): Change[] {
    if (later !== null) return [{ op: 'set', key: HELD_BACK, value: later }];
    const over = this.parts.call.row.event === 'turn.start' && this.known.has(HELD_BACK.slice(PREFIX.length));
    return over ? [{ op: 'delete', key: HELD_BACK }] : [];
  }

  private denialChanges(verdict: Verdict): Change[] {
    const key = this.denialKey(verdict);
    if (key === null) return [];
    const denials = [...this.known.keys()].filter((known) => known.startsWith(DENIED.slice(PREFIX.length)));
    // What a model makes up must not fill the store: further reasons read as new.
    const full = denials.length >= MOST_DENIALS && !denials.includes(key.slice(PREFIX.length));
    return full ? [] : [{ op: 'incr', key, by: 1 }];
  }

  private tapeChange(): Change[] {
    const end = this.tape.end();
    // Of processes at work at the same time the later entry counts, no matter which comes here first.
    if (end === null || end.seq <= (endIn(this.known)?.seq ?? 0)) return [];
    return [{ op: 'set', key: TAPE_END, value: { ...end } }];
  }

  private rootChange(): Change[] {
    const { root } = this.parts;
    return this.known.has(ROOT_KEY.slice(PREFIX.length)) ? [] : [{ op: 'set', key: ROOT_KEY, value: root }];
  }

  /** Which calls are open, and how often in a row the agent was sent back. */
  private callChanges({ action }: Verdict): Change[] {
    const { row, callId } = this.parts.call;
    if (row.event === 'tool.pre' && action !== 'block' && callId !== null) {
      return [{ op: 'set', key: OPEN + callId, value: 1 }];
    }
    if (row.event === 'tool.post' && callId !== null) return [{ op: 'delete', key: OPEN + callId }];
    if (row.event === 'agent.stop')
      return [
        action === 'block' ? { op: 'set', key: SENT_BACK, value: 1 } : { op: 'delete', key: SENT_BACK },
      ];
    // Between turns no call is open, whatever became of those that the agent or the user refused.
    if (row.event !== 'turn.start') return [];
    const again = this.known.has(SENT_BACK.slice(PREFIX.length)) ? SENT_BACK : `${STOPS}/`;
    const over = [again, ...this.openCalls.map((key) => PREFIX + key)];
    return over.map((key) => ({ op: 'delete', key }));
  }
}

function endIn(known: ReadonlyMap<string, Json>): Mark | undefined {
  return known.get(TAPE_END.slice(PREFIX.length)) as Mark | undefined;
}

function openCallsIn(known: ReadonlyMap<string, Json>): string[] {
  return [...known.keys()].filter((key) => key.startsWith(OPEN.slice(PREFIX.length)));
}

function refusal(outcome: Outcome | undefined): 'refused' | 'denied' | 'blocked' {
  const frontEnd = outcome?.decidedBy?.frontEnd;
  return frontEnd === 'floor' ? 'refused' : frontEnd === 'permissions' ? 'denied' : 'blocked';
}

function tapeFor(
  { adapter, call, around, runs, waitMs }: SessionParts,
  { policy, before }: InForce,
  after: Mark | undefined,
): OpenTape {
  const { payloads, acknowledge, sign } = tapeOptions(policy.settings.tape);
  const sync = acknowledge === 'synced';
  const tapes = around.tapes(runs, { waitMs, sync, ...(sign !== undefined && { sign }) });
  return openTape(tapes, {
    session: call.session,
    ...(payloads !== undefined && { payloads }),
    hooks: policy.hooks,
    policy: policy.digest,
    ...(before !== null && { lastPolicy: before }),
    host: around.host,
    engine: `harness-hooks ${HARNESS_VERSION}`,
    firedBy: adapter.agent,
    shared: true,
    ...(after !== undefined && { after }),
  });
}

function sessionInfo({ session, transcript, cwd, subAgent }: NativeCall) {
  const caller =
    subAgent === null || subAgent === undefined
      ? null
      : { name: subAgent.name, depth: 1, chain: [subAgent.name], parent_session_id: session };
  // What the agent says of its user is not the agent's to say: the account it runs under is.
  const user = systemUser();
  const actor = user === null ? null : { id: user };
  return { id: session, transcriptPath: transcript, cwd, actor, caller };
}

/** Of a call: its tool and its arguments, as the record of what ran has it. */
function callDigest({ name = null, args = null }: JsonObject): string {
  return sha256Hex(canonicalJson({ args, name }));
}
