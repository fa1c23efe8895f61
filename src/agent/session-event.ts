/**
 * What a session emits: the one stream that the timeline, `--json`, transcripts and tests read. Every event of the catalog
 * that fires is on it with its outcome; the rest is what a person watching wants to see.
 */

import type { Json, JsonObject } from '../base/index.ts';
import type { Outcome } from '../engine/index.ts';
import type { Sandbox } from '../machine/index.ts';
import type { CallVerdict as TapedVerdict } from '../tape/index.ts';
import type { Message, Usage } from './message.ts';
import type { ProviderFailure } from './provider.ts';

/** Why a session ended. */
export type EndReason =
  | 'end_turn'
  | 'user_prompt_submit_blocked'
  | 'completion_blocked'
  | 'aborted'
  | 'max_turns'
  | 'budget_exceeded'
  | 'max_tokens'
  | 'refusal'
  | 'pause_turn'
  | 'stop_sequence'
  | 'error';

/** It ended by itself, not for want of something or by a fault. */
export function endedWell(reason: EndReason): boolean {
  return reason === 'end_turn' || reason === 'stop_sequence';
}

/** What became of a tool call: every attempt has exactly one. On the tape an aborted call counts as failed. */
export type CallVerdict = TapedVerdict | 'aborted';

export type SessionEvent =
  /** A catalog event fired; `outcome` says what the chain made of it. */
  | {
      readonly type: 'hook';
      readonly event: string;
      readonly payload: Json;
      readonly outcome: Outcome;
      readonly callId?: string;
    }
  /** A piece of the answer, as it arrives. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of the answer arrived and is not shown: these hooks of `completion.post` judge the whole of it first. */
  | { readonly type: 'held'; readonly characters: number; readonly hooks: readonly string[] }
  | { readonly type: 'message'; readonly message: Message }
  | {
      readonly type: 'tool.start';
      readonly callId: string;
      readonly name: string;
      readonly args: JsonObject;
      /** What the programs it starts run in; absent if in nothing. */
      readonly sandbox?: Sandbox;
    }
  | {
      readonly type: 'tool.end';
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
      readonly ms: number;
      readonly verdict: CallVerdict;
      /** The hook that kept the call from running or its result from the model, or null. */
      readonly by: string | null;
      /** Of the call as it ran, or would have. */
      readonly digest: string;
    }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly failure: ProviderFailure;
      readonly waitMs: number;
    }
  | { readonly type: 'reminder'; readonly text: string }
  /** Something in a sub-agent. Its own sub-agents are wrapped once more. */
  | {
      readonly type: 'agent';
      /** The id of its session. */
      readonly id: string;
      readonly agent: string;
      readonly depth: number;
      readonly event: SessionEvent;
    }
  | {
      readonly type: 'end';
      readonly reason: EndReason;
      readonly message: string | null;
      readonly usage: Usage;
      readonly costUsd: number;
      readonly turns: number;
    };
