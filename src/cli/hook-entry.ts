/**
 * The entry of the launcher, which agents call: `node hook.cjs AGENT [EVENT] --dir DIR`. If a daemon answers, this file is all that is
 * loaded; otherwise it loads `core.cjs` and decides.
 */
import { askFirst, parseHookOptions, printAnswer, readInput } from '../launcher/index.ts';

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
    const spentMs = (process.uptime() - began) * 1000;
    // A process that was stopped meanwhile denies like one that decides too late.
    const isLate = spentMs >= options.deadlineMs;
    if (!('dead' in answer) && !isLate) process.exit(printAnswer(answer, options.mark));
    const { loadCore } = await import('./bundle.ts');
    // A process that decides once ends before optimized code has paid for itself: thirty times as much has to run before V8 makes it.
    process.getBuiltinModule('node:v8').setFlagsFromString('--interrupt-budget=2000000');
    const { exports, saveCode } = loadCore('hook');
    const dead = 'dead' in answer && answer.dead;
    exports.runHook(options, {
      entry,
      saveCode,
      input,
      spentMs: (process.uptime() - began) * 1000,
      dead,
    });
  });
}
