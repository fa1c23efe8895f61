/**
 * How a delegation ends where it does not end in an answer: one class with a code for each way, and a class of its own for
 * the one that programs want to tell from the others.
 */
import { type ErrorCode, HarnessError } from '../../base/index.ts';

export type DelegationCode = Extract<ErrorCode, `DELEGATION_${string}` | `VERIF${string}`>;

export class DelegationError extends HarnessError {
  constructor(code: DelegationCode, message: string) {
    super(code, message);
    this.name = 'DelegationError';
  }
}

/** Every try was used up, and the last answer was still not accepted. */
export class VerificationFailed extends DelegationError {
  readonly agent: string;
  readonly attempts: number;
  /** What was wrong with the last answer. */
  readonly reason: string;

  constructor(agent: string, attempts: number, reason: string) {
    super(
      'VERIFICATION_FAILED',
      `verification failed: ${attempts} ${attempts === 1 ? 'answer' : 'answers'} of "${agent}" did not pass: ${reason}`,
    );
    this.name = 'VerificationFailed';
    this.agent = agent;
    this.attempts = attempts;
    this.reason = reason;
  }
}
