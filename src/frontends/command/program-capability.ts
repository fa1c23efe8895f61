/**
 * The capability that a command hook asks for: its command line, and the files of the folder that it runs.
 */

import type { FolderSnapshot } from '../../files/index.ts';
import type { Program } from '../../machine/index.ts';
import type { Capability } from '../capability.ts';
import { programFiles } from '../capability-files.ts';
import { lineWords, shellWords } from '../command-line.ts';

export function programCapability(
  snapshot: FolderSnapshot,
  dir: string,
  program: Program,
  source: string,
): Capability {
  if ('script' in program) return capability(program.script, [program.script]);
  if ('shell' in program) return ofLines(program.shell, [program.shell]);
  const what = program.argv.map((word) => JSON.stringify(word)).join(' ');
  // `sh -c LINE`; other arguments are handed on as they are.
  if (program.argv.some((word) => /^-\w*c$/.test(word))) return ofLines(what, program.argv);
  return capability(what, program.argv.flatMap(shellWords));

  function ofLines(what: string, lines: readonly string[]): Capability {
    const read = lines.map(lineWords);
    const unknown = read.find((line) => line.unknown !== null)?.unknown;
    const known = capability(
      what,
      read.flatMap(({ words }) => words),
    );
    return unknown == null ? known : { ...known, unknown };
  }

  function capability(what: string, words: readonly string[]): Capability {
    return { kind: 'program', what, source, root: dir, files: programFiles(snapshot, dir, words) };
  }
}
