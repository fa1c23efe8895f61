/**
 * The names a hook's script may use beside those of the language, and the smaller set of a condition. Nothing that runs
 * commands, touches files or reads the machine is among them.
 */
import type { Value } from '../starlark/index.ts';
import { JSON_MODULE } from '../starlark/lib/json.ts';
import { MATH_MODULE } from '../starlark/lib/math.ts';
import { RE_MODULE } from '../starlark/lib/re.ts';
import { STRUCT } from '../starlark/lib/struct-builtin.ts';
import { TIME, UUID } from './builtins/clock.ts';
import { DECISIONS } from './builtins/decisions.ts';
import { BASE64, HASH } from './builtins/digest.ts';
import { EMIT, EVENTS } from './builtins/emit.ts';
import { HTTP } from './builtins/http.ts';
import { LOG } from './builtins/log.ts';
import { META } from './builtins/meta.ts';
import { METRICS } from './builtins/metrics.ts';
import { PATH, SECRETS, SHELL } from './builtins/shell.ts';
import { CACHE, CTX } from './builtins/store.ts';
import { STRING } from './builtins/text.ts';

/** Functions of their arguments alone. */
export const CONDITION_ENVIRONMENT: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['json', JSON_MODULE],
  ['re', RE_MODULE],
  ['string', STRING],
  ['shell', SHELL],
  ['path', PATH],
  ['secrets', SECRETS],
]);

export const HOOK_ENVIRONMENT: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...DECISIONS,
  ...CONDITION_ENVIRONMENT,
  ['math', MATH_MODULE],
  ['struct', STRUCT],
  ['hash', HASH],
  ['base64', BASE64],
  ['metrics', METRICS],
  ['log', LOG],
  ['cache', CACHE],
  ['ctx', CTX],
  ['http', HTTP],
  ['emit', EMIT],
  ['events', EVENTS],
  ['meta', META],
  ['time', TIME],
  ['uuid', UUID],
]);
