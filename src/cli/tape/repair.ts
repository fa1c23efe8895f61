/**
 * `harness tape repair`: gives a tape that was cut off its end back. A torn last line is cut away and the tape says so;
 * nothing before it is touched.
 */

import { lockInfo } from '../../machine/index.ts';
import { oneTape } from '../../project/index.ts';
import { readSigningKey, readVerifyingKey, TapeWriter, verifyTape } from '../../tape/index.ts';
import type { Run } from '../../terminal/index.ts';

export const run: Run = (args, output) => {
  const file = oneTape(args.positionals[0]!);
  const keyFile = args.value('key');
  const key = keyFile === undefined ? null : readSigningKey(keyFile);
  const before = verifyTape(file);
  const say = (repaired: boolean, text: string) => {
    const { ok, entries, firstBroken } = verifyTape(file);
    if (args.has('json')) output.line(JSON.stringify({ repaired, ok, entries, firstBroken }));
    else output.line(text);
    return ok ? 0 : 1;
  };
  const lock = lockInfo(file);
  if (lock !== null) {
    const fix = lock.alive ? 'Wait for it.' : `If that process has ended, remove ${file}.lock.`;
    return say(false, `${file} is locked by ${lock.holder}: nothing was repaired. ${fix}`);
  }
  // A signature that lags behind, or leaves something out, is something this can mend as well.
  const lags = before.signature?.entries !== before.entries;
  const unsigned = key !== null && (lags || verifyTape(file, { key: readVerifyingKey(keyFile!) }).unsigned);
  if (before.ok && !unsigned) return say(false, `${file} is whole: there is nothing to repair`);
  if (!before.repairable && !unsigned) {
    const where = before.firstBroken === 0 ? 'it' : `entry ${before.firstBroken}`;
    return say(false, `${file} cannot be repaired: ${where} ${before.problem}`);
  }
  const tape = TapeWriter.open(file, { header: null, vouch: true, ...(key !== null && { sign: { key } }) });
  tape.close();
  return say(true, `${file} is whole again: ${tape.entries} entries`);
};
