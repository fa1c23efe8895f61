/** Which rule of a pack said it. */
import { notedRule } from '../engine/index.ts';
import type { Turn } from '../tape/index.ts';

/** Empty if the tape does not say, null if none did. */
export function ruleOf({ hook, end }: Turn): string | null {
  const { result, effects = [] } = end?.record ?? {};
  if (!hook.startsWith('pack:') || (result !== 'block' && result !== 'ask')) return null;
  return effects.map(notedRule).find((rule) => rule !== null) ?? '';
}
