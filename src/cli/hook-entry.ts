/** The launcher's own entry, which agents call: `node hook.cjs AGENT [EVENT] --dir DIR`. It knows no other command. */
import { parseHookOptions } from './hook/hook-options.ts';
import { runHook } from './hook/run-hook.ts';

const options = parseHookOptions(process.argv.slice(2));
if (typeof options === 'string') {
  process.stderr.write(`harness hook: ${options}\n`);
  // Agents take it as a block; a line that waits for an answer gets none, and denies.
  process.exitCode = 2;
} else runHook(options);
