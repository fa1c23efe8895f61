/** The entry of the command line: prints the version, or loads the bundle and runs the command. */
import { writeSync } from 'node:fs';

/** Set by the build. */
declare const HARNESS_VERSION: string;

const VERSION = ['--version', '-V', 'version'];
const [, , ...argv] = process.argv;

if (VERSION.includes(argv[0] ?? '')) printVersion();
else void runCommand();

async function runCommand(): Promise<void> {
  const { loadCommand } = await import('./bundle.ts');
  const { exports, saveCode } = loadCommand();
  await exports.command().runCommand(argv);
  // Only `decide` is run by programs, again and again.
  if (argv[0] === 'decide') saveCode();
}

/** Without the stream of the process, which takes longer to load than everything else here. */
function printVersion(): void {
  try {
    writeSync(1, `${HARNESS_VERSION}\n`);
  } catch {
    // The reader is gone.
  }
}
