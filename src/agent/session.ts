/**
 * A session: one agent's conversation with its model, with every event of it going through the hooks. The class holds
 * state; what happens is in loop.ts.
 *
 * ```ts
 * const session = new Session({ config, provider, tools, hooks, reminders });
 * const run = session.run('Tidy up the notes.');
 * for await (const event of run) show(event);
 * const { reason, text } = await run.result;
 * ```
 *
 * `session.start` fires before the first prompt. `session.end` fires when a run ends, whatever ended it; with
 * `oneShot: false` the session is a conversation instead, a run only ends its prompt, and `close()` fires it. A one-shot
 * session that is run again keeps its conversation and begins again, with `source: resume`.
 */
import { resolve } from 'node:path';
import { HarnessError, type Json, type JsonObject } from '../base/index.ts';
import {
  type Actor,
  type Approvals,
  type Caller,
  type CatalogName,
  commonScopes,
  Engine,
  FIRST_CALLER,
  guardsIn,
  type Hook,
  type Outcome,
  type Recorder,
  type ReminderStore,
  type RunState,
  type RunStore,
  readActor,
  type ToolHookRegistry,
} from '../engine/index.ts';
import { HookRuntime } from '../frontends/index.ts';
import { containedHost, type Host, machineHost } from '../machine/index.ts';
import {
  ApprovalDesk,
  type Permissions,
  type Policy,
  type Protected,
  type Question,
} from '../policy/index.ts';
import { GovernedSession } from '../session/index.ts';
import type { CompactionResult } from './compaction/compact.ts';
import {
  AGENT_NAME,
  AGENT_NAME_RULE,
  type AgentDefinition,
  type DelegationLimits,
  delegationLimits,
} from './delegation/agent.ts';
import { delegate } from './delegation/delegate.ts';
import { delegateTool } from './delegation/delegate-tool.ts';
import { Augmentation, type AugmentationSettings } from './delegation/meta/augmentation.ts';
import { callTool } from './delegation/meta/call-tool.ts';
import type { Powers, ServedModel } from './delegation/powers.ts';
import { failOn, fire, sessionFields } from './loop/fire.ts';
import { engineBelow, engineFor, type HookSource, hostOf } from './loop/hook-source.ts';
import { beginSession, compactNow, endSession, runSession } from './loop/loop.ts';
import { type ReminderSource, remindersFrom } from './loop/model-reminders.ts';
import { Run } from './loop/run.ts';
import { Halt, type Lineage, NO_PARENT, type SessionState } from './loop/state.ts';
import { type Message, NO_USAGE, type Usage } from './message.ts';
import type { Provider } from './provider.ts';
import { type LateTranscript, lateTranscript, lateTranscriptPath } from './record/late-transcript.ts';
import { completeConfig, knownConfig, type SessionConfig } from './session-config.ts';
import type { EndReason, SessionEvent } from './session-event.ts';
import type { Tool } from './tool.ts';

export interface SessionOptions {
  readonly config?: SessionConfig;
  readonly provider: Provider;
  readonly tools?: readonly Tool[];
  /** Names of tools that exist and are not among them, with what took them away: for the record of who tried. */
  readonly withheld?: Iterable<readonly [name: string, by: string]>;
  /** All that decides, from `openPolicy`. */
  readonly policy?: Policy;
  /** Hooks in code, on top of the policy if there is one. An engine is used with its host and run state. */
  readonly hooks?: HookSource;
  /** Where hooks leave notes for the model. Shared with a `HookRuntime` that was given the same one. */
  readonly reminders?: ReminderSource;
  readonly host?: Host;
  /** A permission policy in code; it judges beside the tables of the policy. */
  readonly permissions?: Permissions;
  /** Where people are asked. Without it, what would be asked is denied. */
  readonly approvals?: Approvals;
  readonly interceptors?: ToolHookRegistry;
  /** Told of every decision, those of sub-agents too; see `openTape`. An engine that is used as it is has its own. */
  readonly recorder?: Recorder;
  /** Absolute path of the folder tools may touch. */
  readonly workspace?: string;
  /** The person or program it works for, as the host knows them; sub-agents work for the same. */
  readonly actor?: Actor | null;
  /** Where guards keep what they count and remember; absent: where the policy does, or in memory. */
  readonly store?: RunStore;
  /** A conversation to go on with. */
  readonly messages?: readonly Message[];
  /** Sub-agents that work can be handed to, with the `delegate` tool and by hooks. */
  readonly agents?: readonly AgentDefinition[];
  readonly delegation?: Partial<DelegationLimits>;
  /** Who serves the model of a sub-agent; null: this session's own provider. */
  readonly providerFor?: Powers['providerFor'];
  /** What the agent may add to itself; absent: nothing. */
  readonly meta?: Partial<AugmentationSettings>;
  /** Set where a session is a sub-agent of another. */
  readonly parent?: Parent;
  /** Sees every event of every run, and those of `close()`, as they happen. What it throws is ignored. */
  readonly onEvent?: (event: SessionEvent) => void;
}

export interface Parent {
  readonly state: SessionState;
  readonly lineage: Lineage;
  /** On top of the parent's, which all stay in force. */
  readonly hooks: readonly Hook[];
}

/** What it starts stands in the sandbox of the policy; without one, in what a hook asks for. A sub-agent has its parent's. */
function hostFor({ host, policy, parent }: SessionOptions, hooks: HookSource, workspace: string): Host {
  const given = host ?? hostOf(hooks);
  if (parent !== undefined && given !== undefined) return given;
  if (policy !== undefined) return policy.contained(workspace, given);
  return containedHost(given ?? machineHost, {
    workspace,
    sandbox: () => null,
    guarded: () => ({ folders: [], files: [] }),
    domains: () => [],
  });
}

export interface RunOptions {
  readonly signal?: AbortSignal;
}

export class Session {
  private readonly state: SessionState;
  private readonly onEvent: ((event: SessionEvent) => void) | undefined;
  private active: { readonly done: Promise<unknown>; readonly controller: AbortController } | null = null;
  private closed: Promise<void> | null = null;
  private emit: (event: SessionEvent) => void = () => {};
  /** Of a session that was given none, once a hook wants to know where it is. */
  private transcript: LateTranscript | null = null;
  private readonly ends: AbortSignal | undefined;

  constructor(options: SessionOptions) {
    const { config: given, unused } = knownConfig(options.config ?? {});
    this.ends = given.abortSignal;
    const hooks = options.hooks ?? [];
    const workspace = options.workspace ?? given.workspacePath ?? process.cwd();
    const { parent, meta } = options;
    const host = hostFor(options, hooks, workspace);
    const id = given.sessionId ?? host.uuid();
    const actor = parent === undefined ? actorFrom(options.actor) : parent.state.engine.who.actor;
    const store = options.store ?? options.policy?.store;
    const lent = hooks instanceof Engine ? hooks.run.services.approvals : null;
    const approvals = this.deskFor(options.approvals ?? parent?.state.approvals ?? lent, host);
    const needs = {
      host,
      // Whether somebody is there to answer shows when the question is asked: hooks may answer it too.
      canAsk: true,
      settings: {
        allowedDomains: given.allowedDomains ?? options.policy?.settings.allowedDomains ?? [],
        passedVariables: options.policy?.settings.environment.pass ?? [],
        ...(options.policy?.settings.sandbox != null && { sandbox: options.policy.settings.sandbox }),
      },
      session: {
        id,
        transcriptPath: given.transcriptPath ?? lateTranscriptPath(id),
        cwd: resolve(workspace),
        workspace: resolve(workspace),
        ...(actor !== null && { actor }),
        ...(parent !== undefined && { caller: callerOf(parent) }),
        ...(parent === undefined && actor?.scopes !== undefined && { caller: firstCaller(actor.scopes) }),
      },
      services: { approvals },
      observe: (outcome: Outcome, depth: number) => this.nested(outcome, depth),
      ownLayer: meta !== undefined,
      workspace,
      ...(store !== undefined && { guards: guardsIn(store, id) }),
      ...(options.policy !== undefined && { policy: options.policy }),
      ...(options.permissions !== undefined && { permissions: options.permissions }),
      ...(options.recorder !== undefined && { recorder: options.recorder }),
    };
    const engine = parent === undefined ? engineFor(hooks, needs) : engineBelow(parent, needs);
    const delegation = parent?.state.delegation ?? delegationLimits(options.delegation);
    const agents = parent?.state.agents ?? agentTable(options.agents ?? []);
    const augmentation =
      parent?.state.powers.augmentation ?? (meta === undefined ? null : new Augmentation(meta));
    const offersDelegation =
      parent === undefined && delegation.maxDepth > 0 && (agents.size > 0 || meta !== undefined);
    this.onEvent = options.onEvent;
    for (const key of unused) {
      const message = `config.${key} has no use here and was ignored`;
      engine.run.logs.push({ hook: '', event: 'session.start', level: 'warn', message });
    }
    if (parent === undefined && !given.transcriptPath)
      engine.run.services.makeTranscript = () => this.makeTranscript();
    engine.run.services.transcript = () => this.state.messages as unknown as readonly Json[];
    const config = completeConfig(given);
    this.state = {
      id,
      config,
      served: { provider: options.provider, model: config.model },
      tools: toolTable([...(offersDelegation ? [delegateTool(agents)] : []), ...(options.tools ?? [])]),
      withheld: new Map(options.withheld ?? []),
      agents,
      delegation,
      lineage: parent?.lineage ?? NO_PARENT,
      children: new Set(),
      powers: {
        spawn: (child) => new Session(child),
        providerFor: parent?.state.powers.providerFor ?? options.providerFor,
        delegate,
        callTool,
        augmentation,
      },
      governed: new GovernedSession({
        ...{ policy: options.policy ?? null, engine, openTape: null, approvals },
        approvalMs: config.limits.approvalMs,
      }),
      engine,
      host,
      reminders: remindersFrom(
        options.reminders,
        hooks instanceof HookRuntime ? hooks.reminders : undefined,
        id,
      ),
      approvals,
      interceptors: options.interceptors ?? null,
      workspace,
      guarded: parent?.state.guarded ?? guardedBy(options.policy, given.transcriptPath ?? null),
      messages: [...(options.messages ?? [])],
      edited: [],
      measured: null,
      shown: new WeakSet(),
      usage: NO_USAGE,
      costUsd: 0,
      budgetReported: 0,
      turns: 0,
      open: false,
      starts: 0,
      lastReason: 'end_turn',
    };
    engine.run.services.agent = {
      callTool: (name, args, { depth, signal }) =>
        callTool(
          {
            state: this.state,
            signal: signal ?? new AbortController().signal,
            emit: this.emit,
            depth,
          },
          name,
          args,
        ),
    };
  }

  get id(): string {
    return this.state.id;
  }

  get messages(): readonly Message[] {
    return this.state.messages;
  }

  /** Another model answers from the next prompt on; hooks of `completion.pre` see it as they saw the one before. */
  useModel(served: ServedModel): void {
    this.requireIdle();
    this.state.served = served;
  }

  /** Of all runs so far. */
  get usage(): Usage {
    return this.state.usage;
  }

  get costUsd(): number {
    return this.state.costUsd;
  }

  /** Round trips of all runs so far: the number of the next one. */
  get turns(): number {
    return this.state.turns;
  }

  /** Each prompt is a session of its own. */
  get oneShot(): boolean {
    return this.state.config.oneShot;
  }

  /** Counters, cache and logs that hooks and tools share. */
  get runState(): RunState {
    return this.state.engine.run;
  }

  get reminders(): ReminderStore {
    return this.state.reminders.store;
  }

  /** Sends a prompt. One at a time: throws while another run is under way, and after `close()`. */
  run(prompt: string, options: RunOptions = {}): Run {
    this.requireIdle();
    const controller = new AbortController();
    const unlink = follow([options.signal, this.ends], controller);
    const run = new Run((emit) =>
      runSession(this.state, prompt, { signal: controller.signal, emit: this.tell(emit) }).finally(() => {
        unlink();
        this.active = null;
      }),
    );
    this.active = { done: run.result, controller };
    return run;
  }

  /** Shortens the conversation now, whatever its length. Throws where `run` would. */
  compact(options: RunOptions = {}): Promise<CompactionResult> {
    this.requireIdle();
    const controller = new AbortController();
    const unlink = follow([options.signal, this.ends], controller);
    const scope = { state: this.state, signal: controller.signal, emit: this.tell(() => {}) };
    const done = compactNow(scope).finally(() => {
      unlink();
      this.active = null;
    });
    this.active = { done, controller };
    return done;
  }

  /** For what writes files beside the tools: `file.edited` fires at the next boundary of a turn. */
  fileEdited(path: string, metadata?: JsonObject): void {
    this.state.edited.push(metadata === undefined ? { path } : { path, metadata });
  }

  /**
   * Fires an event of the catalog through the hooks of this session and onto its stream, for what happens around the loop.
   * `session.start` fires before it where it has not.
   */
  async fire(event: CatalogName, payload: Json, options: RunOptions = {}): Promise<Outcome> {
    if (this.closed !== null) throw new HarnessError('SESSION_CLOSED', 'the session is closed');
    const emit = this.active === null ? this.tell(() => {}) : this.emit;
    const scope = { state: this.state, signal: options.signal ?? new AbortController().signal, emit };
    if (!this.state.open) await beginSession(scope).catch(unwound);
    return fire(scope, event, payload);
  }

  /** Ends the session: aborts a run under way, waits for it, and fires `session.end` if that has not happened. */
  close(reason?: EndReason): Promise<void> {
    this.closed ??= this.end(reason);
    return this.closed;
  }

  private async end(reason: EndReason | undefined): Promise<void> {
    this.active?.controller.abort();
    await this.active?.done;
    if (this.state.open)
      await endSession(
        this.state,
        reason ?? this.state.lastReason,
        this.tell(() => {}),
      );
    if (this.state.lineage.depth === 0) this.state.powers.augmentation?.forget();
  }

  private makeTranscript(): void {
    const { id, host, served, messages, engine } = this.state;
    const path = engine.run.session.transcriptPath;
    if (this.transcript !== null || path === null) return;
    const header = { sessionId: id, startedAt: host.now(), model: served.model };
    this.transcript = lateTranscript(path, header, messages);
  }

  private requireIdle(): void {
    if (this.closed !== null) throw new HarnessError('SESSION_CLOSED', 'the session is closed');
    if (this.active !== null) {
      throw new HarnessError('SESSION_BUSY', 'the session is answering another prompt: wait for its result');
    }
  }

  /** A listener that throws must not change what the session does. */
  private tell(emit: (event: SessionEvent) => void): (event: SessionEvent) => void {
    this.emit = (event) => {
      emit(event);
      this.transcript?.onEvent(event);
      try {
        this.onEvent?.(event);
      } catch {
        // The listener's own affair.
      }
    };
    return this.emit;
  }

  /** A desk is used as it is: a sub-agent asks, and remembers, where its parent does. */
  private deskFor(channel: Approvals | null, host: Host): ApprovalDesk | null {
    if (channel === null || channel instanceof ApprovalDesk) return channel;
    return new ApprovalDesk({
      channel,
      host,
      announce: (question, signal) => this.announce(question, signal),
      note: (message) => {
        this.state.engine.run.logs.push({ hook: '', event: 'approval.requested', level: 'warn', message });
      },
    });
  }

  private async announce(question: Question, signal: AbortSignal): Promise<void> {
    const { id, toolName: name, toolInput: args, windowMs, reason, digest, hook, callId } = question;
    const payload = {
      ...sessionFields(this.state),
      id,
      name,
      args,
      digest,
      window_ms: windowMs,
      hook,
      ...(reason !== undefined && { reason }),
      ...(callId !== undefined && { call_id: callId }),
    };
    const scope = { state: this.state, signal, emit: (event: SessionEvent) => this.emit(event) };
    failOn(await fire(scope, 'approval.requested', payload, callId === undefined ? {} : { callId }));
  }

  /** Events that hooks emit do not come through the loop, and belong on the stream all the same. */
  private nested(outcome: Outcome, depth: number): void {
    const { event, payload } = outcome;
    // Other events below a hook are those of tools it called: the loop fires them, and puts them on the stream itself.
    if (depth === 0 || !event.startsWith('custom.')) return;
    this.state.shown.add(outcome);
    this.emit({ type: 'hook', event, payload, outcome });
  }
}

function toolTable(tools: readonly Tool[]): Map<string, Tool> {
  const table = new Map<string, Tool>();
  for (const tool of tools) {
    const other = table.get(tool.name);
    if (other !== undefined) {
      throw new HarnessError(
        'SESSION_CONFIG',
        `two tools have the name "${tool.name}": ${other.source} and ${tool.source}`,
      );
    }
    table.set(tool.name, tool);
  }
  return table;
}

function agentTable(agents: readonly AgentDefinition[]): Map<string, AgentDefinition> {
  const table = new Map<string, AgentDefinition>();
  for (const agent of agents) {
    if (!AGENT_NAME.test(agent.name)) {
      throw new HarnessError(
        'SESSION_CONFIG',
        `the agent name "${agent.name}" is not allowed: ${AGENT_NAME_RULE}`,
      );
    }
    if (table.has(agent.name)) {
      throw new HarnessError('SESSION_CONFIG', `two agents have the name "${agent.name}"`);
    }
    table.set(agent.name, agent);
  }
  return table;
}

/** What unwinds the loop stays inside it. */
function unwound(thrown: unknown): never {
  if (thrown instanceof Halt) throw new HarnessError('SESSION_NOT_STARTED', thrown.message);
  throw thrown;
}

/** Aborts the controller with any of the signals; the remover leaves no listener on one that outlives the run. */
function follow(signals: readonly (AbortSignal | undefined)[], controller: AbortController): () => void {
  const abort = () => controller.abort();
  if (signals.some((signal) => signal?.aborted)) abort();
  for (const signal of signals) signal?.addEventListener('abort', abort, { once: true });
  return () => {
    for (const signal of signals) signal?.removeEventListener('abort', abort);
  };
}

/** Asked anew for each call: a policy that changed has another list. */
function guardedBy(policy: Policy | undefined, transcript: string | null): () => Protected | null {
  if (policy === undefined) return () => null;
  if (transcript !== null) policy.guarded.add({ files: [transcript] });
  return () => policy.guarded;
}

function callerOf({ lineage, state }: Parent): Caller {
  const { agent, depth, parentId, scopes: task } = lineage;
  const above = state.engine.who.caller;
  const name = agent ?? '';
  const scopes = commonScopes(above.scopes, task);
  const chain = [...above.chain, name];
  return { name, depth, chain, parent_session_id: parentId, ...(scopes !== undefined && { scopes }) };
}

function firstCaller(scopes: readonly string[]): Caller {
  return { ...FIRST_CALLER, scopes };
}

/** Half of an actor is a mistake of the program that gave it. */
function actorFrom(given: Actor | null | undefined): Actor | null {
  const read = readActor(given);
  if (!read.ok) throw new HarnessError('ACTOR_INVALID', read.message);
  return read.actor;
}
