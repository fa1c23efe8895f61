/**
 * A script for the scripted model, from its YAML. Strict: a key that is not one and a value of another type are errors
 * with their place, so that a story cannot silently tell something else than was written.
 */
import type { Problem } from '../../base/errors.ts';
import type { Script } from './scripted.ts';

export type ParsedScript =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `file` is what problems call it. */
export declare function parseScript(text: string, file: string): ParsedScript;
