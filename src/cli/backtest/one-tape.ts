/**
 * What becomes of one tape in a backtest, as data that can cross threads: its decisions, or why it could not be used.
 */
import { HarnessError } from '../../base/errors.ts';
import type { Policy } from '../../policy/policy.ts';
import { Backtest, type TapeResult } from '../../tape/backtest/backtest-tape.ts';
import type { TapeSource } from '../../tape/store.ts';
import { openPolicyAt } from '../project-dir.ts';

export interface BacktestTask {
  readonly policy: string;
  readonly since: number;
  /** Leave the self-check out. */
  readonly unchecked: boolean;
}

export type TapeReport =
  | { readonly tape: string; readonly result: TapeResult }
  | { readonly tape: string; readonly problem: string };

export type ReportTape = (tape: string) => Promise<TapeReport>;

/** Opens the candidate once, for as many tapes as there are. */
export async function reporter({ policy, ...rest }: BacktestTask): Promise<ReportTape> {
  return reporterOf(await openPolicyAt(policy, { trust: 'no code' }), rest);
}

/** `read`: how a tape is read; default: at once, from its file. */
export function reporterOf(
  { hooks, digest }: Pick<Policy, 'hooks' | 'digest'>,
  { since, unchecked }: Omit<BacktestTask, 'policy'>,
  read: (tape: string) => TapeSource = (tape) => tape,
): ReportTape {
  const backtest = new Backtest(hooks, { since, ...(!unchecked && { check: digest.hooks }) });
  return async (tape) => {
    try {
      return { tape, result: await backtest.run(read(tape)) };
    } catch (error) {
      const said = error instanceof HarnessError ? error.message : String((error as Error).message ?? error);
      // The report names the tape beside it.
      const problem = said.startsWith(tape) ? said.slice(tape.length).replace(/^:? /, '') : said;
      return { tape, problem };
    }
  };
}
