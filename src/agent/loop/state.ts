/**
 * What a session is made of: what it was given, and what it has come to so far. The loop is functions over this.
 */

import type { Engine, Outcome, ToolHookRegistry } from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';
import type { ApprovalDesk, Protected } from '../../policy/index.ts';
import type { SessionJudge } from '../../session/index.ts';
import type { AgentDefinition, DelegationLimits } from '../delegation/agent.ts';
import type { DelegationChain } from '../delegation/chain.ts';
import type { Powers, ServedModel } from '../delegation/powers.ts';
import type { Message, Usage } from '../message.ts';
import type { CompleteConfig } from '../session-config.ts';
import type { EndReason, SessionEvent } from '../session-event.ts';
import type { Tool } from '../tool.ts';
import type { FileEdit } from './file-edits.ts';
import type { ModelReminders } from './model-reminders.ts';

export interface SessionState {
  readonly id: string;
  readonly config: CompleteConfig;
  /** Who answers, and as which model; another one may take over between two prompts. */
  served: ServedModel;
  /** An agent that may change itself adds to them; what is here is on the next request. */
  readonly tools: Map<string, Tool>;
  /** Tools that exist and were taken from this agent, with what took them: to call one is on record as `hidden`. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly agents: Map<string, AgentDefinition>;
  readonly delegation: DelegationLimits;
  readonly lineage: Lineage;
  /** Delegations under way: a run does not end before the sub-agents it started. */
  readonly children: Set<Promise<unknown>>;
  readonly powers: Powers;
  /** Judges every event, over `engine`. */
  readonly governed: SessionJudge;
  readonly engine: Engine;
  readonly host: Host;
  readonly reminders: ModelReminders;
  /** Null if no person can be asked. */
  readonly approvals: ApprovalDesk | null;
  readonly interceptors: ToolHookRegistry | null;
  readonly workspace: string;
  /** What the agent may not change, as the policy in force says; null if there is none. */
  readonly guarded: () => Protected | null;
  /** The conversation, without reminders. */
  readonly messages: Message[];
  /** Files tools said they wrote, until `file.edited` has fired for them. */
  readonly edited: FileEdit[];
  /** What the provider last counted, and how many messages that was; null if it has not since the last compaction. */
  measured: { readonly tokens: number; readonly messages: number } | null;
  /** Outcomes that are on the stream already. */
  readonly shown: WeakSet<Outcome>;
  /** Of the whole session. */
  usage: Usage;
  costUsd: number;
  /** The largest share of its budget that `budget.threshold` has fired for, in percent. */
  budgetReported: number;
  /** Round trips of the whole session: the next one has this number. */
  turns: number;
  /** `session.start` has fired and `session.end` has not. */
  open: boolean;
  /** How often `session.start` has fired. */
  starts: number;
  lastReason: EndReason;
}

/** Where a session stands among those that delegate to each other. */
export interface Lineage {
  /** 0 for the one nobody delegated to. */
  readonly depth: number;
  readonly parentId: string | null;
  /** The name it was started under. */
  readonly agent: string | null;
  /** The chain of hooks' delegations it is part of, or null. */
  readonly chain: DelegationChain | null;
  /** What its task may do; absent: the task narrows nothing. */
  readonly scopes?: readonly string[];
}

export const NO_PARENT: Lineage = { depth: 0, parentId: null, agent: null, chain: null };

/** One prompt on its way through the loop. */
export interface Scope {
  readonly state: SessionState;
  readonly signal: AbortSignal;
  readonly emit: (event: SessionEvent) => void;
  /** How deep scripts called tools that called tools; 0 where the model itself calls. */
  readonly depth?: number;
  /** Queues a file that a call wrote; absent where no call runs. */
  readonly queueEdit?: (edit: FileEdit) => void;
  /** Counts what a sub-agent used, for this prompt and for the session. */
  readonly spend?: (usage: Usage, costUsd: number) => void;
}

/** Unwinds the loop to where the prompt began. Never leaves this folder. */
export class Halt extends Error {
  readonly reason: EndReason;
  /** For the `error` event; null if the end is no error. */
  readonly code: string | null;

  constructor(reason: EndReason, message: string, code: string | null = null) {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}
