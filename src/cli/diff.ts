/**
 * `harness diff OLD NEW`: searches for calls that two policies decide differently. Nothing runs but sandboxed hooks; clock,
 * addresses, variables and programs are those that the tests of the policies name.
 */
import { relative, resolve } from 'node:path';
import { type Policy, ScriptCollector, type Side, searchDifferences } from '../policy/index.ts';
import { findTapes, recordedCalls } from '../project/index.ts';
import { notePolicyDoubts, type Output, openPolicyAt, type Run, wholeNumber } from '../terminal/index.ts';
import { diffData, printDiff } from './diff/print.ts';

const TRIES = 10_000;
const MOST_MS = 120_000;
const MOST_RECORDED = 5000;

export const run: Run = async (args, output) => {
  const [oldDir, newDir] = args.positionals.map((dir) => resolve(dir)) as [string, string];
  const seed = wholeNumber(args, 'seed', 0) ?? 1;
  const tries = wholeNumber(args, 'tries', 1) ?? TRIES;
  const tapes = args.value('tapes');
  const old = await openSide(oldDir);
  const next = await openSide(newDir);
  noteDoubts(old.policy, next.policy, output);
  const recorded =
    tapes === undefined
      ? { calls: [], broken: [] }
      : await recordedCalls(findTapes(tapes).files, MOST_RECORDED);
  for (const message of recorded.broken) output.note(`${output.paintNote('red', 'broken')}: ${message}`);
  const result = await searchDifferences(old, next, {
    seed,
    tries,
    recorded: recorded.calls,
    mostMs: MOST_MS,
    onProgress: progressOf(tries, output),
  });
  const named = ({ dir, digest }: Policy) => ({ dir, digest: digest.digest });
  if (args.has('json')) output.line(JSON.stringify(diffData(result, named(old.policy), named(next.policy))));
  else printDiff(result, output);
  return result.groups.length > 0 || recorded.broken.length > 0 ? 1 : 0;
};

async function openSide(dir: string): Promise<Side> {
  const scripts = new ScriptCollector();
  const policy = await openPolicyAt(dir, { trust: 'no code', check: scripts.check });
  return { policy, scripts };
}

/** What makes the answer say less than it seems to. */
function noteDoubts(old: Policy, next: Policy, output: Output): void {
  const say = (text: string) => output.note(`${output.paintNote('yellow', 'warning')}: ${text}`);
  for (const policy of [old, next]) notePolicyDoubts(policy, output);
  for (const [outer, inner] of [
    [old, next],
    [next, old],
  ] as const) {
    const path = relative(outer.dir, inner.dir);
    if (path !== '' && !path.startsWith('..'))
      say(`${inner.dir} stands inside ${outer.dir}, whose rules hold there too`);
  }
  const capabilities = [...old.hooks, ...next.hooks].filter(({ capability }) => capability !== undefined);
  const names = [...new Set(capabilities.map(({ name }) => name))];
  if (names.length > 0)
    say(
      `programs and modules do not run here: what ${names.slice(0, 5).join(', ')} would say is what the tests say`,
    );
}

function progressOf(all: number, output: Output): (tries: number, found: number) => void {
  if (process.stderr.isTTY !== true) return () => {};
  let said = Date.now();
  return (tries, found) => {
    if (Date.now() - said < 1000) return;
    said = Date.now();
    output.note(`${tries} of ${all} tries, ${found} differences`);
  };
}
