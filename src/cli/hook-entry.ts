/**
 * The launcher's own entry, which agents call: `node hook.cjs AGENT [EVENT] --dir DIR`. It knows no other command. With a daemon
 * this file is all that is loaded: the build puts into it what it imports at once, and everything else waits until it has to decide.
 */
import { askFirst } from './hook/ask-daemon.ts';
import { parseHookOptions } from './hook/hook-options.ts';
import { printAnswer, readInput } from './hook/standard-streams.ts';

const [, entry = '', ...argv] = process.argv;
const options = parseHookOptions(argv);
if (typeof options === 'string') {
  process.stderr.write(`harness hook: ${options}\n`);
  // Agents take it as a block; a line that waits for an answer gets none, and denies.
  process.exitCode = 2;
} else {
  const began = process.uptime();
  const input = readInput();
  // Told where it is waited for.
  input.catch(() => {});
  void askFirst(options, { entry, argv }, input).then(async (answer) => {
    if (!('dead' in answer)) process.exit(printAnswer(answer, options.mark));
    const { useCodeCache } = await import('./hook/code-cache.ts');
    const cache = useCodeCache(entry, 'hook');
    // Everything from here on comes from the cache.
    const { runHook } = await import('./hook/run-hook.ts');
    runHook(options, { cache, entry, input, spentMs: (process.uptime() - began) * 1000, ...answer });
  });
}
