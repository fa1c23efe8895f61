/**
 * The self-check before a backtest: a tape proves something only if it is what was written, and if its own decisions come out
 * of its own records once more.
 */

import { replayTape } from '../replay.ts';
import type { TapeSource } from '../store.ts';
import { verifyTape } from '../verify.ts';

/** Null if it holds; otherwise the first thing that does not. */
export async function checkTape(source: TapeSource): Promise<string | null> {
  const chain = typeof source === 'string' ? verifyTape(source) : await verifyTape(source);
  if (!chain.ok && chain.firstBroken !== null) return `entry ${chain.firstBroken}: ${chain.problem}`;
  const { differences } = await replayTape(source);
  const [first] = differences;
  return first === undefined ? null : `entry ${first.seq} (${first.event}): ${first.what}`;
}
