/**
 * What a policy says about the record of a run, as options of its tape: for every host that writes one.
 */
import type { TapeSettings } from '../policy/index.ts';
import type { OpenTapeOptions } from './open-tape.ts';
import { readSigningKey } from './sign.ts';

/** So many entries at most are not covered by a signature while a run goes on. */
const SIGN_EVERY = 100;

/**
 * `sign` is the file of a key, and comes before that of the settings. Throws TAPE_KEY if it cannot be read: an unsigned tape is
 * not what was asked for.
 */
export function tapeOptions(
  { payloads, sync, key }: TapeSettings,
  sign: string | undefined = key ?? undefined,
): Pick<OpenTapeOptions, 'payloads' | 'acknowledge' | 'sign'> {
  return {
    payloads,
    ...(sync && { acknowledge: 'synced' as const }),
    ...(sign !== undefined && { sign: { key: readSigningKey(sign), every: SIGN_EVERY } }),
  };
}
