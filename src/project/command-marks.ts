/** What is worth knowing of a command besides its words. */
import type { Command } from '../shell/index.ts';

export function marksOf(command: Command): string[] {
  return [
    ...(command.elevated ? ['with more rights'] : []),
    ...(command.remote ? ['elsewhere'] : []),
    ...(command.runsStdin ? ['running what it reads'] : []),
    ...(command.dynamic ? ['known only in part'] : []),
  ];
}
