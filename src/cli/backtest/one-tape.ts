/**
 * What becomes of one tape in a backtest, as data that can cross threads: its decisions, or why it could not be used.
 */
import { HarnessError } from '../../base/errors.ts';
import { Backtest, type TapeResult } from '../../tape/backtest/backtest-tape.ts';
import { checkTape } from '../../tape/backtest/check-tape.ts';
import { openPolicyAt } from '../project-dir.ts';

export interface BacktestTask {
  readonly policy: string;
  readonly since: number;
  /** Leave the self-check out. */
  readonly unchecked: boolean;
}

export type TapeReport =
  | { readonly tape: string; readonly result: TapeResult; readonly check: string | null }
  | { readonly tape: string; readonly problem: string };

export type ReportTape = (tape: string) => Promise<TapeReport>;

/** Opens the candidate once, for as many tapes as there are. */
export async function reporter({ policy, since, unchecked }: BacktestTask): Promise<ReportTape> {
  const { hooks } = await openPolicyAt(policy, { trust: 'no code' });
  const backtest = new Backtest(hooks, { since });
  return async (tape) => {
    try {
      const check = unchecked ? null : await checkTape(tape);
      return { tape, check, result: await backtest.run(tape) };
    } catch (error) {
      const problem =
        error instanceof HarnessError ? error.message : String((error as Error).message ?? error);
      return { tape, problem };
    }
  };
}
