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
import { HarnessError } from '../base/errors.ts';
import { type Host, machineHost } from '../base/host.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { CatalogName } from '../events/catalog.ts';
import type { Outcome } from '../events/decision.ts';
import { HookRuntime } from '../frontends/code/loom/runtime.ts';
import type { ToolHookRegistry } from '../hooks/interceptors.ts';
import type { ReminderStore } from '../hooks/reminders/store.ts';
import type { RunState } from '../hooks/run-state.ts';
import type { CompactionResult } from './compaction/compact.ts';
import { fire } from './fire.ts';
import { engineFor, type HookSource, hostOf } from './hook-source.ts';
import { beginSession, compactNow, endSession, runSession } from './loop.ts';
import { type Message, NO_USAGE, type Usage } from './message.ts';
import { AUTO, type Permissions } from './permissions.ts';
import type { Provider } from './provider.ts';
import { Run } from './run.ts';
import { completeConfig, type SessionConfig } from './session-config.ts';
import type { EndReason, SessionEvent } from './session-event.ts';
import type { SessionState } from './state.ts';
import { type ReminderSource, remindersFrom } from './told.ts';
import type { Tool } from './tool.ts';

export interface SessionOptions {
  readonly config?: SessionConfig;
  readonly provider: Provider;
  readonly tools?: readonly Tool[];
  /** An engine is used as it is, with its host and run state; anything else gets an engine of this session's own. */
  readonly hooks?: HookSource;
  /** Where hooks leave notes for the model. Shared with a `HookRuntime` that was given the same one. */
  readonly reminders?: ReminderSource;
  readonly host?: Host;
  readonly permissions?: Permissions;
  readonly interceptors?: ToolHookRegistry;
  /** Absolute path of the folder tools may touch. */
  readonly workspace?: string;
  /** A conversation to go on with. */
  readonly messages?: readonly Message[];
  /** Sees every event of every run, and those of `close()`, as they happen. What it throws is ignored. */
  readonly onEvent?: (event: SessionEvent) => void;
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

  constructor(options: SessionOptions) {
    const given = options.config ?? {};
    const hooks = options.hooks ?? [];
    const host = options.host ?? hostOf(hooks) ?? machineHost;
    const id = given.sessionId ?? host.uuid();
    const workspace = options.workspace ?? process.cwd();
    const permissions = options.permissions ?? AUTO;
    const engine = engineFor(hooks, {
      host,
      canAsk: permissions.ask !== undefined,
      settings: { allowedDomains: given.allowedDomains ?? [] },
      session: { id, transcriptPath: given.transcriptPath ?? null, cwd: workspace },
      observe: (outcome, depth) => this.nested(outcome, depth),
    });
    this.onEvent = options.onEvent;
    this.state = {
      id,
      config: completeConfig(given),
      provider: options.provider,
      tools: toolTable(options.tools ?? []),
      engine,
      host,
      reminders: remindersFrom(
        options.reminders,
        hooks instanceof HookRuntime ? hooks.reminders : undefined,
        id,
      ),
      permissions,
      interceptors: options.interceptors ?? null,
      workspace,
      messages: [...(options.messages ?? [])],
      edited: [],
      measured: null,
      usage: NO_USAGE,
      costUsd: 0,
      turns: 0,
      open: false,
      starts: 0,
      lastReason: 'end_turn',
    };
  }

  get id(): string {
    return this.state.id;
  }

  get messages(): readonly Message[] {
    return this.state.messages;
  }

  /** Of all runs so far. */
  get usage(): Usage {
    return this.state.usage;
  }

  get costUsd(): number {
    return this.state.costUsd;
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
    const unlink = follow(options.signal, controller);
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
    const unlink = follow(options.signal, controller);
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
    if (!this.state.open) await beginSession(scope);
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
      try {
        this.onEvent?.(event);
      } catch {
        // The listener's own affair.
      }
    };
    return this.emit;
  }

  /** Events that hooks emit do not come through the loop, and belong on the stream all the same. */
  private nested(outcome: Outcome, depth: number): void {
    const { event, payload } = outcome;
    if (depth > 0) this.emit({ type: 'hook', event, payload, outcome });
  }
}

function toolTable(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
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

/** Aborts the controller with the signal; the remover leaves no listener on a signal that outlives the run. */
function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (signal === undefined) return () => {};
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
