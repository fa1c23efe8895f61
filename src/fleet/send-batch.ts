/** One batch of one tape: sent, and the answer read. An acknowledgement counts only for the lines that were sent. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { canonicalJson, HarnessError } from '../base/index.ts';
import { type BytesResponse, systemUser } from '../machine/index.ts';
import { hashLine, readSignedHead, type SignedHead } from '../tape/index.ts';
import { errorOf, type HubClient } from './client.ts';
import type { OutboxTape, Position } from './outbox.ts';
import { FOLDER_HEADER, type HubTape, OWNER_HEADER, SIGNED_HEADER, tapePath } from './protocol.ts';

const compress = promisify(gzip);
/** Brotli is no smaller when it is as quick, and costs the hub three times as much to unpack. */
const QUICK = { level: 1 };

export interface Outgoing {
  readonly tape: OutboxTape;
  /** The line before the first. */
  readonly after: Position;
  /** Whole lines with their ends; empty to send only a signed head. */
  readonly lines: Buffer;
  /** The number of a branch to open. */
  readonly branch: number | null;
  readonly signed: SignedHead | null;
}

export type Answer =
  | { readonly kind: 'stored'; readonly at: Position; readonly branch: number }
  | { readonly kind: 'position'; readonly hub: HubTape }
  /** `entry` is the one that breaks the chain, if that is why. */
  | { readonly kind: 'refused'; readonly problem: string; readonly entry: number | null };

/** Throws FLEET_UNREACHABLE, and FLEET_REFUSED if the answer is not one of a hub. */
export async function sendBatch(client: HubClient, outgoing: Outgoing): Promise<Answer> {
  const { tape, after, lines, branch, signed } = outgoing;
  const opens = branch === null ? '' : `&branch=${branch}`;
  const body = lines.length === 0 ? lines : await compress(lines, QUICK);
  const response = await client.send(`${tapePath(tape.place, tape.session)}?from=${after.seq + 1}${opens}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(body.length),
      [FOLDER_HEADER]: encodeURIComponent(tape.folder.slice(0, 1000)),
      [OWNER_HEADER]: encodeURIComponent(systemUser() ?? ''),
      ...(signed !== null && { [SIGNED_HEADER]: headerOf(signed) }),
    },
  });
  if (response.status === 200) return acknowledged(outgoing, hubTapeOf(response));
  if (response.status === 409) return { kind: 'position', hub: hubTapeOf(response) };
  const { entry } = jsonOf(response) as { entry?: unknown };
  const problem = `${errorOf(response)} (${response.status})`;
  return { kind: 'refused', problem, entry: typeof entry === 'number' ? entry : null };
}

/** Null if there is none, or none that can be read. */
export function signedHeadOf(file: string): SignedHead | null {
  const signed = readSignedHead(file);
  return typeof signed === 'string' ? null : signed;
}

function headerOf(signed: SignedHead): string {
  return Buffer.from(`${canonicalJson(signed)}\n`).toString('base64');
}

function acknowledged({ after, lines }: Outgoing, hub: HubTape): Answer {
  const at = lines.length === 0 ? after : lastOf(after, lines);
  if (hub.next !== at.seq + 1 || hub.head !== at.head) throw notOfHub('an acknowledgement of other lines');
  return { kind: 'stored', at, branch: hub.branch };
}

/** The last of the lines that follow a position. */
function lastOf(after: Position, lines: Buffer): Position {
  let seq = after.seq;
  for (let at = lines.indexOf(10); at !== -1; at = lines.indexOf(10, at + 1)) seq++;
  const start = lines.length < 2 ? 0 : lines.lastIndexOf(10, lines.length - 2) + 1;
  const head = hashLine(lines.subarray(start, lines.length - 1));
  return { seq, head, start: after.end + start, end: after.end + lines.length };
}

/** A proxy or another server may answer in the hub's place. */
function hubTapeOf(response: BytesResponse): HubTape {
  const tape = jsonOf(response) as Partial<HubTape>;
  const sound =
    Number.isSafeInteger(tape.next) && Number.isSafeInteger(tape.branch) && typeof tape.head === 'string';
  if (!sound) throw notOfHub(`status ${response.status} without a position`);
  return tape as HubTape;
}

function jsonOf({ body }: BytesResponse): object {
  try {
    return (JSON.parse(body.toString('utf8')) as object | null) ?? {};
  } catch {
    return {};
  }
}

function notOfHub(what: string): HarnessError {
  return new HarnessError(
    'FLEET_REFUSED',
    `the answer is not one of a hub: ${what}. Check the address with \`harness fleet status\``,
  );
}
