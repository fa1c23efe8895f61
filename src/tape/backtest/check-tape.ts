/**
 * The self-check of a backtest: a tape proves something only if it is what was written, and if its own decisions come out of its
 * own records once more.
 */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { PolicyHook } from '../../policy/policy-digest.ts';
import { contentsOf } from '../contents.ts';
import type { Header } from '../entry.ts';
import type { Recorded, RecordedFeed } from '../recorded.ts';
import { Replay } from '../replay.ts';
import type { StoredTape, TapeSource } from '../store.ts';
import { type ProvingLines, proveLines } from '../verify.ts';

/** The check of one tape that somebody reads, line by line: what is read for one purpose is not read again for the other. */
export class TapeCheck {
  private readonly chain: ProvingLines;
  private readonly replay: Replay;
  /** What the replay has to hear before its first decision; null once it has begun. Most tapes need none. */
  private unheard: (() => Promise<void> | null)[] | null = [];
  private unbroken = true;
  /** Hooks of the candidate, and of the policy on the tape while that is the one it began with; by event. */
  private readonly candidate: RowsByEvent;
  private recorded: RowsByEvent | null = null;
  private readonly alike = new Map<string, boolean>();

  constructor(tape: StoredTape, source: TapeSource, candidate: RowsByEvent) {
    this.chain = proveLines(tape);
    this.replay = new Replay(tape.name, {}, contentsOf(source));
    this.candidate = candidate;
  }

  line(bytes: Buffer, whole: boolean): void {
    if (this.unbroken) this.unbroken = this.chain.add(bytes, whole);
  }

  begin(header: Header, feed: RecordedFeed): void {
    this.recorded = rowsByEvent(header.policy.hooks);
    this.unheard!.push(() => {
      this.replay.begin(header, feed);
      return null;
    });
  }

  /**
   * `again`: it was decided once more, and what came of it is what the tape has, to the byte. If hooks of the same shape did that,
   * its own records bring it about too: what each said and what became of it is in those bytes. Once a difference is found, the rest does not matter.
   */
  take(recorded: Recorded, again = false): Promise<void> | null {
    if (recorded.kind === 'hook' || recorded.kind === 'policy') this.recorded = null;
    if (this.replay.differences.length > 0) return null;
    if (again && recorded.kind === 'dispatch' && this.isAlike(recorded.dispatch.fired.event)) return null;
    if (recorded.kind === 'dispatch') {
      for (const hear of this.unheard ?? []) hear();
      this.unheard = null;
    }
    if (this.unheard === null) return this.replay.take(recorded);
    this.unheard.push(() => this.replay.take(recorded));
    return null;
  }

  end(): string | null {
    const { firstBroken, problem, ok } = this.chain.verdict();
    if (!ok && firstBroken !== null) return `entry ${firstBroken}: ${problem}`;
    const [first] = this.replay.differences;
    return first === undefined ? null : `entry ${first.seq} (${first.event}): ${first.what}`;
  }

  private isAlike(event: string): boolean {
    if (this.recorded === null) return false;
    const known = this.alike.get(event);
    if (known !== undefined) return known;
    const alike =
      canonicalJson(this.recorded.get(event) ?? []) === canonicalJson(this.candidate.get(event) ?? []);
    this.alike.set(event, alike);
    return alike;
  }
}

type RowsByEvent = ReadonlyMap<string, readonly PolicyHook[]>;

/** Without what is in their files: what a hook said is on the tape. */
export function rowsByEvent(rows: readonly PolicyHook[]): RowsByEvent {
  const found = new Map<string, PolicyHook[]>();
  for (const row of rows) {
    const own = found.get(row.event) ?? [];
    own.push({ ...row, digest: null });
    found.set(row.event, own);
  }
  return found;
}
