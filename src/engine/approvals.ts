/**
 * How a person is asked and answers. The host brings the channel: a terminal, a web page, a chat. Without
 * one, or with one that fails, the answer is no.
 */
import type { JsonObject } from '../base/index.ts';
import type { Ask } from './decision.ts';

export interface ApprovalRequest {
  /** The hook that asks, or null if the permission policy does. */
  readonly hook: string | null;
  readonly event: string;
  readonly toolName: string;
  readonly toolInput: JsonObject;
  /** The real path of the folder it would run in; absent: the host has not said. */
  readonly cwd?: string;
  /** How long a person may take, in milliseconds. After it the channel should answer no. */
  readonly windowMs: number;
  /** Why it is asked. */
  readonly reason?: string;
  /** Every hook that asks, with its layer and its place. */
  readonly asks?: readonly Ask[];
  /** Of the tool call, where the model gave it one. */
  readonly callId?: string;
  /** Of this question. A session sets it. */
  readonly id?: string;
  /** Of exactly this call: what is approved is what has it. A session sets it. */
  readonly digest?: string;
}

export interface Approval {
  readonly approved: boolean;
  /** Told to the model where it is a no. */
  readonly reason?: string;
  /**
   * For the rest of the session: `call` for exactly this call, `tool` for whatever the same hook or policy would ask about
   * this tool. Absent: for this once.
   */
  readonly remember?: 'call' | 'tool';
}

export interface Approvals {
  /** `signal` fires when the call no longer waits for the answer. */
  request(call: ApprovalRequest, signal: AbortSignal): Promise<Approval>;
}
