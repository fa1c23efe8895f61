/**
 * The last answer to a question that is asked again and again. The same bytes under another id are the same answer and are not
 * read a second time: a list of tools is long.
 */
import { type Message, type MessageId, readMessage } from './message.ts';

interface ShownAnswer {
  readonly before: Buffer;
  readonly after: Buffer;
  readonly message: Message;
}

export class RepeatedAnswer {
  private known: ShownAnswer | null = null;

  /** What these bytes say if they are the last answer with this id in the place of its own; otherwise null. */
  again(line: Buffer, id: MessageId): Message | null {
    if (this.known === null) return null;
    const { before, after, message } = this.known;
    const written = JSON.stringify(id);
    const end = before.length + written.length;
    const same =
      line.length === end + after.length &&
      line.subarray(0, before.length).equals(before) &&
      line.subarray(end).equals(after) &&
      line.toString('latin1', before.length, end) === written;
    return same ? { ...message, id } : null;
  }

  /** `message` is what was read from `line`. */
  keep(line: Buffer, message: Message): void {
    const written = JSON.stringify(message.id);
    const at = line.indexOf(written);
    this.known = null;
    if (at === -1 || line.indexOf(written, at + 1) !== -1) return;
    const [before, after] = [line.subarray(0, at), line.subarray(at + written.length)];
    // Only where another id in that place is the id of the message, and nothing else in it.
    const probed = readMessage(Buffer.concat([before, PROBE, after]));
    if (probed.ok && probed.message.id === PROBE_ID) this.known = { before, after, message };
  }
}

const PROBE_ID = 'probe';
const PROBE = Buffer.from(JSON.stringify(PROBE_ID));
