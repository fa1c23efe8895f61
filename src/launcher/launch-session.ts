/**
 * A session of an outside agent, as one process of it has it: the policy in force, what hooks kept and counted, and the tape.
 * Everything is written before the answer is given; what cannot be written is a problem, and the gate denies.
 */

import { isAbsolute, join, resolve } from 'node:path';
import {
  type Adapter,
  blockOf,
  callReports,
  type NativeCall,
  refuseCall,
  type Verdict,
} from '../agents/index.ts';
import { isJsonObject, type Json, type JsonObject, sha256Hex } from '../base/index.ts';
import {
  type Change,
  type Engine,
  type Outcome,
  type RunArea,
  RunState,
  repeatedDenial,
  requireEvent,
  type SessionInfo,
  type SharedRun,
} from '../engine/index.ts';
import { bootMark, type Host, isWithin, systemUser } from '../machine/index.ts';
import {
  type FileRunStore,
  type LoadedRun,
  type Policy,
  runStateChanges,
  runStateFrom,
  workspaceFrom,
} from '../policy/index.ts';
import { GovernedSession, openSessionTape, storeOptions } from '../session/index.ts';
import { type EntryMark, mayBeLostToPower, type OpenTape } from '../tape/index.ts';
import type { DecisionContext } from './decision-context.ts';
import { type GateCheck, gateCheck } from './gate-switches.ts';
import type { HookOptions } from './hook-options.ts';
import type { LaunchProblem } from './problem.ts';
import type { Fault } from './run-hook.ts';
import { POLICY_KEY, type SessionPolicy, sessionPolicy } from './session-policy.ts';
import { TurnState } from './turn-state.ts';

const PREFIX = 'launcher/';
const OPEN = 'launcher/open/';
const HELD_BACK = 'launcher/held_back';
/** Context of an event that takes none, until the event at which the model reads it. */
const CONTEXT = 'launcher/context';
const STOPS = 'launcher/stops';
/** Some agents take what they are sent back with for a prompt: that is not a person who goes on. */
const SENT_BACK = 'launcher/sent_back';
const ASKED_KEY = 'launcher/asked/';
const DENIED = 'launcher/denied/';
/** The last entry of the tape, as the process before knew it. */
export const TAPE_END = 'launcher/tape';

/** The folder that a session began in. */
export const ROOT_KEY = 'launcher/root';
/** The project folder of a session whose agent does not say it: as it was found at the first event. */
const WORKSPACE_KEY = 'launcher/workspace';
/** Folders that were added to it, as the agent's own files had them before its first call: later it may have written there itself. */
const FURTHER_KEY = 'launcher/further';
/** Switches of the agent that are on while some of our hooks still run. */
const SWITCHES_KEY = 'launcher/switches';

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

/**
 * Denials that are less apart, in milliseconds, are of calls that the model made at once: it had not read the first. Agents do not tell
 * which calls belong together.
 */
const AT_ONCE_MS = 1_000;

/** In how many round trips a reason was shown, and when last. */
interface ShownDenial {
  readonly times: number;
  readonly at: number;
}

export interface SessionParts {
  readonly adapter: Adapter;
  readonly options: HookOptions;
  readonly call: NativeCall;
  readonly around: DecisionContext;
  readonly store: FileRunStore;
  readonly runs: string;
  /** What is remembered of its sessions. */
  readonly sessions: string;
  /** The folder whose policy holds. */
  readonly root: string;
  readonly now: Policy | LaunchProblem;
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
  /** Context that the model is given at a later event. */
  readonly contextLater: string | null;
  readonly outcomes: readonly Outcome[];
  /** Questions that the agent asks its own user as well. */
  readonly open: readonly string[];
}

type InForce = Exclude<SessionPolicy, LaunchProblem>;

export class LaunchSession {
  private readonly governed: GovernedSession;
  private readonly parts: SessionParts;
  private readonly area: RunArea;
  private readonly policy: InForce;
  private readonly loaded: LoadedRun;
  private readonly known: ReadonlyMap<string, Json>;
  /** Calls that were let through and have not come back. */
  private readonly openCalls: readonly string[];
  private readonly turn: TurnState;
  private readonly tape: OpenTape;
  private readonly gate: GateCheck;
  private readonly now: number;

  private constructor(
    parts: SessionParts,
    policy: InForce,
    loaded: LoadedRun,
    known: ReadonlyMap<string, Json>,
    gate: GateCheck,
  ) {
    this.parts = parts;
    this.gate = gate;
    this.now = parts.around.host.now();
    this.known = known;
    this.openCalls = openCallsIn(known);
    this.turn = new TurnState(loaded.run, known, parts.call.row.event === 'turn.start');
    this.policy = policy;
    this.loaded = loaded;
    this.area = parts.store.session(parts.call.session);
    this.tape = tapeFor(parts, policy, endIn(known));
    this.governed = new GovernedSession({
      policy: policy.policy,
      run: loaded.run,
      openTape: () => this.tape,
      // The agent asks its own user, or somebody elsewhere is asked: see ask-elsewhere.ts.
      approvals: null,
      approvalMs: 0,
    });
  }

  static async open(parts: SessionParts): Promise<LaunchSession | LaunchProblem> {
    const { call, store, sessions, now, around } = parts;
    const area = store.session(call.session);
    const entries = await area.entries('');
    if (!entries.ok) return { problem: entries.error.message };
    const known = entriesBelow(PREFIX, entries.value);
    const inForce = await sessionPolicy(now, {
      remembered: known.get(POLICY_KEY.slice(PREFIX.length)),
      folder: join(sessions, 'policies'),
      host: around.host,
      about: { host: parts.adapter.agent, session: call.session, folder: parts.root },
    });
    if ('problem' in inForce) return inForce;
    const objection = around.objection(inForce.policy);
    if (objection !== null) return objection;
    const workspace = known.get(WORKSPACE_KEY.slice(PREFIX.length));
    const further = known.get(FURTHER_KEY.slice(PREFIX.length));
    const info = sessionInfo(parts.adapter, call, around, {
      workspace: typeof workspace === 'string' ? workspace : null,
      further: Array.isArray(further)
        ? further.map(String)
        : furtherFolders(parts.adapter, call, around.host),
    });
    const makeRun = (shared: SharedRun) => {
      const { allowedDomains, environment } = inForce.policy.settings;
      const settings = { allowedDomains, passedVariables: environment.pass };
      return new RunState(settings, info, undefined, shared);
    };
    const { sync } = inForce.policy.settings.tape;
    store.syncChanges(sync);
    const limits = around.limits(parts.waitMs, sync) ?? store;
    const loaded = runStateFrom(entries.value, area, makeRun, limits);
    const gate = await gateCheck(
      parts.adapter,
      call,
      parts.options,
      { host: around.host, cwd: around.cwd, root: parts.root, policy: inForce.policy },
      known.get(SWITCHES_KEY.slice(PREFIX.length)),
    );
    return new LaunchSession(parts, inForce, loaded, known, gate);
  }

  get engine(): Engine {
    return this.governed.engine;
  }

  get settings(): Policy['settings'] {
    return this.policy.policy.settings;
  }

  /** A gate that sends an agent back for ever is a loop: after some times it may stop, and is told why. */
  async capStops(verdict: Verdict): Promise<Verdict> {
    if (verdict.action !== 'block' || requireEvent(this.parts.call.row.event).sendsBack !== true)
      return verdict;
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

  /** A switch of the agent that is on keeps another hook of ours from running: what can be refused is. */
  switchedOff(): Verdict | null {
    return this.gate.refusal === null ? null : blockOf(this.gate.refusal);
  }

  /** At the event at which the model reads it: with the context of an earlier one that took none. */
  withEarlierContext(verdict: Verdict): Verdict {
    const earlier = this.earlierContext();
    if (earlier === null || !takesContext(verdict)) return verdict;
    const context = verdict.context === null ? earlier : `${earlier}\n${verdict.context}`;
    return { ...verdict, context };
  }

  private earlierContext(): string | null {
    const { adapter, call } = this.parts;
    if (!adapter.events.some(({ contextAt }) => contextAt === call.row.native)) return null;
    const text = this.known.get(CONTEXT.slice(PREFIX.length));
    return typeof text === 'string' ? text : null;
  }

  private contextChanges(verdict: Verdict, later: string | null): Change[] {
    if (later !== null) return [{ op: 'set', key: CONTEXT, value: later }];
    const isRead = this.earlierContext() !== null && takesContext(verdict);
    return isRead ? [{ op: 'delete', key: CONTEXT }] : [];
  }

  /** What the agent reads of it: a denial that the session has had before says so. */
  asShown(verdict: Verdict): Verdict {
    const key = this.denialKey(verdict);
    if (key === null || verdict.action !== 'block') return verdict;
    return { ...verdict, reason: repeatedDenial(verdict.reason, this.shown(key).times - 1) };
  }

  /** With this denial. */
  private shown(key: string): ShownDenial {
    const before = this.known.get(key.slice(PREFIX.length));
    const { times, at } = isJsonObject(before) ? (before as unknown as ShownDenial) : { times: 0, at: 0 };
    const isAtOnce = times > 0 && this.now - at < AT_ONCE_MS;
    return { times: isAtOnce ? times : times + 1, at: this.now };
  }

  private denialKey(verdict: Verdict): string | null {
    if (this.parts.call.row.event !== 'tool.pre' || verdict.action !== 'block') return null;
    return DENIED + sha256Hex(verdict.reason).slice(0, 16);
  }

  /** Before a person is waited for: what was decided so far outlives this process. */
  async flush(): Promise<void> {
    await this.tape.flush();
  }

  /** Null if everything is on record. */
  async close({
    verdict,
    notes,
    lost,
    later,
    contextLater,
    outcomes,
    open,
  }: Closing): Promise<string | null> {
    const { call } = this.parts;
    const { held } = this.policy;
    if (held !== null) await this.tape.policyChanged({ ...held, accepted: false });
    for (const report of callReports(this.parts.adapter, call, verdict, outcomes))
      await this.tape.call(report);
    if (notes.length > 0)
      await this.tape.note('answer', { agent: this.parts.adapter.agent, lost, notes: [...notes] });
    await this.tape.flush();
    const effects = outcomes.flatMap((outcome) => outcome.effects);
    // All in one: under one lock, and never half of it.
    const changes = [
      ...runStateChanges(this.loaded, effects),
      ...this.rootChange(),
      ...this.furtherChange(),
      ...this.policy.changes,
      ...this.tapeChange(),
      ...this.turn.changes(PREFIX),
      ...this.callChanges(verdict),
      ...(await this.askedChanges(verdict, open)),
      ...this.heldBackChanges(later),
      ...this.contextChanges(verdict, contextLater),
      ...this.denialChanges(verdict),
      ...(this.gate.change === null
        ? []
        : [{ op: 'set', key: SWITCHES_KEY, value: this.gate.change } as const]),
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
    void this.tape.note(kind, data);
    const written = this.tape.flush();
    await Promise.all([store.session(call.session).apply(changes), store.user().apply(changes), written]);
  }

  /** A call that its own user was asked about and that came back was approved by them. */
  private async askedChanges({ action }: Verdict, open: readonly string[]): Promise<Change[]> {
    const { row, callId } = this.parts.call;
    if (callId === null) return [];
    const key = ASKED_KEY + callId;
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
    return full ? [] : [{ op: 'set', key, value: { ...this.shown(key) } }];
  }

  private tapeChange(): Change[] {
    const end = this.tape.end();
    // Of processes at work at the same time the later entry counts, no matter which comes here first.
    const before = endIn(this.known);
    if (end === null || (before !== undefined && end.seq <= before.seq && !mayBeLostToPower(before)))
      return [];
    // An entry that no disk had to have may be gone after a loss of power, though this is not.
    const mark = { seq: end.seq, head: end.head };
    return [
      { op: 'set', key: TAPE_END, value: this.settings.tape.sync ? mark : { ...mark, boot: bootMark() } },
    ];
  }

  private rootChange(): Change[] {
    if (this.known.has(ROOT_KEY.slice(PREFIX.length))) return [];
    const { workspace = '' } = this.engine.run.session;
    return [
      { op: 'set', key: ROOT_KEY, value: this.parts.root },
      { op: 'set', key: WORKSPACE_KEY, value: workspace },
    ];
  }

  private furtherChange(): Change[] {
    const { adapter, call } = this.parts;
    if (!needsFurtherFolders(adapter, call) || this.known.has(FURTHER_KEY.slice(PREFIX.length))) return [];
    const { workspaces = [] } = this.engine.run.session;
    return [{ op: 'set', key: FURTHER_KEY, value: [...workspaces] }];
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

function takesContext(verdict: Verdict): verdict is Extract<Verdict, { readonly context: string | null }> {
  return verdict.action === 'allow' || verdict.action === 'modify';
}

/** Without the beginning of their keys. */
function entriesBelow(prefix: string, entries: ReadonlyMap<string, Json>): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  for (const [key, value] of entries) if (key.startsWith(prefix)) found.set(key.slice(prefix.length), value);
  return found;
}

function endIn(known: ReadonlyMap<string, Json>): EntryMark | undefined {
  return known.get(TAPE_END.slice(PREFIX.length)) as EntryMark | undefined;
}

function openCallsIn(known: ReadonlyMap<string, Json>): string[] {
  return [...known.keys()].filter((key) => key.startsWith(OPEN.slice(PREFIX.length)));
}

function tapeFor(
  { adapter, call, around, runs, waitMs }: SessionParts,
  { policy, before }: InForce,
  after: EntryMark | undefined,
): OpenTape {
  const { agent } = adapter;
  const { session } = call;
  const { host } = around;
  return around.tape({ runs, session, agent, policy, host, after }, () =>
    openSessionTape(policy, {
      target: around.tapes(runs, { waitMs, ...storeOptions(policy.settings.tape) }),
      session,
      ...(before !== null && { lastPolicy: before }),
      host,
      firedBy: agent,
      shared: true,
      deferred: true,
      ...(after !== undefined && { after }),
    }),
  );
}

/** Where an agent works, as far as an earlier event of the session found it out. */
export interface FoundFolders {
  /** The project; null if it was not looked for yet. */
  readonly workspace: string | null;
  /** Folders that were added to it. */
  readonly further: readonly string[];
}

export function sessionInfo(
  adapter: Adapter,
  call: NativeCall,
  { host, cwd: from }: Pick<DecisionContext, 'host' | 'cwd'>,
  found: FoundFolders,
): SessionInfo {
  const { session, transcript, subAgent } = call;
  const folder = call.cwd ?? '.';
  const cwd = ON_A_DRIVE.test(folder) ? folder : resolve(from, folder);
  const [workspace = found.workspace ?? workspaceFrom(cwd, host), ...told] = reportedRoots(
    adapter,
    call,
    host,
  );
  const workspaces = [...told, ...found.further];
  const caller =
    subAgent === null || subAgent === undefined
      ? null
      : { name: subAgent.name, depth: 1, chain: [subAgent.name], parent_session_id: session };
  // What the agent says of its user is not the agent's to say: the account it runs under is.
  const user = systemUser();
  const actor = user === null ? null : { id: user };
  return { id: session, transcriptPath: transcript, cwd, workspace, workspaces, actor, caller };
}

/** Looked for once, before the first call of a session. */
function needsFurtherFolders({ furtherFolders }: Adapter, { row }: NativeCall): boolean {
  return furtherFolders !== undefined && row.event === 'tool.pre';
}

/** Without those that hold the home folder: they are no project's. */
export function furtherFolders(adapter: Adapter, call: NativeCall, { env }: Pick<Host, 'env'>): string[] {
  if (!needsFurtherFolders(adapter, call)) return [];
  const home = env('HOME');
  const isTooWide = (folder: string) => folder === '/' || (home !== undefined && isWithin(home, folder));
  return adapter.furtherFolders!(call, env).filter((folder) => !isTooWide(folder));
}

/** The folders the agent says it works in, its project first. */
function reportedRoots({ projectVariable }: Adapter, { roots = [] }: NativeCall, host: Host): string[] {
  const named = projectVariable === undefined ? undefined : host.env(projectVariable);
  return [...(named === undefined ? [] : [named]), ...roots].filter(
    (folder) => isAbsolute(folder) || ON_A_DRIVE.test(folder),
  );
}

/** An agent on Windows may have its hooks run by a system that has no drives. */
const ON_A_DRIVE = /^[a-z]:[/\\]/i;
