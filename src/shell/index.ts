/**
 * What a shell command does: one reader for everything that judges commands. See reading.ts for what it says.
 */
export { isOnlyText } from './code/code-paths.ts';
export { patchNames } from './code/patch.ts';
export {
  CERTAINTIES,
  type Certainty,
  EFFECT_KINDS,
  type Effect,
  type EffectKind,
  type EffectPath,
  KINDS,
  ORIGINS,
  type Origin,
} from './effects/effect.ts';
export { effectText } from './effects/effect-text.ts';
export { effectsIn, effectsOf, statedKindsOf } from './effects/effects.ts';
export { isRehearsal } from './effects/rehearsal.ts';
export { PHRASES as EFFECT_PHRASES, sentencesFor } from './effects/sentences.ts';
export { sqlStatements } from './effects/sql-text.ts';
export {
  asRemotePath,
  inZone,
  type RunLocation,
  UNKNOWN_LOCATION,
  ZONE_NAMES,
  ZONES,
  type Zone,
  zoneOf,
} from './effects/zones.ts';
export { NO_COMMAND } from './no-command.ts';
export { KEY_OPTION } from './programs/roles.ts';
export { programsStarted, type StartedProgram, startedInText, startsOthers } from './programs/started.ts';
export { operandsLike, optionLike, wordLike } from './programs/words-like.ts';
export { readArgv, readCommand } from './read.ts';
export type {
  Command,
  CommandAssign,
  CommandCode,
  CommandInput,
  CommandPatch,
  CommandReading,
  CommandRedirect,
  CommandWord,
  ErrorKind,
  ReadError,
  ReadOptions,
} from './reading.ts';
export { readCached, weightOf } from './remembered.ts';
