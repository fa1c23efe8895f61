/**
 * The engine of regular expressions, loaded with the first pattern: that takes longer than most scripts run, and most runs of
 * the command line meet none.
 */
import type * as Engine from 're2js';

let engine: typeof Engine | null = null;

export function lateRe2(): typeof Engine {
  if (engine !== null) return engine;
  try {
    // In a CommonJS bundle this is the copy that the bundler has put in.
    return (engine = require('re2js'));
  } catch {
    // In a module there is no such function, or only one that refuses.
    return (engine = process.getBuiltinModule('node:module').createRequire(import.meta.url)('re2js'));
  }
}
