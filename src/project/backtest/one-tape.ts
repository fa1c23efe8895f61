/**
 * What becomes of one tape in a backtest, as data that can cross threads: its decisions, or why it could not be used.
 */
import { HarnessError } from '../../base/index.ts';
import type { Policy } from '../../policy/index.ts';
import { Backtest, type TapeResult, type TapeSource } from '../../tape/index.ts';
import { openPolicyAt } from '../../terminal/index.ts';

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
  { hooks, digest, settings }: Pick<Policy, 'hooks' | 'digest' | 'settings'>,
  { since, unchecked }: Omit<BacktestTask, 'policy'>,
  read: (tape: string) => TapeSource = (tape) => tape,
): ReportTape {
  const backtest = new Backtest(hooks, {
    since,
    sources: settings.sources,
    ...(!unchecked && { check: digest.hooks }),
  });
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
