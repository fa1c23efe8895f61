/**
 * The self-check of a backtest: a tape proves something only if it is what was written, and if its own decisions come out of its
 * own records once more.
 */
import { canonicalJson } from '../../base/index.ts';
import type { PolicyHook } from '../../policy/index.ts';
import { contentsOf } from '../contents.ts';
import type { Header } from '../entry.ts';
import type { Recorded, RecordedFeed } from '../recorded.ts';
import { Replay } from '../replay.ts';
import type { StoredTape, TapeSource } from '../store.ts';
import { type ProvingLines, proveLines } from '../verify.ts';

/** The check of one tape that the backtest reads, line by line: what is read for one purpose is not read again for the other. */
export class TapeCheck {
  private readonly chain: ProvingLines;
  private readonly replay: Replay;
  private unbroken = true;
  private readonly candidate: ChainTexts;
  /** The policy on the tape, while it is the one that the tape began with. */
  private recorded: ChainTexts | null = null;

  constructor(tape: StoredTape, source: TapeSource, candidate: ChainTexts) {
    this.chain = proveLines(tape);
    this.replay = new Replay(tape.name, {}, contentsOf(source));
    this.candidate = candidate;
  }

  line(bytes: Buffer, whole: boolean): void {
    if (this.unbroken) this.unbroken = this.chain.add(bytes, whole);
  }

  begin(header: Header, feed: RecordedFeed): void {
    this.recorded = chainTexts(header.policy.hooks);
    this.replay.begin(header, feed);
  }

  /**
   * `isSame`: the candidate decided it as it is on the tape, to the byte. If the chains are alike, its own records bring it about too:
   * what each hook said and what became of it is in those bytes. Once a difference is found, the rest does not matter.
   */
  take(recorded: Recorded, isSame: boolean): Promise<void> | null {
    if (recorded.kind === 'hook' || recorded.kind === 'policy') this.recorded = null;
    if (this.replay.differences.length > 0) return null;
    if (isSame && recorded.kind === 'dispatch' && this.isAlike(recorded.dispatch.fired.event)) return null;
    return this.replay.take(recorded);
  }

  private isAlike(event: string): boolean {
    return this.recorded !== null && this.recorded.get(event) === this.candidate.get(event);
  }

  end(): string | null {
    const { firstBroken, problem, ok } = this.chain.verdict();
    if (!ok && firstBroken !== null) return `entry ${firstBroken}: ${problem}`;
    const [first] = this.replay.differences;
    return first === undefined ? null : `entry ${first.seq} (${first.event}): ${first.what}`;
  }
}

/** The chain of each event as text, without what is in the files of its hooks: what a hook said is on the tape. */
export type ChainTexts = ReadonlyMap<string, string>;

export function chainTexts(rows: readonly PolicyHook[]): ChainTexts {
  const texts = new Map<string, string>();
  for (const row of rows) {
    const before = texts.get(row.event) ?? '';
    texts.set(row.event, `${before}${canonicalJson({ ...row, digest: null })}\n`);
  }
  return texts;
}
