/** One native call decided by the policy; what its hooks leave open is put to people elsewhere. */
import type { NativeCall } from '../../adapters/adapter.ts';
import { decideNative, type Decided as Judged } from '../../adapters/decide-native.ts';
import type { Json } from '../../base/json.ts';
import type { Outcome } from '../../events/decision.ts';
import type { Engine } from '../../hooks/engine.ts';
import type { Elsewhere } from './ask-elsewhere.ts';

export interface Decided extends Judged {
  /** Questions that nobody has answered yet, by their ids. */
  readonly open: readonly string[];
}

/** `elsewhere` is opened for the first ask that hooks leave open. */
export async function decideCall(
  engine: Engine,
  call: NativeCall,
  elsewhere: () => Promise<Elsewhere | null>,
): Promise<Decided> {
  const open: string[] = [];
  const fire = async (event: string, payload: Json): Promise<Outcome> =>
    engine.decide<string>(event, payload);
  const decided = await decideNative(fire, call, async (outcome, reason) => {
    const asked = (await (await elsewhere())?.(outcome, reason)) ?? { open: null };
    if (!('open' in asked)) return asked;
    if (asked.open !== null) open.push(asked.open);
    return null;
  });
  return { ...decided, open };
}
