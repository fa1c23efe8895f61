/**
 * `harness tape verify`: proves a tape, or names the first entry that is broken. Of a folder it proves every tape. A
 * checkpoint, kept where the writer of tapes cannot reach it, also shows the ones that are gone.
 */

import {
  type Checkpoint,
  findTapes,
  type Lost,
  lostTapes,
  progressOf,
  readCheckpoint,
  sessionOf,
  writeCheckpoint,
} from '../../project/index.ts';
import { readVerifyingKey, type Verification, verifyTape } from '../../tape/index.ts';
import { countOf, harmless, type Output, onOneLine, type Run, thousands } from '../../terminal/index.ts';

interface Verified extends Verification {
  readonly file: string;
}

export const run: Run = (args, output) => {
  const { files, single } = findTapes(args.positionals[0]);
  const keyFile = args.value('key');
  const key = keyFile === undefined ? null : readVerifyingKey(keyFile);
  const kept = args.value('checkpoint');
  const before: Checkpoint | null = kept === undefined ? null : readCheckpoint(kept);
  const results = files.map((file): Verified => {
    const mark = before?.tapes[sessionOf(file)]?.entries;
    const proof = verifyTape(file, {
      key,
      onProgress: progressOf(file, output),
      ...(mark !== undefined && { mark }),
    });
    return { file, ...proof };
  });
  const lost = before === null ? [] : lostTapes(before, results, single);
  const broken = results.find((result) => !result.ok) ?? lost[0];
  if (kept !== undefined && broken === undefined) writeCheckpoint(kept, before, results);
  if (args.has('json'))
    output.line(JSON.stringify(single ? oneData(results[0]!, lost) : allData(results, lost)));
  else for (const result of results) printOne(result, output);
  if (!args.has('json')) {
    for (const { session, problem } of lost) {
      output.line(`${output.paint('red', 'lost')}  ${onOneLine(session)}: ${problem}`);
    }
  }
  if (!single && !args.has('json')) {
    const bad = results.filter((result) => !result.ok).length;
    const gone = lost.length === 0 ? '' : `, ${lost.length} lost`;
    const unsigned = results.filter((result) => result.unsigned).length;
    const plain = unsigned === 0 ? '' : `, ${unsigned} unsigned`;
    output.line(`${countOf(results.length, 'tape')}, ${bad - unsigned} broken${plain}${gone}`);
  }
  return broken === undefined ? 0 : 1;
};

/** The documented keys first. */
function oneData(
  { ok, entries, firstBroken, ...rest }: Verified,
  lost: readonly Lost[] = [],
): Record<string, unknown> {
  return { ok: ok && lost.length === 0, entries, firstBroken, ...rest, ...(lost.length > 0 && { lost }) };
}

function allData(results: readonly Verified[], lost: readonly Lost[]): Record<string, unknown> {
  const broken = results.find((result) => !result.ok);
  return {
    ok: broken === undefined && lost.length === 0,
    entries: results.reduce((sum, result) => sum + result.entries, 0),
    firstBroken: broken?.firstBroken ?? null,
    tapes: results.map((result) => oneData(result)),
    ...(lost.length > 0 && { lost }),
  };
}

const STATE_TEXTS: Readonly<Record<Verification['state'], string>> = {
  closed: '',
  open: ', still being written',
  cut: '',
};

function printOne(result: Verified, output: Output): void {
  const { ok, file, entries, firstBroken, problem, repairable, state, signature } = result;
  const whole = `${thousands(entries)} ${entries === 1 ? 'entry' : 'entries'}`;
  if (ok) {
    output.line(
      `${output.paint('green', 'ok')}  ${file}: ${whole}${STATE_TEXTS[state]}${signedBy(signature)}`,
    );
    return;
  }
  if (result.unsigned) {
    const why = signature === null ? 'its chain holds, and nothing says who wrote it' : `it ${problem}`;
    output.line(`${output.paint('yellow', 'unsigned')}  ${file}: ${whole}; ${why}`);
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
