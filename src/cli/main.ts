/** The command line's entry: it says its version, and leaves everything else to what it loads for that. */
import { writeSync } from 'node:fs';

/** Put in by the build. */
declare const HARNESS_VERSION: string;

const VERSION = ['--version', '-V', 'version'];

if (VERSION.includes(process.argv[2] ?? '')) sayVersion();
else void import('./run-command.ts').then(({ runCommand }) => runCommand(process.argv.slice(2), true));

/** Not by the stream of the process: that takes longer to load than all the rest. */
function sayVersion(): void {
  try {
    writeSync(1, `${HARNESS_VERSION}\n`);
  } catch {
    // Nobody reads it.
  }
}
