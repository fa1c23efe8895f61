/**
 * `time` and `uuid()`: read from the host, so that a recorded run replays them.
 */
import { builtin } from '../../starlark/index.ts';
import { makeTimeModule } from '../../starlark/lib/time.ts';
import { reach } from './reach.ts';

export const TIME = makeTimeModule((thread) => Math.trunc(reach(thread).host.now()));

export const UUID = builtin('uuid', '', (thread) => reach(thread).host.uuid(), { pure: false });
