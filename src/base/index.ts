/** Errors, JSON, positioned trees, shapes, spelling, text, globs and patterns: pure. */
export { BoundedMap } from './bounded-map.ts';
export { fromBase64, latin1Of, toBase64 } from './bytes.ts';
export {
  type Canonical,
  CanonicalWriter,
  canonicalJson,
  canonicalWithOrder,
  type KeyOrder,
  restoreOrder,
} from './canonical-json.ts';
export { digestOf, sameSecret } from './digest.ts';
export { FOR_EVER_MS, LONGEST_TIMER_MS, readDuration } from './duration.ts';
export { ERRORS, type ErrorCode, HarnessError, type Problem } from './errors.ts';
export { findHidden, MOST_NAME, nameSpans } from './hidden-text.ts';
export { isJsonObject, type Json, type JsonObject, sameJson } from './json.ts';
export { jsonDifferences } from './json-difference.ts';
export { type JsonReading, MAX_PAYLOAD_NESTING, readJson } from './json-text.ts';
export { lateCrypto } from './late-crypto.ts';
export { lateRe2 } from './late-re2.ts';
export { expandBraces, sizeOfBraces, TOO_MANY_ALTERNATIVES } from './match/braces.ts';
export { compileGlob, type Glob, isLiteral, literalsIn } from './match/glob.ts';
export {
  compileParts,
  isDisk,
  isWithin,
  matchPath,
  normalForm,
  type PartsMatch,
  partMatches,
  partsOf,
} from './match/path-match.ts';
export { type Compiled, compileRegex } from './match/regex.ts';
export { mayMatch, requiredText } from './match/required-text.ts';
export { normalPath } from './normal-path.ts';
export { isPromise } from './promise.ts';
export { sha256Hex } from './sha256.ts';
export { Budget, SMALL_BUDGET } from './shape/budget.ts';
export { check, type Fault, isError, isOfKind, withoutUnknownKeys } from './shape/check.ts';
export {
  anything,
  described,
  dict,
  either,
  type Field,
  type Fields,
  flag,
  integer,
  list,
  map,
  mapOf,
  nullable,
  number,
  type ObjectOf,
  oneOf,
  optional,
  record,
  strictMap,
  type TypeOf,
  text,
  texts,
} from './shape/field.ts';
export { schemaDocument } from './shape/json-schema.ts';
export { expectationOf, hintFor, pathText } from './shape/words.ts';
export { formatPosition, type Position, type PositionMap, SourceFile } from './source.ts';
export { didYouMean, isSlip, nearest } from './spelling.ts';
export { clip, describeValue, head, kindOf, quote } from './text.ts';
export {
  isNothing,
  type ListNode,
  type MapEntry,
  type MapNode,
  mapNode,
  type ScalarNode,
  type ScalarStyle,
  type Tree,
  textAt,
  toData,
} from './tree.ts';
export { ENGINE, VERSION } from './version.ts';
export { hiddenIn, visible } from './visible.ts';
