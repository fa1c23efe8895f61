/**
 * One pass over the outbox: every tape is sent on from where the hub stands, until the hub has all of it. A tape that the hub
 * refuses is put aside with the reason, and the others go on.
 */
import { HarnessError } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import {
  type Acknowledged,
  type AcknowledgedFiles,
  outboxOf,
  readAcknowledged,
  saveAcknowledged,
  type TapeProblem,
} from './acknowledged.ts';
import type { HubClient } from './client.ts';
import type { Enrolled } from './enrolment.ts';
import {
  BEFORE_HEADER,
  confirmedSize,
  findLine,
  isAt,
  type OutboxTape,
  type Position,
  readBatchOf,
  startOfEntry,
} from './outbox.ts';
import type { HubTape } from './protocol.ts';
import { sendBatch, signedHeadOf } from './send-batch.ts';

export interface Shipped {
  tapes: number;
  entries: number;
  bytes: number;
  readonly problems: TapeProblem[];
}

export interface PassOptions {
  readonly enrolled: Enrolled;
  readonly client: HubClient;
  readonly host: Pick<Host, 'now' | 'env'>;
  /** Sizes of the pass before, by file. */
  readonly sizes: Map<string, number>;
  /** Ask the hub where it stands with every tape, instead of trusting what was acknowledged here. */
  readonly reconcile: boolean;
  readonly onProgress?: (shipped: Shipped, tape: OutboxTape) => void;
}

/** Where the hub stands with a tape. */
type Stand = Pick<HubTape, 'next' | 'head' | 'branch'>;

const NOTHING: Stand = { next: 0, head: '', branch: 0 };

/** A tape whose position changes that often in one pass is left to the next. */
const MOST_TURNS = 6;

/** Throws FLEET_UNREACHABLE or FLEET_REFUSED; what was acknowledged until then is remembered. */
export async function shipPass(options: PassOptions): Promise<Shipped> {
  const { enrolled, client, host, sizes, reconcile } = options;
  const files = readAcknowledged(enrolled);
  const shipped: Shipped = { tapes: 0, entries: 0, bytes: 0, problems: [] };
  const stands = reconcile ? new Map((await client.tapes()).map((tape) => [keyOf(tape), tape])) : null;
  const outbox = outboxOf(host);
  const present = new Set(outbox.map(({ file }) => file));
  for (const file of Object.keys(files)) if (!present.has(file)) delete files[file];
  try {
    for (const tape of outbox) {
      const limit = confirmedSize(tape, sizes.get(tape.file) ?? 0, host.now());
      sizes.set(tape.file, tape.size);
      const stand = stands === null ? undefined : (stands.get(keyOf(tape)) ?? NOTHING);
      try {
        await new TapeShipment(options, files, shipped, tape, limit).run(stand);
      } catch (thrown) {
        if (thrown instanceof HarnessError && thrown.code.startsWith('FLEET_')) throw thrown;
        // The file was removed or cannot be read: the others go on.
        shipped.problems.push({ file: tape.file, problem: (thrown as Error).message });
      }
    }
  } finally {
    saveAcknowledged(enrolled, files);
  }
  return shipped;
}

function keyOf({ place, session }: { readonly place: string; readonly session: string }): string {
  return `${place}/${session}`;
}

/** A position in the file, and what the hub calls it. */
interface At extends Position {
  readonly branch: number;
  readonly signed: number;
  /** The file does not have the hub's last line: the next batch opens this branch. */
  readonly forks: boolean;
}

class TapeShipment {
  private readonly options: PassOptions;
  private readonly files: AcknowledgedFiles;
  private readonly shipped: Shipped;
  private readonly tape: OutboxTape;
  private readonly limit: number;
  private readonly known: Acknowledged | undefined;
  private counted = false;

  constructor(
    options: PassOptions,
    files: AcknowledgedFiles,
    shipped: Shipped,
    tape: OutboxTape,
    limit: number,
  ) {
    this.options = options;
    this.files = files;
    this.shipped = shipped;
    this.tape = tape;
    this.limit = limit;
    const known = files[tape.file];
    this.known = known?.ino === tape.ino ? known : undefined;
  }

  /** `stand` is what the hub says; without it, what was acknowledged here counts. */
  async run(stand?: Stand): Promise<void> {
    if (this.isDone(stand)) return;
    const { known, tape } = this;
    let at = this.placeOf(stand ?? (known === undefined ? NOTHING : { ...known, next: known.seq + 1 }));
    /** Only what stands before a broken entry is sent. */
    let before: number | null = null;
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      const lines = readBatchOf(tape.file, at.end, Math.min(this.limit, before ?? this.limit));
      const signed = signedHeadOf(tape.file);
      const onlySigned = signed !== null && signed.entries > at.signed && signed.entries === at.seq;
      if (lines.length === 0 && !onlySigned) {
        if (before === null) return this.remember(at);
        // The hub has what stands before the broken entry, and hears about the entry itself once more.
        before = null;
        continue;
      }
      const branch = at.forks ? at.branch : null;
      const answer = await sendBatch(this.options.client, { tape, after: at, lines, branch, signed });
      if (answer.kind === 'stored') {
        const covered = Math.min(signed?.entries ?? 0, answer.at.seq);
        const next: At = {
          ...answer.at,
          branch: answer.branch,
          signed: Math.max(at.signed, covered),
          forks: false,
        };
        this.count(at, next);
        at = next;
        turns = -1;
        continue;
      }
      if (answer.kind === 'position') {
        at = this.placeOf(answer.hub, true);
        continue;
      }
      const { entry, problem } = answer;
      if (entry === null || entry <= at.seq + 1 || before !== null) return this.putAside(at, problem);
      before = startOfEntry(tape.file, at, entry);
    }
    const problem = 'its position at the hub keeps changing; the next pass tries again';
    this.shipped.problems.push({ file: tape.file, problem });
  }

  private isDone(stand: Stand | undefined): boolean {
    const { known, tape, limit } = this;
    if (known === undefined) return false;
    if (known.problem !== undefined && known.problemSize === tape.size && stand === undefined) return true;
    // A file that is shorter than what was acknowledged has lost lines.
    if (known.end < limit || tape.size < known.end) return false;
    if ((signedHeadOf(tape.file)?.entries ?? 0) > known.signed) return false;
    if (stand === undefined) return true;
    return known.seq === stand.next - 1 && known.head === stand.head && isAt(tape.file, known);
  }

  /** Where the hub stands in this file. A file that does not have the hub's last line begins a new branch. */
  private placeOf({ next, head, branch }: Stand, search = false): At {
    const { known, tape } = this;
    const cached = !search && known?.seq === next - 1 && known.head === head && isAt(tape.file, known);
    const found = cached ? known : findLine(tape.file, next - 1, head);
    if (found === null) return { ...BEFORE_HEADER, branch: branch + 1, signed: 0, forks: true };
    const { seq, start, end } = found;
    return { seq, head, start, end, branch, signed: cached ? known.signed : 0, forks: false };
  }

  private count(from: At, to: At): void {
    const { shipped } = this;
    // The header is no entry.
    shipped.entries += to.seq - Math.max(0, from.seq);
    shipped.bytes += to.end - from.end;
    if (!this.counted) shipped.tapes++;
    this.counted = true;
    this.remember(to);
    this.options.onProgress?.(shipped, this.tape);
  }

  private remember({ seq, head, start, end, branch, signed }: At): void {
    this.files[this.tape.file] = { seq, head, start, end, branch, signed, ino: this.tape.ino };
  }

  private putAside(at: At, problem: string): void {
    const { file, size } = this.tape;
    this.remember(at);
    this.files[file] = { ...this.files[file]!, problem, problemSize: size };
    this.shipped.problems.push({ file, problem });
  }
}
