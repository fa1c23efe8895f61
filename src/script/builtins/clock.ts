/**
 * `time` and `uuid()`: read from the host, so that a recorded run replays them.
 */
import { builtin } from '../../starlark/index.ts';
import { makeTimeModule } from '../../starlark/lib/time.ts';
import { reach } from './reach.ts';

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

export const TIME = makeTimeModule((thread) => {
  return BigInt(Math.trunc(reach(thread).host.now())) * NANOSECONDS_PER_MILLISECOND;
});

export const UUID = builtin('uuid', '', (thread) => reach(thread).host.uuid(), { pure: false });
