/**
 * `harness fleet publish`: checks a policy folder, or one that another author signed, signs it with keys of this machine, and gives it to
 * the hub once enough authors have signed.
 */
import { statSync, writeFileSync } from 'node:fs';
import { didYouMean } from '../../base/index.ts';
import {
  type CandidateCheck,
  checkCandidate,
  FIRST_TERMS,
  type PackedFiles,
  type Proposal,
  packedBytes,
  packPolicy,
  publishedAt,
  publishProposal,
  readPacked,
  readProposal,
  type Signature,
  type StaleTerms,
  signed,
  signersOf,
  targetsFor,
  weakensTerms,
} from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { WHEN_STALE, type WhenStale } from '../../policy/index.ts';
import { findTapes } from '../../project/index.ts';
import {
  type Arguments,
  countOf,
  type Output,
  onOneLine,
  quote,
  type Run,
  readText,
  UsageError,
  wholeNumber,
} from '../../terminal/index.ts';
import { demandAuthors, filesOf, hubOf, signingKeys } from './author-options.ts';

const TRIES = 10_000;
const CLIENT = { host: machineHost };

export const run: Run = async (args, output) => {
  const path = args.positionals[0]!;
  const [hub, keys] = [hubOf(args), signingKeys(args)];
  const proposed = isFolder(path) ? null : readProposal((await readText(path)) ?? '', path);
  const published = await publishedAt(hub, keys[0]!, CLIENT);
  demandAuthors(keys, published.root);
  const before = published.archive === null ? null : readPacked(Buffer.from(published.archive, 'base64'));
  const files =
    proposed === null ? await packPolicy(path) : readPacked(Buffer.from(proposed.archive, 'base64'));
  const version = published.version + 1;
  if (proposed !== null && proposed.targets.signed.version !== version)
    throw new UsageError(
      `${path} is version ${proposed.targets.signed.version}, and ${version} is next: somebody published meanwhile. Its first author publishes the folder again`,
    );
  const stale = staleTerms(args, proposed, published.terms ?? FIRST_TERMS);
  const check = await checked(files, before, args);
  if (!args.has('json')) {
    report(check, before !== null, output);
    output.line(staleLine(published.terms ?? stale, stale));
  }
  if (check.problems.length > 0 || check.failed.length > 0) return stop(check, args, output);

  const reason = check.loosens
    ? 'it allows what was blocked'
    : published.terms !== null && weakensTerms(published.terms, stale)
      ? 'a machine out of touch would ask or block later, or not at all'
      : null;
  const proposal = sign(proposed, files, version, { ...check, loosens: reason !== null }, stale, args, keys);
  const loosens = proposal.targets.signed.targets.policy.custom.loosens;
  if (reason !== null && !loosens)
    throw new UsageError(
      `${path} was signed as one that loosens nothing, and the check here says: ${reason}. Publish the folder again`,
    );
  const root = published.root.signed;
  const wanted = Math.max(root.roles.targets.threshold, loosens ? 2 : 1);
  const signers = signersOf(root, 'targets', proposal.targets).size;
  if (signers < wanted) return ask(proposal, version, { signers, wanted, reason }, args, output);
  await publishProposal(hub, proposal, CLIENT);
  if (args.has('json'))
    output.line(
      JSON.stringify({ version, published: true, signers, wanted, ...stale, ...dataOf(check), loosens }),
    );
  else {
    output.line(`${output.paint('green', 'published')}  version ${version} at ${hub}`);
    output.line(`No machine has it yet: harness fleet rollout ${version} --percent 10 --key FILE`);
  }
  return 0;
};

async function checked(
  files: PackedFiles,
  before: PackedFiles | null,
  args: Arguments,
): Promise<CandidateCheck> {
  const tapes = filesOf(args.value('tapes')).flatMap((path) => findTapes(path).files);
  return checkCandidate({ files, before, tapes, tries: wholeNumber(args, 'tries', 1) ?? TRIES });
}

function sign(
  proposed: Proposal | null,
  files: PackedFiles,
  version: number,
  check: CandidateCheck,
  stale: StaleTerms,
  args: Arguments,
  keys: readonly Parameters<typeof signed>[1][],
): Proposal {
  const now = machineHost.now();
  const archive = proposed === null ? packedBytes(files) : Buffer.from(proposed.archive, 'base64');
  const terms = {
    ...stale,
    loosens: check.loosens,
    message: args.value('message') ?? '',
    published: new Date(now).toISOString(),
    checks: { tests: check.tests, tries: check.tries, recorded: check.recorded },
  };
  const part = proposed?.targets.signed ?? targetsFor(archive, version, terms, now);
  let signatures: readonly Signature[] = proposed?.targets.signatures ?? [];
  for (const key of keys) ({ signatures } = signed(part, key, signatures));
  return { targets: { signed: part, signatures }, archive: archive.toString('base64') };
}

function ask(
  proposal: Proposal,
  version: number,
  { signers, wanted, reason }: { signers: number; wanted: number; reason: string | null },
  args: Arguments,
  output: Output,
): number {
  const out = args.value('out') ?? `policy-${version}.json`;
  writeFileSync(out, `${JSON.stringify(proposal)}\n`);
  if (args.has('json'))
    output.line(JSON.stringify({ version, published: false, signers, wanted, file: out }));
  else {
    const why = reason === null ? '' : `: ${reason}`;
    output.line(`${output.paint('yellow', 'not published')}  ${signers} of ${wanted} authors signed${why}`);
    output.line(
      `Another author looks at it, signs it and publishes: harness fleet publish ${out} --key FILE`,
    );
  }
  return 1;
}

function stop(check: CandidateCheck, args: Arguments, output: Output): number {
  if (args.has('json')) output.line(JSON.stringify({ published: false, ...dataOf(check) }));
  else
    output.line(`${output.paint('red', 'not published')}  mend this first: harness validate, harness test`);
  return 1;
}

function report(
  { problems, warnings, tests, failed, differences, tries, recorded, cut }: CandidateCheck,
  compared: boolean,
  output: Output,
): void {
  for (const { message } of problems) output.line(`${output.paint('red', 'error')}  ${onOneLine(message)}`);
  for (const { message } of warnings)
    output.line(`${output.paint('yellow', 'warning')}  ${onOneLine(message)}`);
  for (const name of failed) output.line(`${output.paint('red', 'failed')}  ${onOneLine(name)}`);
  output.line(`${countOf(tests, 'test')}, ${failed.length} failed`);
  if (!compared) {
    output.line('The first version: nothing to compare with.');
    return;
  }
  output.line(`${tries} calls tried against the version before, ${recorded} of them recorded`);
  if (cut !== null) output.line(`${output.paint('yellow', 'warning')}  ${cut}`);
  for (const group of differences) {
    const [example] = group.examples;
    const by = group.hook === null ? '' : ` by ${onOneLine(group.hook)}`;
    const style = group.class === 'block->allow' ? 'red' : 'yellow';
    output.line(`  ${output.paint(style, group.class)}${by}: ${countOf(group.count, 'call')}`);
    if (example !== undefined) output.line(`    ${onOneLine(JSON.stringify(example.input)).slice(0, 200)}`);
  }
  if (differences.length === 0) output.line('No difference was found, which is no proof that there is none.');
}

function dataOf({ problems, warnings, differences, ...check }: CandidateCheck) {
  const data = ({ code, message }: (typeof problems)[number]) => ({ code, message });
  return {
    ...check,
    problems: problems.map(data),
    warnings: warnings.map(data),
    differences: differences.map(({ class: kind, hook, count }) => ({ class: kind, hook, count })),
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** What is not given is as in the version before. The first author of a proposal has given it. */
function staleTerms(args: Arguments, proposed: Proposal | null, before: StaleTerms): StaleTerms {
  if (proposed !== null) {
    for (const option of ['when-stale', 'max-age', 'message'])
      if (args.has(option))
        throw new UsageError(
          `--${option} belongs to what the first author signed; it cannot be changed here`,
        );
    const { when_stale, max_age } = proposed.targets.signed.targets.policy.custom;
    return { when_stale, max_age };
  }
  const when_stale = whenStaleOf(args) ?? before.when_stale;
  const max_age = args.has('max-age') ? maxAgeOf(args.value('max-age')!) : before.max_age;
  if (when_stale !== 'keep' && max_age === null)
    throw new UsageError(`--when-stale ${when_stale} needs --max-age TIME, such as 7d`);
  return { when_stale, max_age };
}

function whenStaleOf(args: Arguments): WhenStale | undefined {
  const given = args.value('when-stale');
  const found = WHEN_STALE.find((each) => each === given);
  if (given === undefined || found !== undefined) return found;
  throw new UsageError(
    `--when-stale wants ${WHEN_STALE.join(', ')}, got ${quote(given)}${didYouMean(given, WHEN_STALE)}`,
  );
}

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** In seconds; null: never stale. */
function maxAgeOf(text: string): number | null {
  if (text === 'never') return null;
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw new UsageError(`--max-age wants a time such as 30m, 12h or 7d, or never, got ${quote(text)}`);
}

function staleLine(before: StaleTerms, next: StaleTerms): string {
  const [was, is] = [staleText(before), staleText(next)];
  return `Without contact to the hub: ${is}${was === is ? '' : `; before: ${was}`}`;
}

function staleText({ when_stale, max_age }: StaleTerms): string {
  if (max_age === null) return 'the policy stays in force';
  const [unit, seconds] = Object.entries(UNITS).findLast(([, each]) => max_age % each === 0) ?? ['s', 1];
  return `${when_stale} after ${max_age / seconds}${unit}`;
}
