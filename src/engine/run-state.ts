/**
 * What hooks and tools of one run share: counters, the cache and collected log lines. One object a run; nothing in it
 * outlives the run or reaches another.
 */
import type { Json, JsonObject } from '../base/index.ts';
import type { Sandbox } from '../machine/index.ts';
import type { Approvals } from './approvals.ts';
import type { LogLevel } from './decision.ts';
import type { LimitReservation } from './reservations.ts';
import { MemoryRunStore } from './stores/memory-run-store.ts';
import type { RunArea, RunStore } from './stores/run-store.ts';
import { RecheckArea } from './stores/second-look.ts';
import type { ValueOrigins } from './value-origins.ts';
import type { Actor, Caller } from './who.ts';

export type { Caller } from './who.ts';

export interface LogLine {
  readonly hook: string;
  readonly event: string;
  readonly level: LogLevel;
  readonly message: string;
}

export interface RunSettings {
  /** Hosts scripts may reach over HTTP; empty or absent: none, for hooks. */
  readonly allowedDomains: readonly string[];
  /** Variables that programs are given beyond the usual ones; `NAME` or `PREFIX_*`. */
  readonly passedVariables?: readonly string[];
  /** The sandbox in force for programs: no hook can ask for a looser one. */
  readonly sandbox?: Sandbox | null;
}

/** Which session this run is. Front ends whose hooks expect to be told take it from here. */
export interface SessionInfo {
  readonly id: string;
  /** Where the transcript is written, or null if there is none. */
  readonly transcriptPath: string | null;
  readonly cwd: string | null;
  /** The project folder of the agent; absent: payloads do not say where a call happens. */
  readonly workspace?: string;
  /** Further folders it works in. */
  readonly workspaces?: readonly string[];
  /** The person or program the session works for, as the host knows them; absent if it does not. */
  readonly actor?: Actor | null;
  /** Absent for a session that no other one started. */
  readonly caller?: Caller | null;
}

/** The agent whose events the hooks hear, as far as they may use it. */
export interface CallableAgent {
  /** Calls one of its tools through the whole chain. Never rejects: what went wrong is a text that begins with `error: `. */
  callTool(name: string, args: JsonObject, from: CallOrigin): Promise<string>;
}

export interface CallOrigin {
  /** Of the dispatch the call comes out of. */
  readonly depth: number;
  readonly signal: AbortSignal | null;
}

/** What the host lends to hooks beside the machine. */
export interface RunServices {
  /** Asks a person; null if nobody can be asked. */
  readonly approvals: Approvals | null;
  /** The values that must not leave this process in a record, as they are now. */
  readonly secrets: () => Iterable<string>;
  /** Set by a session for as long as it lives; absent where no agent runs. */
  agent?: CallableAgent | undefined;
  /** The conversation as it stands, oldest first; absent, or null, where no agent runs. */
  transcript?: (() => readonly Json[] | null) | undefined;
  /** Makes the transcript of a session that would write none, before somebody is told where it is. */
  makeTranscript?: (() => void) | undefined;
}

/** What a sub-agent shares with the agent it works for: a guard that counts must not start at zero in a child. */
export type SharedRun = Pick<RunState, 'metrics' | 'health' | 'cache'> &
  Partial<Pick<RunState, 'guards' | 'origins'>>;

/** Where guards count and remember, out of the reach of tools. */
export interface Guards {
  /** Of this session and its sub-agents. */
  readonly session: RunArea;
  /** Of all sessions that use the store. */
  readonly shared: RunArea;
}

export function guardsIn(store: RunStore, session: string): Guards {
  return { session: store.session(session), shared: store.user() };
}

const NO_SERVICES: RunServices = { approvals: null, secrets: () => [] };
const NO_SESSION: SessionInfo = { id: '', transcriptPath: null, cwd: null };

export class RunState {
  readonly metrics: Map<string, number>;
  /**
   * What went wrong with the hooks themselves, counted by the pipeline: see `HEALTH` in health.ts. Apart from
   * `metrics`, which belong to scripts and are compared on replay.
   */
  readonly health: Map<string, number>;
  readonly cache: Map<string, Json>;
  /** Per-turn values (`ctx`); the host clears it when a turn ends. */
  readonly turn: Map<string, Json>;
  /** The number of the turn, once the host has said it: a payload that is one text has no room for it. */
  turnNumber: number | undefined = undefined;
  /** Drained by the host into `turn.end`. */
  readonly logs: LogLine[] = [];
  readonly settings: RunSettings;
  readonly session: SessionInfo;
  readonly services: RunServices;
  readonly guards: Guards;
  /** Where values come from; null: the policy does not ask for it. */
  origins: ValueOrigins | null;

  constructor(
    settings: RunSettings = { allowedDomains: [] },
    session: SessionInfo = NO_SESSION,
    services: Partial<RunServices> = NO_SERVICES,
    shared: SharedRun = { metrics: new Map(), health: new Map(), cache: new Map() },
    turn: Map<string, Json> = new Map(),
  ) {
    this.turn = turn;
    this.metrics = shared.metrics;
    this.health = shared.health;
    this.cache = shared.cache;
    // A replay has the time of its tape.
    this.guards = shared.guards ?? guardsIn(new MemoryRunStore({ steady: null }), session.id);
    this.origins = shared.origins ?? null;
    this.settings = settings;
    this.session = session;
    this.services = { ...NO_SERVICES, ...services };
  }
}

/** A copy whose changes nobody sees: for a guard that judges a call a second time. */
export function scratchRun(run: RunState, taken: readonly LimitReservation[] = []): RunState {
  const { session, shared: all } = run.guards;
  const shared = {
    guards: { session: new RecheckArea(session, taken), shared: new RecheckArea(all, taken) },
    metrics: new Map(run.metrics),
    health: new Map(run.health),
    cache: new Map(run.cache),
    origins: run.origins,
  };
  const copy = new RunState(run.settings, run.session, run.services, shared);
  for (const [key, value] of run.turn) copy.turn.set(key, value);
  copy.turnNumber = run.turnNumber;
  return copy;
}
