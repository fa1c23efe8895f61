/**
 * What an error means for the command: a sentence on stderr and an exit code. Mistakes a person can mend get a sentence;
 * anything else is a fault of this program and shows its stack.
 */
import { HarnessError } from '../base/index.ts';
import { type Output, UsageError } from '../terminal/index.ts';

export function reportFault(error: unknown, output: Output): number {
  const label = output.paintNote('red', 'error');
  if (error instanceof UsageError) {
    output.note(`${label}: ${error.message}`);
    return 2;
  }
  if (error instanceof HarnessError) {
    output.note(`${label}[${error.code}]: ${error.message}`);
    return 1;
  }
  output.note(`${label}: a fault in harness itself: ${error instanceof Error ? error.stack : String(error)}`);
  return 1;
}
