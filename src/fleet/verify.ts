/**
 * Proves that the hub has the tapes of this machine: the hub's bytes are fetched, their chain is proven here, and they are compared
 * with the file. Nothing the hub says about itself is believed.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { linkOf, type ProvingPart, proveOn } from '../tape/index.ts';
import { errorOf, type HubClient } from './client.ts';
import { linesAfter, type OutboxTape } from './outbox.ts';
import { type HubTape, tapePath } from './protocol.ts';

export interface FleetVerification {
  readonly session: string;
  /** Null if the machine no longer has the tape. */
  readonly file: string | null;
  readonly ok: boolean;
  /** Entries that the hub has and that were proven. */
  readonly entries: number;
  /** Entries of the file that the hub does not have yet. */
  readonly missing: number;
  readonly problem: string | null;
}

/** Tapes of the outbox, then tapes that only the hub has. */
export async function* verifyTapes(
  client: HubClient,
  outbox: readonly OutboxTape[],
  hubTapes: readonly HubTape[],
): AsyncGenerator<FleetVerification> {
  const key = ({ place, session }: { place: string; session: string }) => `${place}/${session}`;
  const known = new Map(hubTapes.map((tape) => [key(tape), tape]));
  for (const tape of outbox) {
    const hub = known.get(key(tape));
    known.delete(key(tape));
    yield await verifyOne(client, tape.session, tape.place, tape.file, hub ?? null);
  }
  for (const hub of known.values()) yield await verifyOne(client, hub.session, hub.place, null, hub);
}

async function verifyOne(
  client: HubClient,
  session: string,
  place: string,
  file: string | null,
  hub: HubTape | null,
): Promise<FleetVerification> {
  const result = (entries: number, missing: number, problem: string | null): FleetVerification => ({
    ...{ session, file, entries, missing, problem },
    ok: problem === null && missing === 0,
  });
  if (hub === null) return result(0, file === null ? 0 : Math.max(0, linesAfter(file, 0) - 1), null);
  const received = new Received();
  const response = await client.send(`${tapePath(place, session)}?branch=${hub.branch}`, {
    method: 'GET',
    body: null,
    sink: (piece, headers) => received.add(piece, Number(headers['x-harness-from'] ?? 0)),
  });
  if (response.status !== 200) return result(0, 0, errorOf(response));
  const { problem, next } = received.finish();
  const entries = Math.max(0, next - 1);
  if (problem !== null) return result(entries, 0, `the hub's copy is broken: ${problem}`);
  if (file === null || !existsSync(file)) return result(entries, 0, null);
  const end = compareFile(file, received);
  if (end === null)
    return result(entries, 0, 'the file differs from what the hub has: one of them was changed');
  return result(entries, linesAfter(file, end), null);
}

/** The hub's lines on their way in: proven and hashed, never stored. */
class Received {
  /** Of the first line. */
  from = 0;
  private proving: ProvingPart | null = null;
  private rest = Buffer.alloc(0);
  private seq = 0;
  private readonly hash = createHash('sha256');
  bytes = 0;

  add(piece: Buffer, from: number): void {
    this.hash.update(piece);
    this.bytes += piece.length;
    const all = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    let start = 0;
    for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10, start)) {
      this.addLine(all.subarray(start, end), from);
      start = end + 1;
    }
    this.rest = Buffer.from(all.subarray(start));
  }

  private addLine(line: Buffer, from: number): void {
    if (this.proving === null) {
      this.from = from;
      this.seq = from;
      // After retention the chain begins at the first line that is left.
      const prev = linkOf(line)?.prev ?? '';
      this.proving = proveOn(from === 0 ? null : { seq: from - 1, head: prev });
    }
    this.proving.add(line);
    this.seq++;
  }

  finish(): { readonly problem: string | null; readonly next: number } {
    const part = this.proving?.result();
    const torn = this.rest.length > 0 ? 'its last line is not whole' : null;
    const broken = part?.broken ? `entry ${part.broken.at} ${part.broken.what}` : null;
    return { problem: broken ?? torn, next: this.seq };
  }

  digest(): string {
    return this.hash.digest('hex');
  }
}

/** Where the file goes on after the hub's bytes; null if its bytes there are others. */
function compareFile(file: string, received: Received): number | null {
  const handle = openSync(file, 'r');
  try {
    let at = received.from === 0 ? 0 : startOfLine(handle, received.from);
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(256 * 1024);
    for (let left = received.bytes; left > 0; ) {
      const read = readSync(handle, buffer, 0, Math.min(left, buffer.length), at);
      if (read === 0) return null;
      hash.update(buffer.subarray(0, read));
      left -= read;
      at += read;
    }
    return hash.digest('hex') === received.digest() ? at : null;
  } finally {
    closeSync(handle);
  }
}

function startOfLine(handle: number, line: number): number {
  const buffer = Buffer.alloc(256 * 1024);
  let [at, count] = [0, 0];
  for (;;) {
    const read = readSync(handle, buffer, 0, buffer.length, at);
    if (read === 0) return at;
    for (let i = buffer.indexOf(10); i !== -1 && i < read; i = buffer.indexOf(10, i + 1))
      if (++count === line) return at + i + 1;
    at += read;
  }
}
