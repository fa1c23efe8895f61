/**
 * The names a hook's script may use beside those of the language, and the smaller set of a condition. Nothing that runs
 * commands, touches files or reads the machine is among them.
 */
import { JSON_MODULE, MATH_MODULE, RE_MODULE, STRUCT, type Value } from '../starlark/index.ts';
import { ANNOTATE } from './builtins/annotate.ts';
import { ASSERT } from './builtins/assert.ts';
import { RANDOM, TIME, UUID } from './builtins/clock.ts';
import { DATA } from './builtins/data.ts';
import { DECISIONS } from './builtins/decisions.ts';
import { BASE64, HASH } from './builtins/digest.ts';
import { EMIT, EVENTS } from './builtins/emit.ts';
import { FLOW } from './builtins/flow.ts';
import { URLS, VALIDATE } from './builtins/formats.ts';
import { HTTP } from './builtins/http.ts';
import { BUDGET, RATE } from './builtins/limits.ts';
import { LOG } from './builtins/log.ts';
import { META } from './builtins/meta.ts';
import { METRICS } from './builtins/metrics.ts';
import { OS } from './builtins/os.ts';
import { POLICY } from './builtins/policy.ts';
import { REMIND } from './builtins/remind.ts';
import { PATH, SECRETS, SHELL } from './builtins/shell.ts';
import { STATE } from './builtins/state.ts';
import { CACHE, CTX } from './builtins/store.ts';
import { STRING } from './builtins/text.ts';
import { ACTOR, CALLER } from './builtins/who.ts';

/** Functions of their arguments alone, and who is behind the event. */
export const CONDITION_ENVIRONMENT: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['json', JSON_MODULE],
  ['re', RE_MODULE],
  ['string', STRING],
  ['shell', SHELL],
  ['path', PATH],
  ['secrets', SECRETS],
  ['actor', ACTOR],
  ['caller', CALLER],
  ['data', DATA],
]);

export const HOOK_BUILTINS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...DECISIONS,
  ...CONDITION_ENVIRONMENT,
  ['math', MATH_MODULE],
  ['struct', STRUCT],
  ['hash', HASH],
  ['base64', BASE64],
  ['remind', REMIND],
  ['metrics', METRICS],
  ['log', LOG],
  ['annotate', ANNOTATE],
  ['state', STATE],
  ['flow', FLOW],
  ['rate', RATE],
  ['budget', BUDGET],
  ['cache', CACHE],
  ['ctx', CTX],
  ['http', HTTP],
  ['emit', EMIT],
  ['events', EVENTS],
  ['meta', META],
  ['policy', POLICY],
  ['os', OS],
  ['time', TIME],
  ['uuid', UUID],
  ['random', RANDOM],
  ['url', URLS],
  ['validate', VALIDATE],
  ['assert', ASSERT],
]);

/** What shared code may use: functions of their arguments alone. */
export const LIBRARY_ENVIRONMENT: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['json', JSON_MODULE],
  ['re', RE_MODULE],
  ['string', STRING],
  ['shell', SHELL],
  ['path', PATH],
  ['secrets', SECRETS],
  ['math', MATH_MODULE],
  ['struct', STRUCT],
  ['hash', HASH],
  ['base64', BASE64],
]);

/** What belongs to guards: a tool, or a hook's helper that tools call, has no part in it. */
export const GUARD_NAMES: ReadonlySet<string> = new Set([
  ...DECISIONS.keys(),
  'annotate',
  'flow',
  'state',
  'rate',
  'budget',
]);
