/**
 * What a session is made of: what it was given, and what it has come to so far. The loop is functions over this.
 */
import type { Host } from '../base/host.ts';
import type { Engine } from '../hooks/engine.ts';
import type { ToolHookRegistry } from '../hooks/interceptors.ts';
import type { FileEdit } from './file-edits.ts';
import type { Message, Usage } from './message.ts';
import type { Permissions } from './permissions.ts';
import type { Provider } from './provider.ts';
import type { CompleteConfig } from './session-config.ts';
import type { EndReason, SessionEvent } from './session-event.ts';
import type { Told } from './told.ts';
import type { Tool } from './tool.ts';

export interface SessionState {
  readonly id: string;
  readonly config: CompleteConfig;
  readonly provider: Provider;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly engine: Engine;
  readonly host: Host;
  readonly reminders: Told;
  readonly permissions: Permissions;
  readonly interceptors: ToolHookRegistry | null;
  readonly workspace: string;
  /** The conversation, without reminders. */
  readonly messages: Message[];
  /** Files tools said they wrote, until `file.edited` has fired for them. */
  readonly edited: FileEdit[];
  /** What the provider last counted, and how many messages that was; null where it has not since the last compaction. */
  measured: { readonly tokens: number; readonly messages: number } | null;
  /** Of the whole session. */
  usage: Usage;
  costUsd: number;
  /** Round trips of the whole session: the next one has this number. */
  turns: number;
  /** `session.start` has fired and `session.end` has not. */
  open: boolean;
  /** How often `session.start` has fired. */
  starts: number;
  lastReason: EndReason;
}

/** One prompt on its way through the loop. */
export interface Scope {
  readonly state: SessionState;
  readonly signal: AbortSignal;
  readonly emit: (event: SessionEvent) => void;
}

/** Unwinds the loop to where the prompt began. Never leaves this folder. */
export class Halt extends Error {
  readonly reason: EndReason;
  /** For the `error` event; null where the end is no error. */
  readonly code: string | null;

  constructor(reason: EndReason, message: string, code: string | null = null) {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}
