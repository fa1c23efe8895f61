/** One native call decided by the policy; what its hooks leave open is put to people elsewhere. */
import { decideNative, type Decided as Judged, type NativeCall } from '../agents/index.ts';
import type { Json } from '../base/index.ts';
import type { Engine, Outcome } from '../engine/index.ts';
import type { RemoteApproval } from './ask-elsewhere.ts';

export interface Decided extends Judged {
  /** Questions that nobody has answered yet, by their ids. */
  readonly open: readonly string[];
}

/** `elsewhere` is opened for the first ask that hooks leave open. */
export async function decideCall(
  engine: Engine,
  call: NativeCall,
  elsewhere: () => Promise<RemoteApproval | null>,
): Promise<Decided> {
  const open: string[] = [];
  const fire = async (event: string, payload: Json): Promise<Outcome> =>
    engine.decide<string>(event, payload);
  const decided = await decideNative(fire, call, engine.run.session, async (question) => {
    const asked = (await (await elsewhere())?.(question)) ?? { open: null };
    if (!('open' in asked)) return asked;
    if (asked.open !== null) open.push(asked.open);
    return null;
  });
  return { ...decided, open };
}
