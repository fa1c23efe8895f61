/**
 * The power that a command hook asks for: its command line, and the files of the folder that it runs.
 */
import type { Program } from '../../base/host.ts';
import type { Power } from '../power.ts';
import { programFiles, shellWords } from '../power-files.ts';

export function programPower(dir: string, program: Program, source: string): Power {
  if ('script' in program) return power(program.script, [program.script]);
  if ('shell' in program) return power(program.shell, shellWords(program.shell));
  const words = program.argv.map((word) => JSON.stringify(word)).join(' ');
  return power(words, program.argv.flatMap(shellWords));

  function power(what: string, words: readonly string[]): Power {
    return { kind: 'program', what, source, root: dir, files: programFiles(dir, words) };
  }
}
