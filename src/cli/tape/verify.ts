/**
 * `harness tape verify`: proves a tape, or names the first entry that is broken. Of a folder it proves every tape.
 */

import { readVerifyingKey } from '../../tape/sign.ts';
import { type Verification, verifyTape } from '../../tape/verify.ts';
import type { Run } from '../command.ts';
import type { Output } from '../output.ts';
import { countOf } from '../problems.ts';
import { harmless, thousands } from '../timeline/fit.ts';
import { findTapes, progressOf } from './find-tapes.ts';

interface Verified extends Verification {
  readonly file: string;
}

export const run: Run = (args, output) => {
  const { files, single } = findTapes(args.positionals[0]);
  const keyFile = args.value('key');
  const key = keyFile === undefined ? null : readVerifyingKey(keyFile);
  const results = files.map(
    (file): Verified => ({ file, ...verifyTape(file, { key, onProgress: progressOf(file, output) }) }),
  );
  const broken = results.find((result) => !result.ok);
  if (args.has('json')) output.line(JSON.stringify(single ? oneData(results[0]!) : allData(results)));
  else for (const result of results) printOne(result, output);
  if (!single && !args.has('json')) {
    const bad = results.filter((result) => !result.ok).length;
    output.line(`${countOf(results.length, 'tape')}, ${bad} broken`);
  }
  return broken === undefined ? 0 : 1;
};

/** The documented keys first. */
function oneData({ ok, entries, firstBroken, ...rest }: Verified): Record<string, unknown> {
  return { ok, entries, firstBroken, ...rest };
}

function allData(results: readonly Verified[]): Record<string, unknown> {
  const broken = results.find((result) => !result.ok);
  return {
    ok: broken === undefined,
    entries: results.reduce((sum, result) => sum + result.entries, 0),
    firstBroken: broken?.firstBroken ?? null,
    tapes: results.map(oneData),
  };
}

const PLACES: Readonly<Record<Verification['state'], string>> = {
  closed: '',
  open: ', still being written',
  cut: '',
};

function printOne(result: Verified, output: Output): void {
  const { ok, file, entries, firstBroken, problem, repairable, state, signature } = result;
  const whole = `${thousands(entries)} ${entries === 1 ? 'entry' : 'entries'}`;
  if (ok) {
    output.line(`${output.paint('green', 'ok')}  ${file}: ${whole}${PLACES[state]}${signedBy(signature)}`);
    return;
  }
  const what = firstBroken === 0 ? file : `${file}: entry ${firstBroken}`;
  output.line(`${output.paint('red', 'broken')}  ${what} ${harmless(problem!)}`);
  if (entries > 0) output.line(`        ${whole} from the beginning ${entries === 1 ? 'holds' : 'hold'}`);
  if (repairable)
    output.line(`        harness tape repair ${file} makes it whole again, without what was lost`);
}

function signedBy(signature: Verification['signature']): string {
  if (signature === null) return ', not signed';
  const { key, trusted, entries } = signature;
  return trusted
    ? `, signed up to entry ${entries} with your key`
    : `, signed up to entry ${entries} with ${key} (give --key to hold it against a key you trust)`;
}
