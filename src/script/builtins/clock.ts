/**
 * `time`, `uuid()` and `random()`: read from the host, so that a recorded run replays them.
 */
import { builtin, fail, makeTimeModule, type Value, wantSmallInt } from '../../starlark/index.ts';
import { CallableModule } from './callable-module.ts';
import { scriptCallOf } from './reach.ts';

const IMPURE = { pure: false };

export const TIME = makeTimeModule((thread) => Math.trunc(scriptCallOf(thread).host.now()));

export const UUID = new CallableModule(
  'uuid',
  '',
  (thread) => scriptCallOf(thread).host.uuid(),
  IMPURE,
  new Map<string, Value>([
    ['v4', builtin('uuid.v4', '', (thread) => scriptCallOf(thread).host.uuid(), IMPURE)],
  ]),
);

/** What varies in an id is enough for any whole number. */
const DIGITS = 12;

export const RANDOM = builtin(
  'random',
  'min, max',
  (thread, min, max) => {
    const [low, high] = [wantSmallInt('random', 'min', min), wantSmallInt('random', 'max', max)];
    if (low >= high) fail('random: for parameter max: want more than min');
    const drawn = Number.parseInt(scriptCallOf(thread).host.uuid().replaceAll('-', '').slice(-DIGITS), 16);
    return low + (drawn % (high - low + 1));
  },
  IMPURE,
);
