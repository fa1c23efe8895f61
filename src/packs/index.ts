/** Rules that ship, and how a pack becomes hooks. */
export { exampleFaults, exampleSubjects } from './examples.ts';
export { type Exception, isExcepted, readException } from './exceptions.ts';
export { loadForeign, packDigest, packPlaces } from './foreign.ts';
export { lookingRules, matchesOf, type Pack, type Rule } from './pack.ts';
export { actionOf, PACK_PRIORITY, packHooks } from './pack-hooks.ts';
export { isShipped, shippedPacks, shippedShared } from './shipped.ts';
export { readForPacks, ToolCall, viewToolCall } from './tool-call.ts';
export {
  entriesOf,
  isForeign,
  resolveUse,
  USE_MODES,
  type UsedPack,
  type UseEntry,
  type UseMode,
  unknownName,
} from './use.ts';
