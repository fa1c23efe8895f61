/** The launcher's own entry, which agents call: `node hook.cjs AGENT [EVENT] --dir DIR`. It knows no other command. */
import { useCodeCache } from './hook/code-cache.ts';
import { parseHookOptions } from './hook/hook-options.ts';

const options = parseHookOptions(process.argv.slice(2));
if (typeof options === 'string') {
  process.stderr.write(`harness hook: ${options}\n`);
  // Agents take it as a block; a line that waits for an answer gets none, and denies.
  process.exitCode = 2;
} else {
  const cache = useCodeCache(process.argv[1]!, 'hook');
  // Everything but this file is loaded from here on, and so from the cache.
  const started = { cache, entry: process.argv[1]!, argv: process.argv.slice(2) };
  void import('./hook/run-hook.ts').then(({ runHook }) => runHook(options, started));
}
