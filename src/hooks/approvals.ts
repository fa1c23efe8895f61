/**
 * How a hook asks a person and waits for the answer. Whoever runs the engine brings the channel: a terminal, a web page, a
 * chat. Without one, or with one that fails, the answer is no.
 */
import type { JsonObject } from '../base/json.ts';

export interface ApprovalRequest {
  /** The hook that asks. */
  readonly hook: string;
  readonly event: string;
  readonly toolName: string;
  readonly toolInput: JsonObject;
  /** How long a person may take, in milliseconds. After it the channel should answer no. */
  readonly windowMs: number;
}

export interface Approval {
  readonly approved: boolean;
  /** Told to the model where it is a no. */
  readonly reason?: string;
}

export interface Approvals {
  /** `signal` fires when nobody waits for the answer any more. */
  request(call: ApprovalRequest, signal: AbortSignal): Promise<Approval>;
}
