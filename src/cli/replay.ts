/**
 * `harness replay`: every decision of a tape once more. Says first where the policy is not the recorded one, then how many
 * decisions came out the same, and shows the first that did not.
 */
import { dirname, join, resolve } from 'node:path';
import { isJsonObject, type Json } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import { newestTape, progressOf } from '../project/index.ts';
import {
  type Difference,
  type Header,
  type ReplayOptions,
  type ReplayReport,
  readTape,
  replayTape,
  type Verification,
  verifyTape,
} from '../tape/index.ts';
import {
  type Arguments,
  countOf,
  type Output,
  openPolicyAt,
  type Run,
  UsageError,
  wholeNumber,
} from '../terminal/index.ts';

/** After the first difference, so many more are named. */
const MOST_NAMED = 10;

export const run: Run = async (args, output) => {
  const tape = newestTape(args.positionals[0]!, output);
  const at = args.value('at') === undefined ? undefined : wholeNumber(args, 'at', 0);
  const { header } = readTape(tape);
  const chain = verifyTape(tape);
  const hooks = await hooksFor(tape, header, args);
  const report = await replayTape(tape, { ...hooks, at, onProgress: progressOf('replaying', output) });
  if (args.has('json')) output.line(JSON.stringify(dataOf(report, chain)));
  else print(tape, report, chain, output);
  return report.differences.length === 0 ? 0 : 1;
};

async function hooksFor(tape: string, header: Header, args: Arguments): Promise<ReplayOptions> {
  if (args.has('recorded')) {
    if (args.has('dir')) throw new UsageError('--recorded runs no hooks, and so has no use for --dir');
    return {};
  }
  const dir = args.value('dir') ?? projectOf(tape);
  const host = recordedSwitches(header);
  const { untrusted } = header.policy.settings;
  const names = Array.isArray(untrusted) ? untrusted.map(String) : [];
  const { hooks, digest } = await openPolicyAt(dir, { switches: host, trust: { untrusted: names } });
  return { hooks, policy: digest };
}

/** The switches of the operator as they were: they too decide what a hook is. */
function recordedSwitches({ policy }: Header): Pick<Host, 'env'> {
  const { environment } = policy.settings;
  const values: Readonly<Record<string, Json>> = isJsonObject(environment) ? environment : {};
  return {
    env: (name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return typeof value === 'string' ? value : undefined;
    },
  };
}

/** A tape in `.harness/runs` belongs to the project around it. */
function projectOf(tape: string): string {
  const folder = dirname(resolve(tape));
  return folder.endsWith(join('.harness', 'runs')) ? dirname(dirname(folder)) : '.';
}

function dataOf(report: ReplayReport, chain: Verification): Record<string, unknown> {
  const { header, decisions, differences, notReplayable, unfinished, policyChanges } = report;
  return {
    session: header.session,
    decisions,
    differences,
    notReplayable,
    unfinished,
    policy: policyChanges === null ? null : { same: policyChanges.length === 0, changes: policyChanges },
    chain: { ok: chain.ok, firstBroken: chain.firstBroken },
  };
}

function print(tape: string, report: ReplayReport, chain: Verification, output: Output): void {
  const { header, decisions, differences, notReplayable, unfinished, policyChanges } = report;
  if (!chain.ok) {
    const where = chain.firstBroken === null ? '' : ` at entry ${chain.firstBroken}`;
    output.note(
      `${output.paintNote('yellow', 'warning')}: the tape proves nothing${where}: ${chain.problem}`,
    );
  }
  if (policyChanges !== null && policyChanges.length > 0) {
    output.line(output.paint('bold', 'The policy is not the recorded one'));
    for (const change of policyChanges) output.line(`  ${change}`);
    output.line();
  }
  const with_ = policyChanges === null ? 'from what the hooks returned' : 'with the hooks';
  const result =
    differences.length === 0
      ? output.paint('green', 'no difference')
      : output.paint('red', `${countOf(differences.length, 'difference')}`);
  output.line(`${countOf(decisions, 'decision')} of session ${header.session} replayed ${with_}: ${result}`);
  for (const [reason, count] of tally(notReplayable.map((one) => one.reason))) {
    output.line(`${countOf(count, 'decision')} ${reason}`);
  }
  if (unfinished > 0) output.line(`${countOf(unfinished, 'decision')} not on the tape to the end`);
  if (differences.length > 0) printDifferences(tape, differences, output);
}

function tally(reasons: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

function printDifferences(tape: string, [first, ...rest]: readonly Difference[], output: Output): void {
  const { seq, dispatch, event, what, fields } = first!;
  output.line();
  output.line(output.paint('bold', `The first, at entry ${seq} (${event})`));
  output.line(`  ${what}`);
  for (const { path, recorded, replayed } of fields) {
    output.line(`  ${path}`);
    output.line(`    recorded  ${shortJson(recorded)}`);
    output.line(`    now       ${shortJson(replayed)}`);
  }
  output.line(`  ${output.paint('dim', `all of it: harness tape show ${tape} --seq ${dispatch}`)}`);
  if (rest.length === 0) return;
  output.line();
  for (const one of rest.slice(0, MOST_NAMED)) output.line(`  entry ${one.seq} (${one.event}): ${one.what}`);
  if (rest.length > MOST_NAMED) output.line(`  and ${rest.length - MOST_NAMED} more`);
}

const LONGEST = 300;

function shortJson(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
