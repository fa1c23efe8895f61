/** `harness hook`: the launcher, by way of the command line that people use. */
import { type Run, UsageError } from './command.ts';
import { parseHookOptions } from './hook/hook-options.ts';
import { runHook } from './hook/run-hook.ts';

const OPTIONS = ['dir', 'user', 'fail', 'deadline'];

export const run: Run = (args) => {
  const given = OPTIONS.flatMap((name) => {
    const value = args.value(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const options = parseHookOptions([...args.positionals, ...given]);
  if (typeof options === 'string') throw new UsageError(options);
  runHook(options);
  // It ends the process by itself, with the answer.
  return new Promise<number>(() => {});
};
