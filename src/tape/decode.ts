/**
 * Entries as readers want them: a line leaves out what the tape has elsewhere (parts of a payload, the file of a hook), and
 * this puts it back. Entries go in in the order of the tape.
 */
import type { PolicyHook } from '../policy/index.ts';
import type { DecisionRecord, Entry, Fired, Header, HookPart, TapeRecord } from './entry.ts';
import { HookNames } from './hook-names.ts';
import { PayloadRestorer } from './payload-dedup.ts';

export class TapeDecoder {
  private readonly names: HookNames;
  private readonly payloads = new PayloadRestorer();
  /** The events of dispatches whose decision has not come. */
  private readonly open = new Map<number, string>();

  constructor({ policy }: Header) {
    this.names = new HookNames(policy.hooks);
  }

  decode(entry: Entry): Entry {
    const record = this.whole(entry.record);
    return record === entry.record ? entry : { ...entry, record };
  }

  private whole(record: TapeRecord): TapeRecord {
    switch (record.type) {
      case 'decision':
        return this.decision(record);
      case 'dispatch':
        this.open.set(record.dispatch, record.event);
        return this.restored(record);
      case 'session':
        if (record.kind === 'hook') this.names.add(record.data as unknown as PolicyHook);
        return record;
      case 'policy.changed':
        for (const hook of record.policy?.hooks ?? []) this.names.add(hook);
        return record;
      default:
        return record;
    }
  }

  private decision({ in: fired, out }: DecisionRecord): DecisionRecord {
    const event = 'event' in fired ? fired.event : (this.open.get(fired.dispatch) ?? '');
    this.open.delete(fired.dispatch);
    const hooks = out.hooks?.map((part) => this.sourced(part, event));
    return {
      in: 'event' in fired ? this.restored(fired) : fired,
      out: hooks === undefined ? out : { ...out, hooks },
      type: 'decision',
    };
  }

  private sourced(part: HookPart, event: string): HookPart {
    return part.source === undefined ? { ...part, ...this.names.read(event, part.hook) } : part;
  }

  /** As it is if what it builds on is not there. */
  private restored<F extends Fired>(fired: F): F {
    const payload = this.payloads.restore(fired);
    if (fired.same === undefined || payload === undefined) return fired;
    const { same: _same, ...rest } = fired;
    return { ...rest, payload } as unknown as F;
  }
}
