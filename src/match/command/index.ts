/**
 * What a shell command does: one reader for everything that judges commands. See reading.ts for what it says.
 */
export { isSpokenOf } from './code/code-paths.ts';
export { patchNames } from './code/patch.ts';
export { KEY_OPTION } from './programs/uses.ts';
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
export { readRemembered, weightOf } from './remembered.ts';
