/**
 * The capability that a command hook asks for: its command line, and the files of the folder that it runs.
 */

import type { FolderSnapshot } from '../../files/index.ts';
import type { Program } from '../../machine/index.ts';
import type { Capability } from '../capability.ts';
import { programFiles, shellWords } from '../capability-files.ts';

export function programCapability(
  snapshot: FolderSnapshot,
  dir: string,
  program: Program,
  source: string,
): Capability {
  if ('script' in program) return capability(program.script, [program.script]);
  if ('shell' in program) return capability(program.shell, shellWords(program.shell));
  const words = program.argv.map((word) => JSON.stringify(word)).join(' ');
  return capability(words, program.argv.flatMap(shellWords));

  function capability(what: string, words: readonly string[]): Capability {
    return { kind: 'program', what, source, root: dir, files: programFiles(snapshot, dir, words) };
  }
}
