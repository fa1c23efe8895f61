/** `harness hook`: the launcher, by way of the command line that people use. */

import { parseHookOptions, runHook } from '../launcher/index.ts';
import { type Run, UsageError } from '../terminal/index.ts';

const OPTIONS = ['dir', 'user', 'fail', 'deadline'];

export const run: Run = (args) => {
  const given = OPTIONS.flatMap((name) => {
    const value = args.value(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const options = parseHookOptions([...args.positionals, ...given, ...(args.has('mark') ? ['--mark'] : [])]);
  if (typeof options === 'string') throw new UsageError(options);
  runHook(options);
  // It ends the process by itself, with the answer.
  return new Promise<number>(() => {});
};
